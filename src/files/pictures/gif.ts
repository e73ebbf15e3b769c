import { GifReader } from 'omggif'
import type { Pixels } from './pixels.ts'

// GIF89a §17 to §20: signature and screen, then blocks, each with its own introducer.
const screenEnd = 13
const extension = 0x21
const image = 0x2c
const imageHead = 10

/**
 * A reader of the first frame only. The package walks all frames before it decodes one, and a file of some megabytes can
 * have millions of them.
 *
 * @throws Error when there is no whole frame.
 */
function firstFrame(bytes: Buffer) {
  const reader = new GifReader(bytes.subarray(0, endOfFirst(bytes)))
  return { reader, frame: reader.frameInfo(0) }
}

/** Where the first frame's data ends. */
function endOfFirst(bytes: Buffer): number {
  for (let at = screenEnd + paletteBytes(bytes.readUInt8(10)); ; ) {
    const kind = bytes.readUInt8(at)
    if (kind === extension) at = endOfBlocks(bytes, at + 2)
    else if (kind !== image) throw new Error('the GIF has no frame')
    // The data begins with the size of its first codes, one byte.
    else return endOfBlocks(bytes, at + imageHead + paletteBytes(bytes.readUInt8(at + 9)) + 1)
  }
}

/** The length of the palette that packed fields announce. */
function paletteBytes(fields: number): number {
  return fields & 0x80 ? 3 * 2 ** ((fields & 7) + 1) : 0
}

/** Sub-blocks begin with their length; one of none ends them. */
function endOfBlocks(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    const length = bytes.readUInt8(at)
    at += 1 + length
    if (length === 0) return at
  }
}

/** The sizes that the decoder itself reads: the screen, which is shown, and the first frame, which may be larger. */
export function gifSizes(bytes: Buffer) {
  const { reader, frame } = firstFrame(bytes)
  return { width: reader.width, height: reader.height, framePixels: frame.width * frame.height }
}

/** Decodes the first frame of a GIF. @throws Error when it is broken. */
export function decodeGif(bytes: Buffer): Pixels {
  const { reader } = firstFrame(bytes)
  const { width, height } = reader
  const data = new Uint8ClampedArray(width * height * 4)
  reader.decodeAndBlitFrameRGBA(0, data)
  return { width, height, data }
}
