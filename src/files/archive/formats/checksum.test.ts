import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { fastChecksum } from './checksum.ts'

t.test('the checksum of a file is the same as that of zlib, in pieces of any length', async (t) => {
  const checksum = await fastChecksum()
  t.not(checksum, crc32, 'the add-on is loaded')
  const bytes = randomBytes(300_000)
  for (const length of [0, 1, 7, 8, 63, 64, 65, 127, 128, 1023, 65_537]) {
    for (const at of [0, 1, 5]) {
      const piece = bytes.subarray(at, at + length)
      t.equal(checksum(piece, 0), crc32(piece), `${length} bytes at ${at}`)
    }
    const [head, tail] = [bytes.subarray(0, length), bytes.subarray(length)]
    t.equal(checksum(tail, checksum(head, 0)), crc32(bytes), `in two pieces at ${length}`)
  }
})

t.test('without the add-on, archives use the slower checksum of Node', async (t) => {
  const checksum = await fastChecksum(() => Promise.reject(new Error('no space left on device')))
  t.equal(checksum, crc32)
})
