import t from 'tap'
import { asJpeg, painted } from '#src/testing/pictures.ts'
import { jpegRotation, type Turn, turnedOrientation } from './jpeg-rotation.ts'
import { measure } from './measure.ts'
import { rotateUpright } from './orientation.ts'

const picture = painted(3, 2, (x, y) => [x * 80, y * 100, 50, 255])
const turns: readonly Turn[] = [90, 180, 270]
/** The orientation that turns an unchanged picture like this. */
const alone = { 90: 6, 180: 3, 270: 8 } as const

async function turned(file: Buffer, by: Turn): Promise<Buffer | undefined> {
  const read = async (at: number, length: number) => file.subarray(at, at + length)
  const patch = await jpegRotation(read, file.length, by)
  if (!patch) return undefined
  const { at, removed, bytes } = patch
  return Buffer.concat([file.subarray(0, at), bytes, file.subarray(at + removed)])
}

function orientationIn(file: Buffer | undefined): number | undefined {
  const found = file && measure(file)
  return typeof found === 'object' ? found.orientation : undefined
}

/** An Exif segment with this TIFF data, behind the start of a JPEG. */
function withTiff(jpeg: Buffer, tiff: Buffer): Buffer {
  const head = Buffer.from('ffe10000457869660000', 'hex')
  head.writeUInt16BE(8 + tiff.length, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, tiff, jpeg.subarray(2)])
}

t.test('a picture of each orientation, turned by each angle, shows the same pixels turned', async (t) => {
  for (let orientation = 1; orientation <= 8; orientation++) {
    for (const by of turns) {
      const shown = rotateUpright(rotateUpright(picture, orientation), alone[by])
      t.strictSame(rotateUpright(picture, turnedOrientation(orientation, by)), shown, `${orientation} ${by}`)
    }
  }
})

t.test('only the two bytes of the orientation change', async (t) => {
  const file = await asJpeg(picture, 5)
  const result = await turned(file, 90)
  t.equal(orientationIn(result), 2)
  t.equal(result?.length, file.length)
  t.equal(file.filter((byte, at) => byte !== result?.[at]).length, 1)
  t.ok(result && (await turned(result, 270))?.equals(file), 'turned back, it is the same file')
})

t.test('a picture without Exif data gets a segment, behind the JFIF segment', async (t) => {
  const file = await asJpeg(picture)
  for (const by of turns) {
    const result = await turned(file, by)
    t.equal(orientationIn(result), alone[by])
    t.equal(result?.subarray(2, 4).toString('hex'), 'ffe0')
    t.ok(result?.subarray(-200).equals(file.subarray(-200)))
  }
})

t.test(
  'Exif data without an orientation gets one, in its place among the entries, and keeps the rest',
  async (t) => {
    const jpeg = await asJpeg(picture)
    // Little-endian, with an odd length: the entries 010f and 0132, and three further bytes.
    const entries = '0f01020001000000410000003201020001000000420000'.padEnd(48, '0')
    const tiff = Buffer.from(`49492a0008000000${'0200'}${entries}${'00000000'}010203`, 'hex')
    const file = withTiff(jpeg, tiff)
    const result = await turned(file, 180)
    t.equal(orientationIn(result), 3)
    t.ok(result?.includes(Buffer.from('010203', 'hex')))
    t.equal(orientationIn(result && (await turned(result, 90))), 8)
  },
)

t.test('what cannot be changed with certainty is refused', async (t) => {
  const jpeg = await asJpeg(picture, 1)
  const exif = jpeg.subarray(2, 2 + 36)
  const tiffs = [
    '',
    '4d4d',
    '49492a00ffffff7f',
    '4d4d002a00000008ffff',
    '4d4d002a000000080001011200040000000100000001',
  ]
  const files = [
    ['empty', Buffer.alloc(0)],
    ['of another format', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['without a scan', Buffer.from('ffd8ffd9', 'hex')],
    [
      'with garbage between the segments',
      Buffer.concat([jpeg.subarray(0, 2), Buffer.from('00'), jpeg.subarray(2)]),
    ],
    ['with two Exif segments', Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)])],
    ...tiffs.map(
      (hex) => [`with the TIFF data ${hex}`, withTiff(jpeg.subarray(36), Buffer.from(hex, 'hex'))] as const,
    ),
  ] as const
  for (const [what, file] of files) t.equal(await turned(file, 90), undefined, `a file ${what}`)
})

t.test('a changed or truncated file is refused, or only its orientation changes', async (t) => {
  const file = await asJpeg(picture, 6)
  const header = file.indexOf(Buffer.from('ffda', 'hex'))
  for (let n = 0; n < header; n++) {
    for (const value of [0, 0xff, file.readUInt8(n) ^ 1]) {
      const mutated = Buffer.from(file)
      mutated[n] = value
      const result = await turned(mutated, 90)
      const rest = result && (await turned(result, 270))
      const isSame = !result || (rest !== undefined && Math.abs(rest.length - mutated.length) < 64)
      if (!isSame) t.fail(`byte ${n} as ${value}`)
    }
    if (await turned(file.subarray(0, n), 90)) t.fail(`cut after ${n} bytes`)
  }
})
