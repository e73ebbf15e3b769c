import { crc32 } from 'node:zlib'
import { avifSize } from './avif-size.ts'
import { gifSizes } from './gif.ts'
import { jpegSize } from './jpeg-size.ts'
import type { PictureHeader } from './pixels.ts'

/** A picture format that can be made smaller. It is detected from the first bytes, never from the name. */
export type PictureKind = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'bmp'

export interface Measure extends PictureHeader {
  kind: PictureKind
}

const readers: [PictureKind, (bytes: Buffer) => boolean, (bytes: Buffer) => PictureHeader | undefined][] = [
  ['jpeg', (bytes) => bytes.readUInt16BE(0) === 0xffd8, jpegSize],
  ['png', (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n', png],
  ['gif', (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)), gif],
  ['webp', (bytes) => /^RIFF.{4}WEBPVP8[ LX]$/s.test(bytes.toString('latin1', 0, 16)), webp],
  ['avif', (bytes) => /^ftypavi[fs]$/.test(bytes.toString('latin1', 4, 12)), avifSize],
  ['bmp', (bytes) => bytes.toString('latin1', 0, 2) === 'BM', bmp],
]

// In a shorter file, no format has its size.
const shortest = 26

/**
 * Reads the kind, size and orientation of a picture, and how much memory its decoder needs. The memory depends on
 * components, colour type and scans, which `image-size` does not return. Returns `unknown` for an unsupported format,
 * and `broken` when the header is incomplete or has no size. The size decides which memory limit the decoder gets. Only
 * that limit is enforced, so a wrong size in the header is not dangerous.
 */
export function measure(bytes: Buffer): Measure | 'unknown' | 'broken' {
  const one = bytes.length < shortest ? undefined : readers.find(([, isOne]) => isOne(bytes))
  if (!one) return 'unknown'
  const [kind, , read] = one
  const found = attempt(() => read(bytes))
  return found && found.width > 0 && found.height > 0 ? { kind, ...found } : 'broken'
}

/**
 * Reads the size from the start of a picture, without checking the rest. For formats whose size is in the first bytes:
 * PNG, GIF, WebP and BMP. Undefined for others, and when there is no size.
 */
export function sizeAtStart(start: Buffer): { width: number; height: number } | undefined {
  const one = start.length < shortest ? undefined : readers.find(([, isOne]) => isOne(start))
  const size = one && attempt(() => startReaders[one[0]]?.(start))
  return size && size.width > 0 && size.height > 0 ? { width: size.width, height: size.height } : undefined
}

const startReaders: Partial<Record<PictureKind, (start: Buffer) => Size | undefined>> = {
  png: (start) => ({ width: start.readUInt32BE(16), height: start.readUInt32BE(20) }),
  gif: (start) => ({ width: start.readUInt16LE(6), height: start.readUInt16LE(8) }),
  webp,
  bmp,
}

type Size = Pick<PictureHeader, 'width' | 'height'>

/** Returns undefined when the header points beyond the end of the file. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined // reading beyond the end of a buffer throws
  }
}

/**
 * Returns the size of a PNG. The decoder takes 4 to 9.3 bytes per pixel, depending on the colour type, and its result
 * is copied once. Chunks with a wrong checksum are refused here, because a failure of the decoder would end the
 * thread.
 */
function png(bytes: Buffer): PictureHeader | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR' || !hasWholeChunks(bytes)) return undefined
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const pixels = width * height
  return { width, height, orientation: 1, decoderBytes: pixels * 9.4, ownBytes: pixels * 4 }
}

/** Whether all chunks up to the end of the image data have correct checksums (PNG, third edition, §5.3). */
function hasWholeChunks(bytes: Buffer): boolean {
  for (let at = 8, before = ''; ; ) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (before === 'IDAT' && type !== 'IDAT') return true
    const length = bytes.readUInt32BE(at)
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== bytes.readUInt32BE(at + 8 + length)) return false
    before = type
    at += 12 + length
  }
}

/** Returns the size of a GIF. It takes four bytes per pixel of the screen, and one per pixel of the frame. */
function gif(bytes: Buffer): PictureHeader {
  const { width, height, framePixels } = gifSizes(bytes)
  return { width, height, orientation: 1, decoderBytes: 0, ownBytes: width * height * 4 + framePixels }
}

// The bytes that libwebp takes per pixel: lossy, lossy with opacity, and lossless.
const webpBytes = { plain: 5.3, translucent: 8, lossless: 11 }

/** Returns the size of a WebP. It is in the first chunk, in a different form for each of three types (RFC 9649 §2). */
function webp(bytes: Buffer): PictureHeader {
  const kind = bytes.toString('latin1', 12, 16)
  const sized = (width: number, height: number, perPixel: number) => {
    return { width, height, orientation: 1, decoderBytes: width * height * perPixel, ownBytes: 0 }
  }
  if (kind === 'VP8X') {
    const perPixel = hasChunk(bytes, 'VP8L') ? webpBytes.lossless : webpBytes.translucent
    return sized(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1, perPixel)
  }
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21)
    return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1, webpBytes.lossless)
  }
  return sized(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff, webpBytes.plain)
}

function hasChunk(bytes: Buffer, name: string): boolean {
  for (let at = 12; at + 8 <= bytes.length; ) {
    if (bytes.toString('latin1', at, at + 4) === name) return true
    const length = bytes.readUInt32LE(at + 4)
    at += 8 + length + (length % 2)
  }
  return false
}

/** Returns the size of a bitmap. Its height is negative when the first line is the top one. */
function bmp(bytes: Buffer): PictureHeader | undefined {
  if (bytes.readUInt32LE(14) < 40) return undefined
  const [width, height] = [bytes.readInt32LE(18), Math.abs(bytes.readInt32LE(22))]
  return { width, height, orientation: 1, decoderBytes: 0, ownBytes: width * height * 4 }
}
