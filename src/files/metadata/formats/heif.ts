import { type Box, bodyOf, boxes, primarySize } from '#src/files/pictures/formats/avif-size.ts'
import { findBox } from './iso-boxes.ts'
import type { FileWindow } from './window.ts'

/** What the header of a HEIC or AVIF picture contains. */
export interface HeifHeader {
  /** As shown: a viewer turns the picture by the property `irot`, and ignores the orientation in the Exif data. */
  width: number
  height: number
  exif: Buffer | undefined
}

const maxMetaBytes = 512 * 1024
const maxExifBytes = 256 * 1024
const maxItems = 5000

/** Reads the header of a HEIC or AVIF picture (ISO/IEC 23008-12). Undefined when it has none. @throws RangeError */
export function readHeif(window: FileWindow): HeifHeader | undefined {
  const meta = findMeta(window)
  const size = meta && primarySize([{ type: 'meta', body: meta }])
  if (!size) return undefined
  const { width, height, turns } = size
  const shown = turns % 2 === 1 ? { width: height, height: width } : { width, height }
  return { ...shown, exif: exifOf(window, boxes(meta.subarray(4))) }
}

/** Returns the body of the box `meta` at the top of the file. */
function findMeta(window: FileWindow): Buffer | undefined {
  const place = findBox(window, 'meta', { at: 0, length: window.size })
  return place && place.length <= maxMetaBytes ? window.read(place.at, place.length) : undefined
}

function exifOf(window: FileWindow, inMeta: readonly Box[]): Buffer | undefined {
  const id = exifItem(bodyOf(inMeta, 'iinf'))
  const place = id === undefined ? undefined : placeOf(id, bodyOf(inMeta, 'iloc'))
  if (!place || place.length > maxExifBytes) return undefined
  const item = window.read(place.at, place.length)
  // Annex A.2.1: the number of bytes before the TIFF structure.
  return item.length > 4 ? item.subarray(4 + item.readUInt32BE(0)) : undefined
}

/** Returns the id of the item with Exif data (ISO/IEC 14496-12 §8.11.6). */
function exifItem(iinf: Buffer | undefined): number | undefined {
  const entries = iinf ? boxes(iinf.subarray(iinf[0] === 0 ? 6 : 8)) : []
  const entry = entries.find(({ type, body }) => type === 'infe' && typeOfItem(body) === 'Exif')?.body
  return entry && (entry[0] === 3 ? entry.readUInt32BE(4) : entry.readUInt16BE(4))
}

/** Ids have two bytes in version 2 and four in version 3. Older versions have no types. */
function typeOfItem(entry: Buffer): string | undefined {
  const at = new Map([
    [2, 8],
    [3, 10],
  ]).get(entry[0] ?? 0)
  return at === undefined ? undefined : entry.toString('latin1', at, at + 4)
}

/** Returns where in the file an item with one part is (ISO/IEC 14496-12 §8.11.3). */
function placeOf(id: number, iloc: Buffer | undefined): { at: number; length: number } | undefined {
  if (!iloc) return undefined
  const version = iloc.readUInt8(0)
  const { offsetBytes, lengthBytes, baseBytes, indexBytes, idBytes } = lengthsIn(iloc, version)
  const { next, skip } = numbersIn(iloc, 6)
  const count = next(idBytes)
  for (let n = 0; n < Math.min(count, maxItems); n++) {
    const item = next(idBytes)
    const method = version > 0 ? next(2) & 15 : 0
    next(2) // another file, which no camera uses
    const base = next(baseBytes)
    const extents = next(2)
    if (item !== id) {
      skip(extents * (indexBytes + offsetBytes + lengthBytes))
      continue
    }
    next(indexBytes)
    const place = { at: base + next(offsetBytes), length: next(lengthBytes) }
    return method === 0 && extents === 1 ? place : undefined
  }
  return undefined
}

/** Reads numbers one after the other. @throws RangeError behind the end */
function numbersIn(bytes: Buffer, start: number) {
  let at = start
  return {
    next(length: number): number {
      const value = numberAt(bytes, at, length)
      at += length
      return value
    },
    skip(length: number): void {
      at += length
    },
  }
}

/** The lengths of the numbers in the box, in bytes. */
function lengthsIn(iloc: Buffer, version: number) {
  const [offsetBytes, lengthBytes] = nibbles(iloc.readUInt8(4))
  const [baseBytes, last] = nibbles(iloc.readUInt8(5))
  return {
    offsetBytes,
    lengthBytes,
    baseBytes,
    indexBytes: version > 0 ? last : 0,
    idBytes: version < 2 ? 2 : 4,
  }
}

function nibbles(byte: number): [number, number] {
  return [byte >> 4, byte & 15]
}

function numberAt(bytes: Buffer, at: number, length: number): number {
  if (length === 0) return 0
  return length === 8 ? Number(bytes.readBigUInt64BE(at)) : bytes.readUIntBE(at, length)
}
