/** Bytes of a value of each type, by its number (TIFF 6.0 §2; 13 is an offset). */
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
const offsetTypes: ReadonlySet<number> = new Set([4, 13])
const exifPointer = 0x8769
const gpsPointer = 0x8825
const pointers: ReadonlySet<number> = new Set([exifPointer, gpsPointer])

/** The tags that are read, by their directory: the first one, and those to which it points. */
export type TagsToRead = Readonly<Record<'ifd0' | 'exif' | 'gps', number[]>>

/**
 * Whether the values of these tags are inside of a TIFF structure. `exifr` trusts the lengths in it: it would reserve
 * 32 GiB of memory for a list that only claims to be that long.
 */
export function isSoundTiff(tiff: Buffer, tags: TagsToRead): boolean {
  try {
    const first = entriesOf(tiff, readLong(tiff, 4), [...tags.ifd0, ...pointers])
    const directories = [
      { at: first.find(({ tag }) => tag === exifPointer)?.value, tags: tags.exif },
      { at: first.find(({ tag }) => tag === gpsPointer)?.value, tags: tags.gps },
    ]
    const others = directories.flatMap(({ at, tags }) => (at === undefined ? [] : entriesOf(tiff, at, tags)))
    return [...first, ...others].every((entry) => isSoundEntry(tiff, entry))
  } catch {
    return false // a directory that is not whole
  }
}

interface Entry {
  tag: number
  type: number
  count: number
  /** The value, if it is one number of four bytes, or the offset of the values. */
  value: number
}

/** Returns the entries of a directory with these tags (TIFF 6.0 §2). @throws RangeError when it is not whole. */
function entriesOf(tiff: Buffer, directory: number, tags: readonly number[]): Entry[] {
  const count = readShort(tiff, directory)
  const found: Entry[] = []
  for (let at = directory + 2; at < directory + 2 + count * 12; at += 12) {
    const tag = readShort(tiff, at)
    const [type, length, value] = [readShort(tiff, at + 2), readLong(tiff, at + 4), readLong(tiff, at + 8)]
    if (tags.includes(tag)) found.push({ tag, type, count: length, value })
  }
  return found
}

function isSoundEntry(tiff: Buffer, { tag, type, count, value }: Entry): boolean {
  if (pointers.has(tag)) return offsetTypes.has(type) && count === 1
  const bytes = count * (typeBytes[type] ?? 0)
  return bytes > 0 && (bytes <= 4 || value + bytes <= tiff.length)
}

function readShort(tiff: Buffer, at: number): number {
  return tiff[0] === 0x49 ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)
}

function readLong(tiff: Buffer, at: number): number {
  return tiff[0] === 0x49 ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at)
}
