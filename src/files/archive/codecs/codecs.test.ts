import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import t from 'tap'
import { unsnappy } from '#src/testing/unsnappy.ts'
import { leastRotation } from './burrows-wheeler.ts'
import { bzip2, bzip2MaxBytes } from './bzip2.ts'
import { lz4Block, lz4EndMark, lz4FrameHeader, lz4MaxBlockBytes } from './lz4.ts'
import { snappy } from './snappy.ts'
import { suffixArray } from './suffix-array.ts'
import { xz, xzMaxBytes } from './xz.ts'

function pipe(tool: string, input: Buffer): Buffer {
  return execFileSync(tool, ['-dc'], { input, maxBuffer: 2 ** 24 })
}

const most = Math.min(bzip2MaxBytes, lz4MaxBlockBytes, xzMaxBytes)

/** Pseudo-random bytes that are the same in every run (xorshift32, Marsaglia 2003). */
function noise(length: number, symbols = 256): Buffer {
  let state = 2463534242
  return Buffer.from(
    Array.from({ length }, () => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return (state >>> 8) % symbols
    }),
  )
}

/** A Fibonacci word, in which repetitions overlap as much as possible. */
function fibonacci(length: number): Buffer {
  let [one, other] = ['a', 'ab']
  while (other.length < length) [one, other] = [other, other + one]
  return Buffer.from(other.slice(0, length))
}

const texts: Record<string, Buffer> = {
  'one byte': Buffer.from('a'),
  'four equal bytes, a run for bzip2': Buffer.alloc(4, 0),
  'runs around the maximum length for bzip2': Buffer.concat(
    [254, 255, 256, 259, 260].flatMap((length) => [Buffer.alloc(length, 'r'), Buffer.from('-')]),
  ),
  'all bytes': Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  'a whole block of one byte': Buffer.alloc(most, 'z'),
  'a whole block of noise': noise(most),
  'random bytes of three values': noise(300_000, 3),
  'a Fibonacci word': fibonacci(300_000),
  'a repeated phrase': Buffer.alloc(200_003, 'the same words again '),
  'noise, then the same noise outside of small windows': Buffer.concat([noise(200_000), noise(200_000)]),
}

const codecs: Record<string, (text: Buffer) => Promise<Buffer>> = {
  bzip2: async (text) => pipe('bzip2', Buffer.from(bzip2(text))),
  xz: async (text) => pipe('xz', await xz(text)),
  lz4: async (text) => pipe('lz4', Buffer.concat([lz4FrameHeader, await lz4Block(text), lz4EndMark])),
  snappy: async (text) => unsnappy(await snappy(text)),
}

for (const [codec, roundTrip] of Object.entries(codecs)) {
  t.test(`a standard decoder unpacks the output of ${codec}`, async (t) => {
    for (const [name, text] of Object.entries(texts)) t.ok((await roundTrip(text)).equals(text), name)
  })
}

t.test('concatenated streams unpack as one file', async (t) => {
  const [one, other] = [noise(1000, 4), Buffer.from('the end')]
  const whole = Buffer.concat([one, other])
  t.ok(pipe('bzip2', Buffer.concat([bzip2(one), bzip2(other)])).equals(whole))
  t.ok(pipe('xz', Buffer.concat([await xz(one), await xz(other)])).equals(whole))
  t.ok(unsnappy(Buffer.concat([await snappy(one), await snappy(other)])).equals(whole))
})

t.test('the suffix array and the least rotation are correct for random texts', async (t) => {
  const few = fc.uint8Array({ max: 3, maxLength: 60 })
  fc.assert(
    fc.property(fc.oneof(few, fc.uint8Array({ maxLength: 60 })), (bytes) => {
      const text = Buffer.from(bytes)
      const sorted = [...text.keys()].sort((a, b) => text.subarray(a).compare(text.subarray(b)))
      t.strictSame([...suffixArray(text, 256)], sorted)
      if (text.length === 0) return
      const turned = (at: number) => Buffer.concat([text.subarray(at), text.subarray(0, at)])
      const least = [...text.keys()].map(turned).sort(Buffer.compare)[0]
      t.ok(least?.equals(turned(leastRotation(text))))
    }),
    { numRuns: 60 },
  )
})
