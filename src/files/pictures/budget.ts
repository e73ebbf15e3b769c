import type { PictureHeader } from '#src/files/pictures/formats/pixels.ts'

const mebibyte = 1024 * 1024

/**
 * The memory class of a picture. Two light pictures are processed in parallel. A heavy one is processed alone, in its
 * own thread.
 */
export type MemoryClass = 'light' | 'heavy'

interface Budget {
  /** The maximum WebAssembly memory of a decoder, in bytes: the file, the decoded pixels and the decoder's tables. */
  decoder: number
  /** The maximum memory outside of it, in bytes: the file, and the pixels that JavaScript decodes. */
  own: number
}

/**
 * All pictures together take at most about 1.1 GiB: either two light ones, each with `light`, the encoder and
 * `mostKept`, or one heavy picture, the encoder and twice `mostKept`.
 */
export const budgets: Readonly<Record<MemoryClass, Budget>> = {
  light: { decoder: 208 * mebibyte, own: 96 * mebibyte },
  heavy: { decoder: 512 * mebibyte, own: 192 * mebibyte },
}

/**
 * The limit of the memory that a thread keeps, in bytes: WebAssembly memory, which never shrinks, plus memory used
 * outside of it, which is collected later. A thread above the limit ends after its picture.
 */
export const maxKeptBytes = 160 * mebibyte

/** The maximum size of a file, in bytes. Larger files are not read. */
export const maxFileBytes = 128 * mebibyte

/**
 * Returns the maximum processor time of a thread for a file of `fileBytes`, in milliseconds. A small file gets 1.5 s,
 * for any size in its header. A large photo takes longer on a slow processor, so each MiB adds 0.25 s, up to 8 s.
 */
export function maxProcessorMs(fileBytes: number): number {
  return Math.min(8000, 1500 + Math.floor(fileBytes / mebibyte) * 250)
}

// The memory of a decoder before it reads a file.
const decoderBase = 20 * mebibyte

/** Returns the memory class of a picture with this size in its header. Undefined when it is too large. */
export function memoryClassOf(
  size: Pick<PictureHeader, 'decoderBytes' | 'ownBytes'>,
  fileBytes: number,
): MemoryClass | undefined {
  const decoder = decoderBase + fileBytes + size.decoderBytes
  const own = fileBytes + size.ownBytes
  const weights: readonly MemoryClass[] = ['light', 'heavy']
  return weights.find((weight) => decoder <= budgets[weight].decoder && own <= budgets[weight].own)
}
