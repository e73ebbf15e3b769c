import { deflateSync } from 'node:zlib'
import { pngChunk, pngOf } from './pictures.ts'

// Pictures with wrong or extreme headers. Each file is small, but its claimed or decoded size is not.

const u16 = (value: number) => [value >> 8, value & 0xff]
const bytes = (...parts: (number | number[] | Buffer | string)[]) =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part as string, 'latin1'),
    ),
  )

/** `one`, repeated `count` times. */
export function repeated(count: number, one: Buffer): Buffer {
  return Buffer.alloc(count * one.length, one)
}

/** A JPEG segment: marker, length, body. */
function segment(marker: number, body: Buffer | number[]): Buffer {
  return bytes(0xff, marker, u16(body.length + 2), Buffer.from(body))
}

/** A frame header of full-size components: 0xc0 is sequential, 0xc2 progressive. */
function frame(marker: number, width: number, height: number, components = 3): Buffer {
  const each = Array.from({ length: components }, (_, n) => [n + 1, 0x11, 0]).flat()
  return segment(marker, [8, ...u16(height), ...u16(width), components, ...each])
}

/** The header of a scan over `components`, with its range of coefficients for progressive files. */
function scan(components: number, [first, last, bits]: [number, number, number]): Buffer {
  const each = Array.from({ length: components }, (_, n) => [n + 1, 0]).flat()
  return segment(0xda, [components, ...each, first, last, bits])
}

const soi = Buffer.from([0xff, 0xd8])
const eoi = Buffer.from([0xff, 0xd9])
const quantities = segment(0xdb, [0, ...Array(64).fill(1)])
// One code of one bit for DC, and one for AC that ends 2^14 blocks and more at once.
const codes = Buffer.concat([
  segment(0xc4, [0x00, 1, ...Array(15).fill(0), 0]),
  segment(0xc4, [0x10, 1, ...Array(15).fill(0), 0xe0]),
])

/** Thousands of scans over one large picture: each costs a few bytes and a pass over all blocks. */
function manyScans(side: number, count: number): Buffer {
  // Each code is 1 bit plus 14 bits of length, all ones, and ends 32,767 blocks: 15 bits, the first of them 0.
  const runs = Buffer.alloc(Math.ceil(((side / 8) ** 2 / 32_767 + 2) * 2), Buffer.from([0x7f, 0x7f]))
  const one = Buffer.concat([scan(1, [1, 63, 0]), runs])
  const begin = Buffer.concat([scan(1, [0, 0, 0]), Buffer.alloc(Math.ceil((side / 8) ** 2 / 8))])
  return Buffer.concat([
    ...[soi, quantities, codes, frame(0xc2, side, side, 1), begin],
    ...Array<Buffer>(count).fill(one),
    eoi,
  ])
}

/** A TIFF directory at offset 8 that points to itself as the next one, and a thumbnail that is a bomb too. */
function looping(orientation: number): Buffer {
  const entries = [
    [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0],
    [0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 8], // Exif directory: the same one
    [0x02, 0x01, 0, 4, 0, 0, 0, 1, 0, 0, 0, 62], // thumbnail
  ]
  const tiff = [0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, entries.length, ...entries.flat(), 0, 0, 0, 8]
  return segment(0xe1, bytes('Exif\0\0', tiff, soi, frame(0xc2, 65_500, 65_500), eoi))
}

// The largest size that the decoder accepts, and a size that would have taken 1.4 GB.
const huge = 65_500
const large = 12_000

