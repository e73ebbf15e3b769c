import { randomBytes } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import t from 'tap'
import { createBlocks } from './blocks.ts'
import { compressBlock } from './compress-block.ts'
import { plainOutput } from './output.ts'

const blockBytes = 64 * 1024
const mebibyte = 1024 * 1024

/** Compresses pieces. Returns the deflate stream, and the number of bytes that were compressed. */
async function deflate(pieces: readonly Uint8Array[]) {
  const made: Buffer[] = []
  let compressed = 0
  const next = plainOutput(async (bytes) => void made.push(Buffer.from(bytes)))
  const blocks = createBlocks(next, {
    codec: 'deflate',
    blockBytes,
    isChained: true,
    threads: 2,
    // Each block may have another level.
    level: () => 1 + (Math.floor(compressed / blockBytes) % 6),
    compress: async (task) => {
      compressed += task.bytes.length
      return compressBlock(task)
    },
  })
  for (const piece of pieces) await blocks.write(piece)
  await blocks.end()
  return { stream: Buffer.concat([...made, Buffer.from([3, 0])]), compressed }
}

t.test('content that compression does not make smaller is stored as it is', async (t) => {
  const noise = randomBytes(8 * mebibyte)
  const { stream, compressed } = await deflate([noise.subarray(0, 1000), noise.subarray(1000)])
  t.ok(inflateRawSync(stream).equals(noise))
  t.ok(stream.length < noise.length * 1.001, 'it hardly grows')
  t.ok(compressed < mebibyte, 'only the first blocks are tried')
})

t.test('after stored content, compression is tried again', async (t) => {
  const noise = randomBytes(33 * mebibyte)
  const text = Buffer.alloc(32 * mebibyte, 'a line of text\n')
  const whole = Buffer.concat([text, noise, text])
  const pieces: Buffer[] = []
  for (let at = 0; at < whole.length; at += 300_000) pieces.push(whole.subarray(at, at + 300_000))
  const { stream } = await deflate(pieces)
  t.ok(inflateRawSync(stream).equals(whole))
  t.ok(stream.length < noise.length + 12 * mebibyte, 'also most of the second text is compressed')
})

t.test('stored content of any length is read back', async (t) => {
  const noise = randomBytes(4 * blockBytes)
  for (const length of [1, 0xffff, 0x10000, blockBytes + 1, 2 * 0xffff]) {
    const pieces = [noise, noise, noise, noise.subarray(0, length), Buffer.from('end')]
    t.ok(inflateRawSync((await deflate(pieces)).stream).equals(Buffer.concat(pieces)), `${length}`)
  }
})
