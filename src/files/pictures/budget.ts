import type { Size } from '#src/files/pictures/formats/pixels.ts'

const mebibyte = 1024 * 1024

/** How much memory a picture may take. Two light ones are made at once, and a heavy one alone, in a thread of its own. */
export type Weight = 'light' | 'heavy'

interface Budget {
  /** The maximum of a decoder's WebAssembly memory: the file, what it becomes, and the decoder's own tables. */
  decoder: number
  /** What we take outside of it: the file, and pixels that plain code decodes. */
  own: number
}

/**
 * All pictures together take at most about 1.1 GiB: two light ones each `light`, the encoder and `mostKept`, or one heavy
 * picture, the encoder and twice `mostKept`.
 */
export const budgets: Readonly<Record<Weight, Budget>> = {
  light: { decoder: 208 * mebibyte, own: 96 * mebibyte },
  heavy: { decoder: 512 * mebibyte, own: 192 * mebibyte },
}

/**
 * A thread that holds more than this of WebAssembly memory, which never becomes smaller, and has used more outside of it,
 * which is given back at some time, is ended after its picture.
 */
export const mostKept = 160 * mebibyte

/** A file of more bytes is not read. */
export const mostBytes = 128 * mebibyte

/**
 * The most processor time that a thread spends on a file of `fileBytes`, in milliseconds. A small file gets 1.5 s, whatever
 * it claims to be. An honest photo of many bytes takes longer on a slow processor, so each MiB gives 0.25 s more, up to 8 s.
 */
export function processorMsOf(fileBytes: number): number {
  return Math.min(8000, 1500 + Math.floor(fileBytes / mebibyte) * 250)
}

// What a decoder has before it is given anything.
const decoderBase = 20 * mebibyte

/** How heavy a picture is of which the header says `size`; undefined when it is too large for us. */
export function weightOf(
  size: Pick<Size, 'decoderBytes' | 'ownBytes'>,
  fileBytes: number,
): Weight | undefined {
  const decoder = decoderBase + fileBytes + size.decoderBytes
  const own = fileBytes + size.ownBytes
  const weights: readonly Weight[] = ['light', 'heavy']
  return weights.find((weight) => decoder <= budgets[weight].decoder && own <= budgets[weight].own)
}