/** Hostile JPEG files. `honest` is a small valid one. */
export function hostileJpegs(honest: Buffer): Record<string, Buffer> {
  const head = (...parts: Buffer[]) => Buffer.concat([soi, ...parts, Buffer.alloc(64), eoi])
  const bomb = Buffer.concat([frame(0xc2, large, large), scan(3, [0, 0, 0])])
  // TEM has no length. A reader that reads the next two bytes as a length jumps over the true header to a small one.
  const jumped = Buffer.concat([soi, Buffer.from([0xff, 0x01]), quantities, codes, bomb])
  const small = Buffer.concat([frame(0xc0, 16, 16), scan(3, [0, 63, 0]), eoi])
  return {
    'jump.jpg': Buffer.concat([jumped, Buffer.alloc(4 + 0xffdb - jumped.length), small]),
    'jump-flat.jpg': head(
      Buffer.from([0xff, 0x01]),
      quantities,
      codes,
      frame(0xc0, huge, huge),
      scan(3, [0, 63, 0]),
    ),
    'two-small-large.jpg': head(frame(0xc0, 16, 16), frame(0xc2, huge, huge), scan(3, [0, 0, 0])),
    'two-large-small.jpg': head(frame(0xc2, huge, huge), frame(0xc0, 16, 16), scan(3, [0, 0, 0])),
    'frame-after-scan.jpg': head(
      quantities,
      codes,
      frame(0xc0, 16, 16),
      scan(3, [0, 63, 0]),
      frame(0xc2, huge, huge),
    ),
    'huge.jpg': head(quantities, codes, bomb),
    'garbage-first.jpg': head(Buffer.from('no marker at all'), quantities, codes, bomb),
    'lossless.jpg': head(frame(0xc3, 16, 16), bomb),
    'wide.jpg': head(quantities, codes, frame(0xc2, huge, 1), scan(3, [0, 0, 0])),
    'scans.jpg': manyScans(4000, 4000),
    'exif-loop.jpg': bytes(soi, looping(6), honest.subarray(2)),
    'exif-nine.jpg': bytes(soi, looping(9), honest.subarray(2)),
    'exif-cut.jpg': bytes(
      soi,
      segment(0xe1, bytes('Exif\0\0MM\0*', [0xff, 0xff, 0xff, 0xff], 'xxxx')),
      honest.subarray(2),
    ),
    'icc.jpg': bytes(
      soi,
      ...Array(200).fill(segment(0xe2, bytes('ICC_PROFILE\0', [255, 1], Buffer.alloc(65_000)))),
      honest.subarray(2),
    ),
    'cut.jpg': honest.subarray(0, honest.length / 2),
    'cut-head.jpg': honest.subarray(0, 200),
  }
}

/** A GIF with one frame; `codes` are the bytes of its LZW data after the code size. */
function gif(
  screen: [number, number],
  size: [number, number],
  { codes = [0x24], first = 2, flags = 0 } = {},
): Buffer {
  const le = ([a, b]: [number, number]) => [a & 0xff, a >> 8, b & 0xff, b >> 8]
  return bytes(
    'GIF89a',
    le(screen),
    [0, 0, 0],
    0x2c,
    le([0, 0]),
    le(size),
    flags,
    first,
    codes.length,
    codes,
    0,
    0x3b,
  )
}

/** Hostile GIF files. */
export function hostileGifs(): Record<string, Buffer> {
  const one = gif([4, 4], [4, 4]).subarray(13, -1)
  return {
    // The codes clear, 6, 6, 6: an entry of the table that is its own prefix. A careless decoder follows it forever.
    'endless.gif': gif([10, 10], [10, 10], { codes: [0xb4, 0x0d] }),
    'frame.gif': gif([1, 1], [65_535, 65_535]),
    'screen.gif': gif([65_535, 65_535], [1, 1]),
    'both.gif': gif([65_535, 65_535], [65_535, 65_535]),
    'interlaced.gif': gif([4000, 4000], [1, 65_535], { flags: 0x40 }),
    'code-size.gif': gif([9, 9], [9, 9], { first: 255, codes: Array(200).fill(0x55) }),
    'empty.gif': gif([9, 9], [0, 0]),
    'frames.gif': Buffer.concat([gif([4, 4], [4, 4]).subarray(0, -1), repeated(400_000, one)]),
    'comments.gif': bytes(
      gif([4, 4], [4, 4]).subarray(0, 13),
      repeated(400_000, Buffer.from([0x21, 0xfe, 0])),
    ),
    'cut.gif': gif([4, 4], [4, 4]).subarray(0, -3),
    'head.gif': bytes('GIF89a', [1, 0, 1, 0, 0, 0, 0], Buffer.alloc(20)),
  }
}

