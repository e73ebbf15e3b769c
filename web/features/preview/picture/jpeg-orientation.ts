/** What a quarter turn to the right makes of each orientation (Exif 2.32, tag 0x0112), from 1 to 8. */
const turnedRight = [0, 6, 7, 8, 5, 2, 3, 4, 1]

const app0 = 0xe0
const app1 = 0xe1
const startOfScan = 0xda
const orientationTag = 0x0112
/** The length field of a segment has two bytes. */
const maxSegment = 0xffff

/** The bytes from `from` to `to` of a file are replaced by `bytes`. */
export interface Patch {
  from: number
  to: number
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * How a JPEG is turned to the right by quarters without a change of its pixels: by its Exif orientation. `head` is the beginning
 * of the file, with all segments before the picture. Undefined if it is not a JPEG, or if its Exif data is damaged or full.
 */
export function turnJpeg(head: Uint8Array, quarters: number): Patch | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  if (head.length < 4 || view.getUint16(0) !== 0xffd8) return undefined
  // Where a new segment goes: after JFIF, which must be the first one.
  let start = 2
  for (const { marker, at, end } of segmentsOf(view)) {
    if (end > head.length) return undefined
    if (marker === app0 && at === start) start = end
    if (marker === app1 && isExif(head, at)) return turnExif(head.subarray(at, end), at, quarters)
  }
  return { from: start, to: start, bytes: newSegment(turned(1, quarters)) }
}

/** The segments before the picture. The last one may end after the bytes of `view`. */
function* segmentsOf(view: DataView): Generator<{ marker: number; at: number; end: number }> {
  let at = 2
  while (at + 4 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    const end = at + 2 + view.getUint16(at + 2)
    if (marker === startOfScan) return
    yield { marker, at, end }
    at = end
  }
}

function turned(orientation: number, quarters: number): number {
  let now = orientation >= 1 && orientation <= 8 ? orientation : 1
  for (let n = ((quarters % 4) + 4) % 4; n > 0; n--) now = turnedRight[now] ?? 1
  return now
}

function isExif(head: Uint8Array, at: number): boolean {
  return [0x45, 0x78, 0x69, 0x66, 0, 0].every((byte, n) => head[at + 4 + n] === byte)
}

/** Changes the orientation in an Exif segment, which starts at `at` of the file, or adds it to the segment. */
function turnExif(segment: Uint8Array, at: number, quarters: number): Patch | undefined {
  // After the marker, the length and `Exif\0\0`.
  const tiffAt = 10
  if (segment.length < tiffAt + 14) return undefined
  const tiff = new DataView(segment.buffer, segment.byteOffset + tiffAt, segment.length - tiffAt)
  const order = tiff.getUint16(0)
  if (order !== 0x4949 && order !== 0x4d4d) return undefined
  const isLittle = order === 0x4949
  const first = tiff.getUint32(4, isLittle)
  if (first + 2 > tiff.byteLength) return undefined
  const count = tiff.getUint16(first, isLittle)
  if (first + 2 + count * 12 + 4 > tiff.byteLength) return undefined
  for (let n = 0; n < count; n++) {
    const entry = first + 2 + n * 12
    if (tiff.getUint16(entry, isLittle) !== orientationTag) continue
    const value = turned(tiff.getUint16(entry + 8, isLittle), quarters)
    const from = at + tiffAt + entry + 8
    const bytes = new Uint8Array(2)
    new DataView(bytes.buffer).setUint16(0, value, isLittle)
    return { from, to: from + 2, bytes }
  }
  return addEntry(segment, { at, tiffAt, first, count, isLittle, value: turned(1, quarters) })
}

interface Place {
  at: number
  tiffAt: number
  /** Where the directory is in the TIFF data, and the number of its entries. */
  first: number
  count: number
  isLittle: boolean
  value: number
}

/**
 * Adds the orientation to a directory without one: a copy of the directory with the new entry goes to the end of the segment. All
 * other data stays at its place, to which offsets refer.
 */
function addEntry(segment: Uint8Array, place: Place): Patch | undefined {
  const { at, tiffAt, first, count, isLittle, value } = place
  // Directories begin at even offsets (TIFF 6.0, section 2).
  const padding = (segment.length - tiffAt) % 2
  const room = padding + 2 + (count + 1) * 12 + 4
  if (segment.length - 2 + room > maxSegment) return undefined
  const bytes = new Uint8Array(segment.length + room)
  bytes.set(segment)
  const view = new DataView(bytes.buffer)
  view.setUint16(2, bytes.length - 2)
  const directory = segment.length + padding
  view.setUint32(tiffAt + 4, directory - tiffAt, isLittle)
  view.setUint16(directory, count + 1, isLittle)
  const entries = Array.from({ length: count }, (_, n): Uint8Array => {
    const from = tiffAt + first + 2 + n * 12
    return segment.slice(from, from + 12)
  })
  entries.push(newEntry(value, isLittle))
  const tagOf = (entry: Uint8Array) => new DataView(entry.buffer, entry.byteOffset).getUint16(0, isLittle)
  // Entries are in the order of their tags.
  for (const [n, entry] of entries.toSorted((a, b) => tagOf(a) - tagOf(b)).entries())
    bytes.set(entry, directory + 2 + n * 12)
  const next = tiffAt + first + 2 + count * 12
  bytes.set(segment.subarray(next, next + 4), directory + 2 + (count + 1) * 12)
  return { from: at, to: at + segment.length, bytes }
}

function newEntry(value: number, isLittle: boolean): Uint8Array {
  const entry = new Uint8Array(12)
  const view = new DataView(entry.buffer)
  view.setUint16(0, orientationTag, isLittle)
  // One value of 16 bits.
  view.setUint16(2, 3, isLittle)
  view.setUint32(4, 1, isLittle)
  view.setUint16(8, value, isLittle)
  return entry
}

/** An Exif segment with nothing but the orientation. */
function newSegment(value: number): Uint8Array<ArrayBuffer> {
  const head = [0xff, app1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0, 0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1]
  return new Uint8Array([...head, ...newEntry(value, false), 0, 0, 0, 0])
}
