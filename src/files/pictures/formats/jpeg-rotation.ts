/** A replacement in a file: `removed` bytes from the offset `at` give way to `bytes`. */
export interface Patch {
  at: number
  removed: number
  bytes: Buffer
}

/** Reads up to `length` bytes from the offset `at`: fewer only at the end of the file. */
export type ReadAt = (at: number, length: number) => Promise<Buffer>

/** Degrees to the right. */
export type Turn = 90 | 180 | 270

const exifName = Buffer.from('Exif\0\0', 'latin1')
const orientationTag = 0x0112
const shortType = 3
// The length of a segment counts itself, and has two bytes.
const maxSegment = 0xffff
// More segments than any camera writes. Large profiles and several pictures in one file need about a hundred.
const maxSegments = 2000
const marker = { scan: 0xda, exif: 0xe1, jfif: 0xe0, pictures: 0xe2 }

/** The orientations in the order in which turning to the right goes through them, without and with mirroring. */
const circles = [
  [1, 6, 3, 8],
  [2, 7, 4, 5],
]

/** Returns the Exif orientation of a picture with this orientation that is turned to the right. */
export function turnedOrientation(orientation: number, by: Turn): number {
  const circle = circles.find((one) => one.includes(orientation)) ?? [1, 6, 3, 8]
  return circle[(Math.max(0, circle.indexOf(orientation)) + by / 90) % 4] ?? 1
}

/**
 * Returns the change of a JPEG that turns it without changing its pixels: only the orientation in its Exif segment.
 * Adds what is missing for that. Undefined for a file of another format, and for one that cannot be changed with
 * certainty: with markers or directories that are not as the standards say, or with two Exif segments.
 */
export async function jpegRotation(read: ReadAt, size: number, by: Turn): Promise<Patch | undefined> {
  const found = await findSegments(read, size)
  if (!found) return undefined
  const { exif, start, picturesAt } = found
  const patch = exif ? await changeExif(read, exif, by) : newSegment(start, by)
  const grows = patch !== undefined && patch.bytes.length > patch.removed
  // The offsets of further pictures count from their index. Nothing may be added behind it.
  return grows && picturesAt < patch.at ? undefined : patch
}

/** A segment: the offset of its marker, and the length of the whole segment with its marker. */
interface Segment {
  at: number
  length: number
}

/** The start of a segment, and its marker. */
interface SegmentStart extends Segment {
  code: number
  head: Buffer
}

interface Found {
  exif: Segment | undefined
  /** Where a new segment goes: behind the JFIF segment, which must be the first one. */
  start: number
  /** The offset of the index of further pictures in the file; infinite if there is none. */
  picturesAt: number
}

/** Goes through the segments before the first scan. Undefined if one of them is not as it must be. */
async function findSegments(read: ReadAt, size: number): Promise<Found | undefined> {
  if ((await read(0, 2)).toString('hex') !== 'ffd8') return undefined
  const found: Found = { exif: undefined, start: 2, picturesAt: Number.POSITIVE_INFINITY }
  let hasFrame = false
  for (let at = 2, count = 0; count < maxSegments; count++) {
    const segment = await readSegment(read, at, size)
    if (!segment) return undefined
    if (segment.code === marker.scan) return hasFrame ? found : undefined
    if (!note(found, segment)) return undefined
    hasFrame ||= isFrame(segment.code)
    at += segment.length
  }
  return undefined
}

/** The segment at this offset. Undefined if there is none before the end of the file. */
async function readSegment(read: ReadAt, at: number, size: number): Promise<SegmentStart | undefined> {
  const head = await read(at, 10)
  if (head.length < 10 || head[0] !== 0xff) return undefined
  const [code, length] = [head.readUInt8(1), 2 + head.readUInt16BE(2)]
  return length < 4 || at + length > size || !hasLength(code) ? undefined : { at, length, code, head }
}

/** Notes where the segments are that matter. Returns false for a second Exif segment. */
function note(found: Found, { at, length, code, head }: SegmentStart): boolean {
  if (code === marker.jfif && at === 2) found.start = at + length
  if (code === marker.pictures && head.toString('latin1', 4, 8) === 'MPF\0') found.picturesAt = at
  if (code !== marker.exif || !head.subarray(4, 10).equals(exifName)) return true
  if (found.exif) return false
  found.exif = { at, length }
  return true
}

/** ITU-T T.81 table B.1: the frames are C0 to CF without DHT, JPG and DAC. */
const isFrame = (code: number) => code >= 0xc0 && code <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(code)

