import { readSync } from 'node:fs'
import { budgets, mostBytes, mostKept, type Weight, weightOf } from './budget.ts'
import { decode, discard, encode, heldBytes, startCodecs } from './codecs.ts'
import { type Measure, measure } from './formats/measure.ts'
import { upright } from './formats/orientation.ts'
import { type Frame, type Pixels, shrink } from './formats/pixels.ts'
import { stillOf } from './still.ts'

/** A picture to make smaller: an open descriptor of this process, which threads share. */
export interface PictureTask {
  fd: number
  /** Bytes of the file. */
  size: number
  frame: Frame
  /** What the thread may take. Every task of one thread says the same. */
  weight: Weight
}

/** The smaller picture as WebP, or why there is none: it is no picture, too large, broken, or heavier than `weight`. */
export type PictureResult = { webp: Uint8Array } | { refused: 'unknown' | 'large' | 'broken' | 'heavy' }

/** What this thread has used outside of WebAssembly so far; some of it may not be collected yet. */
let usedBytes = 0

/**
 * Makes a picture smaller. `isSpent` says that the thread is to end: it holds memory that it cannot give back, or a codec
 * has failed in it that cannot be started anew.
 */
export async function render(task: PictureTask): Promise<{ result: PictureResult; isSpent: boolean }> {
  const begun = begin(task)
  if ('refused' in begun) return { result: begun, isSpent: usedBytes > mostKept }
  const { still, stored } = begun
  await startCodecs(stored.kind, budgets[task.weight].decoder)
  const spent = (isSpent: boolean) => isSpent || task.weight === 'heavy' || isFull()
  let smaller: Pixels | undefined
  try {
    smaller = await decode(stored.kind, still, (pixels) => shrink(pixels, task.frame))
  } catch {
    return { result: { refused: 'broken' }, isSpent: spent(!discard(stored.kind)) }
  }
  if (!smaller) return { result: { refused: 'broken' }, isSpent: spent(false) }
  const webp = await encode(upright(smaller, stored.orientation)).catch(() => undefined)
  const result: PictureResult = webp ? { webp } : { refused: 'broken' }
  return { result, isSpent: spent(!webp) }
}

function isFull(): boolean {
  return heldBytes() + usedBytes > mostKept
}

/** Reads the file and its header; or says why it is not decoded. */
function begin({ fd, size, weight }: PictureTask): Refusal | { still: Buffer; stored: Measure } {
  if (size > mostBytes) return { refused: 'large' }
  const weighed = (weight: Weight | undefined, allowed: Weight): Refusal | undefined => {
    if (!weight) return { refused: 'large' }
    return weight === 'heavy' && allowed === 'light' ? { refused: 'heavy' } : undefined
  }
  // A large file is not even read by a thread for light pictures.
  const asFile = weighed(weightOf({ decoderBytes: 0, ownBytes: 0 }, size), weight)
  if (asFile) return asFile
  const file = readAll(fd, size)
  usedBytes += size
  const found = measure(file)
  if (typeof found === 'string') return { refused: found }
  // A frame of an animation has a size of its own.
  const still = found.kind === 'webp' ? stillOf(file) : file
  const stored = still ? measure(still) : 'broken'
  if (!still || typeof stored === 'string') return { refused: 'broken' }
  const refusal =
    weighed(weightOf(found, file.length), weight) ?? weighed(weightOf(stored, still.length), weight)
  if (refusal) return refusal
  usedBytes += stored.ownBytes
  return { still, stored }
}

type Refusal = { refused: 'unknown' | 'large' | 'broken' | 'heavy' }

/** The whole file, or as much of it as there is still. */
function readAll(fd: number, size: number): Buffer {
  const file = Buffer.allocUnsafeSlow(size)
  for (let filled = 0; filled < size; ) {
    const length = readSync(fd, file, filled, size - filled, filled)
    if (length === 0) return file.subarray(0, filled) // it was cut short meanwhile
    filled += length
  }
  return file
}
