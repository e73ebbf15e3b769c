import { orientationOf } from './orientation.ts'

/** A kind of picture that can be made smaller, told by its first bytes and never by its name. */
export type PictureKind = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'bmp'

/** What a picture says of itself before anything of it is decoded. */
export interface Measure {
  kind: PictureKind
  /** Pixels, as they are stored. */
  width: number
  height: number
  /** How the stored pixels are to be turned, 1 to 8 (Exif 2.32, tag 0x0112); 1 means not at all. */
  orientation: number
}

type Reader = (bytes: Buffer) => Omit<Measure, 'kind'> | undefined

const readers: [PictureKind, (bytes: Buffer) => boolean, Reader][] = [
  ['jpeg', (bytes) => bytes.readUInt16BE(0) === 0xffd8, jpeg],
  ['png', (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n', png],
  ['gif', (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)), gif],
  ['webp', (bytes) => /^RIFF.{4}WEBPVP8[ LX]$/s.test(bytes.toString('latin1', 0, 16)), webp],
  ['avif', (bytes) => /^ftypavi[fs]$/.test(bytes.toString('latin1', 4, 12)), avif],
  ['bmp', (bytes) => bytes.toString('latin1', 0, 2) === 'BM', bmp],
]

// Shorter than this, no picture of any kind has its size in it.
const shortest = 26

/** Reads kind, size and orientation of a picture; undefined when the bytes are none that we know, or cut off. */
export function measure(bytes: Buffer): Measure | undefined {
  if (bytes.length < shortest) return undefined
  for (const [kind, isOne, read] of readers) {
    if (!isOne(bytes)) continue
    const found = read(bytes)
    return found && found.width > 0 && found.height > 0 ? { kind, ...found } : undefined
  }
  return undefined
}

/** ITU-T T.81 annex B: segments until the frame header, which alone has the size. */
function jpeg(bytes: Buffer): Omit<Measure, 'kind'> | undefined {
  let orientation = 1
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes.readUInt8(at + 1)
    if (marker === 0xff) {
      at++ // any number of fill bytes may precede a marker
      continue
    }
    const length = bytes.readUInt16BE(at + 2)
    if (isFrame(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5), orientation }
    }
    if (marker === 0xe1 && orientation === 1) {
      orientation = orientationOf(bytes.subarray(at + 4, at + 2 + length))
    }
    at += 2 + Math.max(2, length)
  }
  return undefined
}

/** SOF0 to SOF15, without the three numbers among them that mean something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function png(bytes: Buffer) {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), orientation: 1 }
}

function gif(bytes: Buffer) {
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), orientation: 1 }
}

/** RFC 9649 §2: the size lies in the first chunk, differently for each of its three kinds. */
function webp(bytes: Buffer) {
  const kind = bytes.toString('latin1', 12, 16)
  if (bytes.length < 30) return undefined
  if (kind === 'VP8X')
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1, orientation: 1 }
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, orientation: 1 }
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff, orientation: 1 }
}

// Where the boxes that tell of an AVIF picture lie: before its data, in all that cameras and programs write.
const avifHead = 64 * 1024

/** ISO/IEC 23008-12 §6.5.3: the largest of all `ispe` boxes, for a picture may be a grid of others. */
function avif(bytes: Buffer) {
  const head = bytes.subarray(0, avifHead)
  const size = { width: 0, height: 0, orientation: 1 }
  for (let at = head.indexOf('ispe'); at >= 0 && at + 16 <= head.length; at = head.indexOf('ispe', at + 4)) {
    size.width = Math.max(size.width, head.readUInt32BE(at + 8))
    size.height = Math.max(size.height, head.readUInt32BE(at + 12))
  }
  return size
}

/** The height of a bitmap is negative when its first line is the top one. */
function bmp(bytes: Buffer) {
  if (bytes.readUInt32LE(14) < 40) return undefined
  return { width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)), orientation: 1 }
}
