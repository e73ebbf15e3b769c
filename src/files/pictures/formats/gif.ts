import { decompressLzw } from './gif-lzw.ts'
import type { Pixels } from './pixels.ts'

// GIF89a §17 to §24: signature and screen, then blocks, each with an introducer. Only the first frame is read,
// because a file of a few megabytes can have millions of frames.
const screenEnd = 13
const extension = 0x21
const graphicControl = 0xf9
const image = 0x2c
const imageHead = 10

interface Frame {
  left: number
  top: number
  width: number
  height: number
  isInterlaced: boolean
  /** The offset of its palette, with three bytes per colour. Undefined when the file has none. */
  palette: number | undefined
  /** The index of the transparent colour. */
  transparent: number | undefined
  /** The offset of its data. */
  data: number
}

/** Returns the sizes of a GIF: the screen, which is shown, and the first frame, which may be larger. */
export function gifSizes(bytes: Buffer) {
  const frame = firstFrame(bytes)
  return { ...screenOf(bytes), framePixels: frame.width * frame.height }
}

/** Decodes the first frame of a GIF, as far as there are data. @throws RangeError when its header is incomplete. */
export function decodeGif(bytes: Buffer): Pixels {
  const screen = screenOf(bytes)
  const frame = firstFrame(bytes)
  const indices = new Uint8Array(frame.width * frame.height)
  const count = decompressLzw(bytes, frame.data, indices)
  const pixels = new Uint32Array(screen.width * screen.height)
  const colours = coloursOf(bytes, frame)
  const lines = lineOrder(frame)
  // Pixels outside of the screen are not shown.
  const shown = Math.max(0, Math.min(frame.width, screen.width - frame.left))
  for (let n = 0; n * frame.width < count; n++) {
    const y = frame.top + (lines[n] as number)
    const from = n * frame.width
    const end = Math.min(count, from + shown)
    let to = y * screen.width + frame.left
    if (y < screen.height)
      for (let at = from; at < end; at++) pixels[to++] = colours[indices[at] as number] as number
  }
  return { ...screen, data: new Uint8ClampedArray(pixels.buffer) }
}

/** Returns the 256 colours of a frame, four bytes each. Missing colours are black, the transparent one is all zeros. */
function coloursOf(bytes: Buffer, { palette, transparent }: Frame): Uint32Array {
  const colours = new Uint8Array(256 * 4)
  for (let n = 0; n < 256; n++) {
    if (n === transparent) continue
    const at = palette === undefined ? bytes.length : palette + n * 3
    colours.set([bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, 255], n * 4)
  }
  return new Uint32Array(colours.buffer)
}

function screenOf(bytes: Buffer) {
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

function firstFrame(bytes: Buffer): Frame {
  const fields = bytes.readUInt8(10)
  let transparent: number | undefined
  for (let at = screenEnd + paletteBytes(fields); ; ) {
    const kind = bytes.readUInt8(at)
    if (kind === image) return frameAt(bytes, at, { transparent, fields })
    if (kind !== extension) throw new RangeError('the GIF has no frame')
    // The block: its length, 4; flags, with bit 0 for a transparent colour; the delay; the index of that colour.
    if (bytes.readUInt8(at + 1) === graphicControl)
      transparent = bytes.readUInt8(at + 3) & 1 ? bytes.readUInt8(at + 6) : undefined
    at = endOfBlocks(bytes, at + 2)
  }
}

function frameAt(
  bytes: Buffer,
  at: number,
  { transparent, fields }: { transparent: number | undefined; fields: number },
): Frame {
  const own = bytes.readUInt8(at + 9)
  const [ownPalette, common] = [at + imageHead, fields & 0x80 ? screenEnd : undefined]
  return {
    left: bytes.readUInt16LE(at + 1),
    top: bytes.readUInt16LE(at + 3),
    width: bytes.readUInt16LE(at + 5),
    height: bytes.readUInt16LE(at + 7),
    isInterlaced: (own & 0x40) !== 0,
    palette: own & 0x80 ? ownPalette : common,
    transparent,
    data: ownPalette + paletteBytes(own),
  }
}

/** Returns the length of the palette according to the packed fields, in bytes. */
function paletteBytes(fields: number): number {
  return fields & 0x80 ? 3 * 2 ** ((fields & 7) + 1) : 0
}

/** Returns the end of a series of sub-blocks. Each starts with its length, and one with length 0 ends the series. */
function endOfBlocks(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    const length = bytes.readUInt8(at)
    at += 1 + length
    if (length === 0) return at
  }
}

/** Returns the line of the frame for each stored line. Interlaced lines are stored in four passes (appendix E). */
function lineOrder({ height, isInterlaced }: Frame): Int32Array {
  const order = new Int32Array(height)
  const passes = isInterlaced
    ? ([
        [0, 8],
        [4, 8],
        [2, 4],
        [1, 2],
      ] as const)
    : ([[0, 1]] as const)
  let n = 0
  for (const [first, step] of passes) for (let y = first; y < height; y += step) order[n++] = y
  return order
}
