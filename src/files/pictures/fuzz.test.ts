import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { unconditional } from '#src/core/problem.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { watchPeakMemory } from '#src/testing/memory.ts'
import * as pictures from '#src/testing/pictures.ts'
import type { PictureResult, PictureTask } from './render.ts'

const { asAvif, asBmp, asGif, asJpeg, asPng, asWebp, painted } = pictures
// The seed is fixed. FUZZ_ROUNDS=1000 tests more changes. Each thread that has to be replaced takes a second.
const [seed, rounds] = [20_261, Number(process.env.FUZZ_ROUNDS ?? 60)]

/** Creates a generator of pseudo-random numbers below `most` (mulberry32). */
function createDice(seed: number) {
  let state = seed
  return (most: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most
  }
}

/**
 * Changes a few bytes, mostly near the start, where the headers are. Sometimes also cuts, removes or repeats a part.
 */
function mutated(file: Buffer, dice: (most: number) => number): Buffer {
  const copy = Buffer.from(file)
  const place = () => (dice(3) > 0 ? dice(Math.min(copy.length, 128)) : dice(copy.length))
  const values = [0, 1, 0x7f, 0x80, 0xff, dice(256), dice(256)]
  for (let left = 1 + dice(6); left > 0; left--) copy[place()] = values[dice(values.length)] ?? 0
  const [a, b] = [dice(copy.length), dice(copy.length)]
  const changes = [
    () => copy.subarray(0, a),
    () => Buffer.concat([copy.subarray(0, a), copy.subarray(b)]),
    () => Buffer.concat([copy, copy.subarray(a)]),
  ]
  return changes[dice(12)]?.() ?? copy
}

/** Corrects the checksums of all chunks of a PNG, so that the changes reach the decoder. */
function withSums(file: Buffer): Buffer {
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 8 + file.readUInt32BE(at)
    if (end + 4 > file.length) break
    file.writeUInt32BE(crc32(file.subarray(at + 4, end)), end)
    at = end + 4
  }
  return file
}

t.test(
  'a picture with random changes is made smaller or refused within the limits, and the next one works',
  async (t) => {
    const folder = t.testdir({})
    const painters = createWorkerPool<PictureTask, PictureResult>('picture', { threads: 2, heapMb: 192 })
    t.teardown(() => painters.close())
    const make = async (name: string, bytes: Buffer) => {
      const fd = openSync(join(folder, name), 'w+')
      try {
        writeSync(fd, bytes)
        const task = {
          fd,
          size: bytes.length,
          frame: { side: 256, isSquare: false },
          weight: 'light',
        } as const
        const result = await painters
          .run(task, { recheck: unconditional, processorMs: 1500 })
          .catch((error: Error) => error.constructor.name)
        if (typeof result === 'string') return result
        return 'refused' in result ? result.refused : Buffer.from(result.webp)
      } finally {
        closeSync(fd)
      }
    }
    const picture = painted(48, 40, (x, y) => [x * 5, y * 6, (x * y) % 255, x % 9 ? 255 : 99])
    const honest: Record<string, Buffer> = {
      jpeg: await asJpeg(picture, 6),
      webp: await asWebp(picture),
      animated: pictures.animated([await asWebp(picture)], 48, 40),
      avif: await asAvif(picture),
      gif: asGif(48, 40, [[9, 99, 199]]),
      bmp: asBmp(picture),
      png: asPng(picture),
      'png with sums': asPng(picture),
    }
    for (const [name, file] of Object.entries(honest)) t.type(await make(name, file), Buffer, name)
    const peak = watchPeakMemory()
    const dice = createDice(seed)
    const found = new Map<string, number>()
    let made = 0
    const attack = async (name: string, file: Buffer) => {
      const change = mutated(file, dice)
      const answer = await make(`changed-${made++}`, name === 'png with sums' ? withSums(change) : change)
      const isWhole = typeof answer !== 'string' && answer.readUInt32LE(4) + 8 === answer.length
      const kind = typeof answer !== 'string' ? `${name}: ${isWhole ? 'made' : 'cut'}` : answer
      found.set(kind, (found.get(kind) ?? 0) + 1)
    }
    for (const [name, file] of Object.entries(honest)) {
      // Each failure of the PNG decoder ends a thread.
      const times = name === 'png with sums' ? 16 : rounds
      for (let n = 0; n < times; n += 2) await Promise.all([attack(name, file), attack(name, file)])
    }
    const allowed = new Set([
      ...Object.keys(honest).map((name) => `${name}: made`),
      ...['unknown', 'large', 'broken', 'heavy', 'ProcessorTimeOver'],
    ])
    t.strictSame(
      [...found.keys()].filter((kind) => !allowed.has(kind)),
      [],
      JSON.stringify([...found]),
    )
    t.ok((found.get('broken') ?? 0) > rounds, 'more than one round of pictures was broken')
    t.ok(peak() < 800, `${peak()} MiB`)
    for (const [name, file] of Object.entries(honest))
      t.type(await make(name, file), Buffer, `${name} after all`)
  },
)