/** Whether a segment with a length follows this marker before the first scan. */
const hasLength = (code: number) =>
  (code >= 0xc0 && code <= 0xcf) || (code >= 0xda && code <= 0xef) || code === 0xfe

/** The new orientation in an existing Exif segment. */
async function changeExif(read: ReadAt, { at, length }: Segment, by: Turn): Promise<Patch | undefined> {
  const tiffAt = at + 4 + exifName.length
  const tiff = await read(tiffAt, length - 4 - exifName.length)
  const directory = directoryOf(tiff)
  if (!directory) return undefined
  const { isLittle, first, count } = directory
  const tags = Array.from({ length: count }, (_, n) => short(tiff, first + 2 + n * 12, isLittle))
  const index = tags.indexOf(orientationTag)
  if (index < 0) return addEntry(tiff, { at, directory, tags, by })
  const entry = first + 2 + index * 12
  const isShort = short(tiff, entry + 2, isLittle) === shortType && long(tiff, entry + 4, isLittle) === 1
  if (!isShort || tags.lastIndexOf(orientationTag) !== index) return undefined
  const orientation = turnedOrientation(short(tiff, entry + 8, isLittle), by)
  return { at: tiffAt + entry + 8, removed: 2, bytes: shortBytes(orientation, isLittle) }
}

interface Directory {
  isLittle: boolean
  /** The offset of the directory in the TIFF data, and the number of its entries. */
  first: number
  count: number
}

/** The first directory of TIFF data. Undefined if it is not whole. */
function directoryOf(tiff: Buffer): Directory | undefined {
  const head = tiff.toString('latin1', 0, 4)
  const isLittle = head === 'II*\0'
  if (tiff.length < 8 || !(isLittle || head === 'MM\0*')) return undefined
  const first = long(tiff, 4, isLittle)
  if (first < 8 || first + 2 > tiff.length) return undefined
  const count = short(tiff, first, isLittle)
  return first + 2 + count * 12 + 4 > tiff.length ? undefined : { isLittle, first, count }
}

/**
 * Adds the orientation to a directory that has none: a copy of the directory with it goes to the end of the segment,
 * and the header points there. So nothing else in the segment moves, such as the notes of the camera.
 */
function addEntry(
  tiff: Buffer,
  { at, directory, tags, by }: { at: number; directory: Directory; tags: number[]; by: Turn },
): Patch | undefined {
  const { isLittle, first, count } = directory
  // TIFF 6.0: entries are in the order of their tags, and a directory starts at an even offset.
  const after = tags.findIndex((tag) => tag > orientationTag)
  const place = first + 2 + (after < 0 ? count : after) * 12
  const copyAt = tiff.length + (tiff.length % 2)
  const entry = Buffer.concat([
    shortBytes(orientationTag, isLittle),
    shortBytes(shortType, isLittle),
    longBytes(1, isLittle),
    shortBytes(turnedOrientation(1, by), isLittle),
    Buffer.alloc(2),
  ])
  const changed = Buffer.concat([
    tiff.subarray(0, 4),
    longBytes(copyAt, isLittle),
    tiff.subarray(8),
    Buffer.alloc(tiff.length % 2),
    shortBytes(count + 1, isLittle),
    tiff.subarray(first + 2, place),
    entry,
    tiff.subarray(place, first + 2 + count * 12 + 4),
  ])
  const length = 2 + exifName.length + changed.length
  if (length > maxSegment) return undefined
  const bytes = Buffer.concat([shortBytes(length, false), exifName, changed])
  return { at: at + 2, removed: 2 + exifName.length + tiff.length, bytes }
}

/** A segment with nothing but the orientation. */
function newSegment(at: number, by: Turn): Patch {
  const tiff = Buffer.from('4d4d002a00000008' + '0001' + '011200030000000100000000' + '00000000', 'hex')
  tiff.writeUInt16BE(turnedOrientation(1, by), 18)
  const head = Buffer.from([0xff, marker.exif, 0, 2 + exifName.length + tiff.length])
  return { at, removed: 0, bytes: Buffer.concat([head, exifName, tiff]) }
}

function short(bytes: Buffer, at: number, isLittle: boolean): number {
  return isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
}

function long(bytes: Buffer, at: number, isLittle: boolean): number {
  return isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
}

function shortBytes(value: number, isLittle: boolean): Buffer {
  return Buffer.from(isLittle ? [value & 0xff, value >> 8] : [value >> 8, value & 0xff])
}

function longBytes(value: number, isLittle: boolean): Buffer {
  const bytes = Buffer.alloc(4)
  if (isLittle) bytes.writeUInt32LE(value)
  else bytes.writeUInt32BE(value)
  return bytes
}
