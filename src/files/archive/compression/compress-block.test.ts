import t from 'tap'
import { type Codec, compressBlock } from './compress-block.ts'

t.test('a compressed block has its own memory, which can be transferred', async (t) => {
  const transfer = async (codec: Codec, length: number) => {
    const { bytes } = await compressBlock({
      kind: 'compress',
      codec,
      bytes: new Uint8Array(length),
      level: 6,
    })
    const { buffer } = bytes
    t.doesNotThrow(() => structuredClone(buffer, { transfer: [buffer] }), `${codec} ${length}`)
  }
  // Small results share a buffer pool. Of this many results, some are at the start of the pool.
  for (let length = 1; length < 3000; length++) await transfer('zstd', length)
  // The memory of a native add-on cannot be transferred.
  for (const codec of ['deflate', 'bzip2', 'xz', 'lz4', 'snappy'] as const)
    for (const length of [1, 1000, 1_000_000]) await transfer(codec, length)
})
