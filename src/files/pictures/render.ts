import { readSync } from 'node:fs'
import { budgets, type MemoryClass, maxFileBytes, maxKeptBytes, memoryClassOf } from './budget.ts'
import { decode, discardDecoder, encode, heldBytes, startCodecs } from './codecs.ts'
import { type Measure, measure } from './formats/measure.ts'
import { rotateUpright } from './formats/orientation.ts'
import { type Pixels, shrink, type TargetSize } from './formats/pixels.ts'
import { placeholderOf } from './placeholder.ts'
import { firstFrameOf } from './still.ts'

/** A task to make a picture smaller. `fd` is an open descriptor of this process, which all threads share. */
export interface PictureTask {
  fd: number
  /** The size of the file, in bytes. */
  size: number
  frame: TargetSize
  /** The memory class that the thread may use. It is the same for all tasks of a thread. */
  weight: MemoryClass
}

/**
 * The smaller picture as WebP, and its placeholder if it has one; or why it is refused: unsupported, too large, broken, or
 * heavier than `weight`.
 */
export type PictureResult =
  | { webp: Uint8Array; placeholder?: Uint8Array | undefined }
  | { refused: 'unknown' | 'large' | 'broken' | 'heavy' }

/** The bytes that this thread has used outside of WebAssembly so far. Some may not be collected yet. */
let usedBytes = 0

/**
 * Makes a picture smaller. `isSpent` means that the thread must end, because it holds too much memory that it cannot
 * free, or because a codec failed that cannot be restarted.
 */
export async function render(task: PictureTask): Promise<{ result: PictureResult; isSpent: boolean }> {
  const prepared = prepare(task)
  if ('refused' in prepared) return { result: prepared, isSpent: usedBytes > maxKeptBytes }
  const { still, stored } = prepared
  await startCodecs(stored.kind, budgets[task.weight].decoder)
  const spent = (isSpent: boolean) => isSpent || task.weight === 'heavy' || isFull()
  let made: { smaller: Pixels; placeholder: Uint8Array | undefined } | undefined
  try {
    made = await decode(stored.kind, still, (pixels) => ({
      smaller: shrink(pixels, task.frame),
      placeholder: placeholderOf(pixels, stored.orientation),
    }))
  } catch {
    return { result: { refused: 'broken' }, isSpent: spent(!discardDecoder(stored.kind)) }
  }
  if (!made) return { result: { refused: 'broken' }, isSpent: spent(false) }
  const { smaller, placeholder } = made
  const webp = await encode(rotateUpright(smaller, stored.orientation)).catch(() => undefined)
  const result: PictureResult = webp ? { webp, placeholder } : { refused: 'broken' }
  return { result, isSpent: spent(!webp) }
}

function isFull(): boolean {
  return heldBytes() + usedBytes > maxKeptBytes
}

/** Reads the file and its header. Returns a refusal when the picture must not be decoded. */
function prepare({ fd, size, weight }: PictureTask): Refusal | { still: Buffer; stored: Measure } {
  if (size > maxFileBytes) return { refused: 'large' }
  const checkWeight = (weight: MemoryClass | undefined, allowed: MemoryClass): Refusal | undefined => {
    if (!weight) return { refused: 'large' }
    return weight === 'heavy' && allowed === 'light' ? { refused: 'heavy' } : undefined
  }
  // A thread for light pictures does not read a large file at all.
  const asFile = checkWeight(memoryClassOf({ decoderBytes: 0, ownBytes: 0 }, size), weight)
  if (asFile) return asFile
  const file = readAll(fd, size)
  usedBytes += size
  const found = measure(file)
  if (typeof found === 'string') return { refused: found }
  // A frame of an animation has its own size.
  const still = found.kind === 'webp' ? firstFrameOf(file) : file
  const stored = still ? measure(still) : 'broken'
  if (!still || typeof stored === 'string') return { refused: 'broken' }
  const refusal =
    checkWeight(memoryClassOf(found, file.length), weight) ??
    checkWeight(memoryClassOf(stored, still.length), weight)
  if (refusal) return refusal
  usedBytes += stored.ownBytes
  return { still, stored }
}

type Refusal = { refused: 'unknown' | 'large' | 'broken' | 'heavy' }

/** Reads the whole file, or less if it became shorter. */
function readAll(fd: number, size: number): Buffer {
  const file = Buffer.allocUnsafeSlow(size)
  for (let filled = 0; filled < size; ) {
    const length = readSync(fd, file, filled, size - filled, filled)
    if (length === 0) return file.subarray(0, filled) // it was truncated meanwhile
    filled += length
  }
  return file
}
