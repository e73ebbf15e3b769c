import t from 'tap'
import { compressBlock } from './compress-block.ts'

t.test('a compressed block has its own memory, which can be transferred', (t) => {
  // Small results share a buffer pool. Of this many results, some are at the start of the pool.
  for (let length = 1; length < 3000; length++) {
    const { bytes } = compressBlock({
      kind: 'compress',
      codec: 'zstd',
      bytes: new Uint8Array(length),
      level: 6,
    })
    t.doesNotThrow(() => structuredClone(bytes.buffer, { transfer: [bytes.buffer] }), String(length))
  }
  t.end()
})
