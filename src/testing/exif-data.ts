import { pngChunk } from './pictures.ts'

/** A value of a tag: a text, whole numbers of two or four bytes, or fractions. */
type Value = string | { short: number[] } | { long: number[] } | { ratio: (readonly [number, number])[] }
type Directory = Record<number, Value>

/** The directories of Exif data, by tag (Exif 2.32). */
export interface ExifData {
  ifd0?: Directory
  exif?: Directory
  gps?: Directory
}

/** What a camera writes. */
export const cameraExif: ExifData = {
  ifd0: { 271: 'Coffer Optics', 272: 'C-1', 274: { short: [6] }, 305: 'Firmware 2' },
  exif: {
    33434: { ratio: [[1, 250]] },
    33437: { ratio: [[28, 10]] },
    34855: { short: [400] },
    36867: '2024:05:01 12:30:00',
    36881: '+02:00',
    37386: { ratio: [[35, 1]] },
    42036: 'C 35mm F2.8',
  },
  gps: {
    1: 'S',
    2: {
      ratio: [
        [33, 1],
        [51, 1],
        [252, 10],
      ],
    },
    3: 'E',
    4: {
      ratio: [
        [151, 1],
        [12, 1],
        [54, 1],
      ],
    },
    6: { ratio: [[585, 10]] },
  },
}

/** The Exif data as a TIFF structure, big-endian. */
export function tiffOf({ ifd0 = {}, exif, gps }: ExifData): Buffer {
  let bytes = Buffer.from('4d4d002a00000000', 'hex')
  const append = (directory: Directory): number => {
    const entries = Object.entries(directory).map(([tag, value]) => {
      const { type, count, data } = encoded(value)
      const entry = Buffer.alloc(12)
      entry.writeUInt16BE(Number(tag), 0)
      entry.writeUInt16BE(type, 2)
      entry.writeUInt32BE(count, 4)
      if (data.length <= 4) data.copy(entry, 8)
      else {
        entry.writeUInt32BE(bytes.length, 8)
        bytes = Buffer.concat([bytes, data, Buffer.alloc(data.length % 2)])
      }
      return entry
    })
    const at = bytes.length
    const count = Buffer.alloc(2)
    count.writeUInt16BE(entries.length)
    bytes = Buffer.concat([bytes, count, ...entries, Buffer.alloc(4)])
    return at
  }
  const first = { ...ifd0 }
  if (exif) first[0x8769] = { long: [append(exif)] }
  if (gps) first[0x8825] = { long: [append(gps)] }
  const start = append(first)
  bytes.writeUInt32BE(start, 4)
  return bytes
}

function encoded(value: Value): { type: number; count: number; data: Buffer } {
  if (typeof value === 'string') return { type: 2, count: value.length + 1, data: Buffer.from(`${value}\0`) }
  if ('short' in value) return { type: 3, count: value.short.length, data: numbers(value.short, 2) }
  if ('long' in value) return { type: 4, count: value.long.length, data: numbers(value.long, 4) }
  return { type: 5, count: value.ratio.length, data: numbers(value.ratio.flat(), 4) }
}

function numbers(values: readonly number[], length: number): Buffer {
  const data = Buffer.alloc(values.length * length)
  for (const [n, value] of values.entries()) data.writeUIntBE(value, n * length, length)
  return data
}

/** A JPEG with Exif data behind its first marker. */
export function jpegWithExif(jpeg: Buffer, tiff: Buffer): Buffer {
  const head = Buffer.from('ffe10000457869660000', 'hex')
  head.writeUInt16BE(8 + tiff.length, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, tiff, jpeg.subarray(2)])
}

/** A PNG with Exif data behind its pixels. */
export function pngWithExif(png: Buffer, tiff: Buffer): Buffer {
  const end = png.length - 12
  return Buffer.concat([png.subarray(0, end), pngChunk('eXIf', tiff), png.subarray(end)])
}

/** A WebP with Exif data at its end. */
export function webpWithExif(webp: Buffer, tiff: Buffer): Buffer {
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1')
  head.writeUInt32LE(tiff.length, 4)
  const file = Buffer.concat([webp, head, tiff, Buffer.alloc(tiff.length % 2)])
  file.writeUInt32LE(file.length - 8, 4)
  return file
}

/** The header of a HEIC picture that a viewer turns by a quarter, with Exif data, and without pixels. */
export function heicWithExif(width: number, height: number, tiff: Buffer): Buffer {
  const be16 = (...values: number[]) => numbers(values, 2)
  const be32 = (...values: number[]) => numbers(values, 4)
  const item = (id: number, type: string) =>
    box('infe', be32(0x02000000), be16(id, 0), Buffer.from(`${type}\0`))
  const ispe = box('ispe', be32(0, width, height))
  const irot = box('irot', Buffer.from([3]))
  const ipma = box('ipma', be32(0, 1), be16(1), Buffer.from([2, 1, 0x82]))
  const meta = (at: number) =>
    box(
      'meta',
      be32(0),
      box('pitm', be32(0), be16(1)),
      box('iinf', be32(0), be16(2), item(1, 'hvc1'), item(2, 'Exif')),
      box(
        'iloc',
        be32(0x00000000),
        Buffer.from([0x44, 0]),
        be16(1),
        be16(2, 0, 1),
        be32(at, 10 + tiff.length),
      ),
      box('iprp', box('ipco', ispe, irot), ipma),
    )
  const ftyp = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'))
  const at = ftyp.length + meta(0).length + 8
  const exif = Buffer.concat([be32(6), Buffer.from('Exif\0\0', 'latin1'), tiff])
  return Buffer.concat([ftyp, meta(at), box('mdat', exif)])
}

/** A box of an ISO base media file (ISO/IEC 14496-12): length, type, body. */
export function box(type: string, ...parts: (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([numbers([8 + body.length], 4), Buffer.from(type, 'latin1'), body])
}
