import type { Pixels } from './pixels.ts'

const exif = Buffer.from('Exif\0\0', 'latin1')
const orientationTag = 0x0112

/** Reads the orientation from the Exif segment of a JPEG, 1 to 8. Returns 1 when it is missing or invalid. */
export function orientationOf(segment: Buffer): number {
  if (segment.length < 14 || !segment.subarray(0, exif.length).equals(exif)) return 1
  const tiff = segment.subarray(exif.length)
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const long = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  const first = long(4)
  if (first + 2 > tiff.length) return 1
  const entries = Math.min(short(first), Math.floor((tiff.length - first - 2) / 12))
  for (let n = 0; n < entries; n++) {
    const entry = first + 2 + n * 12
    if (short(entry) !== orientationTag) continue
    const value = short(entry + 8)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** Rotates and mirrors the stored pixels according to `orientation`, so that the picture is upright. */
export function rotateUpright(picture: Pixels, orientation: number): Pixels {
  if (orientation === 1) return picture
  const { width, height, data } = picture
  const isRotated = orientation >= 5
  const [w, h] = isRotated ? [height, width] : [width, height]
  const from = new Uint32Array(data.buffer, data.byteOffset, width * height)
  const to = new Uint32Array(w * h)
  // The order of the stored columns and lines: reversed if mirrored.
  const columns = order(width, mirrorsColumns.has(orientation))
  const lines = order(height, mirrorsLines.has(orientation))
  for (let at = 0; at < to.length; at++) {
    const [x, y] = [at % w, Math.floor(at / w)]
    const column = columns[isRotated ? y : x] ?? 0
    const line = lines[isRotated ? x : y] ?? 0
    to[at] = from[line * width + column] ?? 0
  }
  return { width: w, height: h, data: new Uint8ClampedArray(to.buffer) }
}

const mirrorsColumns: ReadonlySet<number> = new Set([2, 3, 7, 8])
const mirrorsLines: ReadonlySet<number> = new Set([3, 4, 6, 7])

function order(count: number, isMirrored: boolean): number[] {
  return Array.from({ length: count }, (_, n) => (isMirrored ? count - 1 - n : n))
}