/** Hostile PNG files. */
export function hostilePngs(): Record<string, Buffer> {
  const bomb = deflateSync(Buffer.alloc(200 * 1024 * 1024), { level: 9 })
  const line = pngChunk('IDAT', deflateSync(Buffer.alloc(4 * 16 + 4)))
  const animated = (width: number, height: number) => {
    const control = Buffer.alloc(26)
    control.writeUInt32BE(width, 4)
    control.writeUInt32BE(height, 8)
    return [pngChunk('acTL', Buffer.from([0, 0, 0, 9, 0, 0, 0, 0])), pngChunk('fcTL', control), line]
  }
  return {
    'claims.png': pngOf([60_000, 60_000], [line]),
    'claims-interlaced.png': pngOf([60_000, 60_000], [line], { interlaced: 1 }),
    'heavy-interlaced.png': pngOf([6000, 6000], [line], { interlaced: 1 }),
    'bits.png': pngOf([30_000, 30_000], [line], { depth: 1, colours: 0 }),
    'long.png': pngOf([1, 4_000_000_000], [line]),
    'none.png': pngOf([0, 0], [line]),
    'too-much.png': pngOf([16, 16], [pngChunk('IDAT', bomb)]),
    'text.png': pngOf([4, 4], [pngChunk('zTXt', bytes('x\0\0', bomb)), line]),
    'itxt.png': pngOf([4, 4], [pngChunk('iTXt', bytes('x\0\x01\0\0\0', bomb)), line]),
    'icc.png': pngOf([4, 4], [pngChunk('iCCP', bytes('x\0\0', bomb)), line]),
    'pieces.png': pngOf([4, 4], [repeated(300_000, pngChunk('IDAT', Buffer.alloc(0)))]),
    'apng.png': pngOf([4, 4], animated(60_000, 60_000)),
    'apng-small.png': pngOf([5000, 5000], animated(1, 1)),
    'two-heads.png': pngOf(
      [4, 4],
      [pngChunk('IHDR', Buffer.from('0000ea600000ea600806000000', 'hex')), line],
    ),
    'depth.png': pngOf([4, 4], [line], { depth: 255, colours: 255 }),
    'cut.png': pngOf([900, 900], [pngChunk('IDAT', bomb.subarray(0, 5000))]).subarray(0, -30),
  }
}

/** A bitmap header of 54 bytes. */
function bitmap(
  [width, height]: [number, number],
  { bits = 24, compression = 0, palette = 40, first = 54 } = {},
): Buffer {
  const file = Buffer.alloc(200)
  file.write('BM')
  file.writeUInt32LE(first, 10)
  file.writeUInt32LE(palette, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(bits, 28)
  file.writeUInt32LE(compression, 30)
  return file
}

/** Hostile BMP files. */
export function hostileBmps(): Record<string, Buffer> {
  return {
    'claims.bmp': bitmap([60_000, 60_000]),
    'upside.bmp': bitmap([4, -2_147_483_648]),
    'left.bmp': bitmap([-4, 4]),
    'negative.bmp': bitmap([5000, -5000]),
    'rle.bmp': bitmap([5000, 5000], { bits: 8, compression: 1 }),
    'fields.bmp': bitmap([5000, 5000], { bits: 32, compression: 3 }),
    'palette.bmp': bitmap([4, 4], { bits: 8, palette: 0xffff_fff0 }),
    'none.bmp': bitmap([0, 0]),
    'first.bmp': bitmap([4, 4], { first: 0xffff_ffff }),
    'head.bmp': bitmap([4, 4]).subarray(0, 30),
  }
}
