import t from 'tap'
import { jpegSize } from '#src/files/pictures/formats/jpeg-size.ts'
import { asJpeg, painted } from '#src/testing/pictures.ts'
import { type Patch, turnJpeg } from './jpeg-orientation.ts'

const picture = painted(16, 8, (x, y) => [x * 16, y * 32, 90, 255])

/** The file after a patch. */
const patched = (file: Uint8Array, { from, to, bytes }: Patch) =>
  Buffer.concat([file.subarray(0, from), bytes, file.subarray(to)])

function patchOf(file: Uint8Array, quarters: number): Patch {
  const patch = turnJpeg(file, quarters)
  if (!patch) throw new Error('the picture cannot be turned')
  return patch
}

/** The orientation as the server reads it. */
const orientationIn = (file: Buffer) => jpegSize(file)?.orientation

t.test('four turns to the right go through the orientations of each kind', async (t) => {
  for (const [first, row] of [
    [1, [6, 3, 8, 1]],
    [2, [7, 4, 5, 2]],
  ] as const) {
    let file = await asJpeg(picture, first)
    for (const wanted of row) {
      const before = file
      file = patched(file, patchOf(file, 1))
      t.equal(orientationIn(file), wanted)
      t.equal(file.length, before.length, 'nothing but the orientation changes')
    }
  }
})

t.test('a picture without Exif data gets it after its JFIF header', async (t) => {
  const file = await asJpeg(picture)
  const patch = patchOf(file, 3)
  const turned = patched(file, patch)
  t.equal(orientationIn(turned), 8)
  t.equal(turned.length, file.length + 36)
  t.same(turned.subarray(0, patch.from), file.subarray(0, patch.from))
  t.equal(turnJpeg(file, 4)?.bytes.at(-5), 0)
})

for (const isLittle of [true, false]) {
  t.test(`Exif data without an orientation keeps all its entries: ${isLittle ? 'II' : 'MM'}`, async (t) => {
    const plain = await asJpeg(picture)
    const file = Buffer.concat([plain.subarray(0, 2), exifWithoutOrientation(isLittle), plain.subarray(2)])
    const turned = patched(file, patchOf(file, 1))
    t.equal(orientationIn(turned), 6)
    const again = turnJpeg(turned, 1)
    t.equal(again?.bytes.length, 2, 'the new entry is found')
    t.ok(turned.includes('Camera of ours'), 'the other values stay')
  })
}

t.test('damaged files are refused', async (t) => {
  const file = await asJpeg(picture, 6)
  t.equal(turnJpeg(Buffer.from('no picture'), 1), undefined)
  t.equal(turnJpeg(Buffer.alloc(0), 1), undefined)
  for (let length = 4; length < 60; length++) {
    const patch = turnJpeg(file.subarray(0, length), 1)
    if (patch && patch.to > length) t.fail(`${length} bytes`)
  }
  for (let n = 0; n < 3000; n++) {
    const damaged = Buffer.from(file.subarray(0, 120))
    damaged[(n * 7) % 60] = (n * 31) % 256
    damaged[(n * 13) % 60] = (n * 17) % 256
    // Throws for a damaged file only if a check is missing.
    turnJpeg(damaged, 1)
  }
})

/** An APP1 segment whose directory has the tags of the maker and of the resolution unit. */
function exifWithoutOrientation(isLittle: boolean): Buffer {
  const maker = Buffer.from('Camera of ours\0\0')
  const tiff = Buffer.alloc(8 + 2 + 24 + 4)
  const short = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at)
  const long = (value: number, at: number) =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at)
  tiff.write(isLittle ? 'II' : 'MM', 0)
  short(42, 2)
  long(8, 4)
  short(2, 8)
  short(0x010f, 10)
  short(2, 12)
  long(maker.length, 14)
  long(tiff.length, 18)
  short(0x0128, 22)
  short(3, 24)
  long(1, 26)
  short(2, 30)
  const body = Buffer.concat([Buffer.from('Exif\0\0'), tiff, maker])
  return Buffer.concat([Buffer.from([0xff, 0xe1, 0, body.length + 2]), body])
}
