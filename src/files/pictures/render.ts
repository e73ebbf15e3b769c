import { readSync } from 'node:fs'
import { decode, encode } from './codecs.ts'
import { type Measure, measure } from './measure.ts'
import { upright } from './orientation.ts'
import { type Frame, type Pixels, shrink } from './pixels.ts'
import { stillOf } from './still.ts'

/** A picture to make smaller: an open descriptor of this process, which threads share. */
export interface PictureTask {
  fd: number
  /** Bytes of the file. */
  size: number
  frame: Frame
  /** Whether it may be one that takes a lot of memory: no two of those are decoded at once. */
  mayBeHeavy: boolean
}

/** The smaller picture as WebP, or why there is none: it is no picture, too large, broken, or heavy and not expected to be. */
export type PictureResult = { webp: Uint8Array } | { refused: 'unknown' | 'large' | 'broken' | 'heavy' }

/** A file of more bytes is not read. */
export const mostBytes = 128 * 1024 * 1024
// Decoded, a pixel takes four bytes twice. What telephones make is below; a crafted file of a few bytes can claim
// four thousand million.
const mostPixels = 100_000_000
/** From so many pixels on a picture is heavy: a quarter of a gigabyte. */
const heavyPixels = 26_000_000

/** Makes a picture smaller. `isSpent` tells that the thread should end: it holds memory that it cannot give back. */
export async function render(task: PictureTask): Promise<{ result: PictureResult; isSpent: boolean }> {
  const { fd, size, frame, mayBeHeavy } = task
  if (size > mostBytes) return refuse('large')
  const file = readAll(fd, size)
  const found = measure(file)
  if (!found) return refuse('unknown')
  const still = found.kind === 'webp' ? stillOf(file) : file
  // An animation's frame has a size of its own.
  const stored = still && measure(still)
  if (!still || !stored) return refuse('broken')
  const pixels = Math.max(found.width * found.height, stored.width * stored.height)
  if (pixels > mostPixels) return refuse('large')
  if (pixels > heavyPixels && !mayBeHeavy) return refuse('heavy')
  try {
    const webp = await picture(still, stored, frame)
    return webp ? { result: { webp }, isSpent: pixels > heavyPixels } : refuse('broken')
  } catch {
    // Whatever stopped the decoder, its memory is in no state to trust.
    return { result: { refused: 'broken' }, isSpent: true }
  }
}

function refuse(refused: 'unknown' | 'large' | 'broken' | 'heavy') {
  return { result: { refused }, isSpent: false }
}

async function picture(bytes: Buffer, stored: Measure, frame: Frame): Promise<Uint8Array | undefined> {
  const decoded: Pixels | undefined = await decode(stored.kind, bytes)
  if (!decoded) return undefined
  return encode(upright(shrink(decoded, frame), stored.orientation))
}

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
