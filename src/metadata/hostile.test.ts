import { closeSync, openSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { FileMetadata, FolderMetadata } from '#contract/metadata.ts'
import { unconditional } from '#src/core/problem.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import type { FoundMetadata } from '#src/files/metadata/read-batch.ts'
import type { MetadataResult, MetadataTask } from '#src/files/metadata/tasks.ts'
import {
  box,
  cameraExif,
  heicWithExif,
  jpegWithExif,
  pngWithExif,
  tiffOf,
  webpWithExif,
} from '#src/testing/exif-data.ts'
import { hostileBmps, hostileGifs, hostileJpegs, hostilePngs } from '#src/testing/hostile-pictures.ts'
import { flac, mp3, mp4, ogg } from '#src/testing/media-files.ts'
import { asAvif, asJpeg, asPng, asWebp, plain } from '#src/testing/pictures.ts'
import { start } from '#src/testing/start.ts'
import { readerLimits } from './batches.ts'

const wide = plain(60, 40, [200, 30, 30])
const jpeg = await asJpeg(wide)
const honest = jpegWithExif(jpeg, tiffOf(cameraExif))

async function setUp(t: Test, files: Record<string, Buffer>) {
  const { root, as } = await start(t)
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(root, name), bytes)
  const admin = await as('admin')
  return { root, get: (path: string) => admin('GET', `/api/metadata/${path}`) }
}

t.test(
  'hostile pictures have no or impossible sizes, and do not stop the others of their folder',
  async (t) => {
    const all = { ...hostileJpegs(jpeg), ...hostileGifs(), ...hostilePngs(), ...hostileBmps() }
    const files = Object.fromEntries(Object.values(all).map((bytes, n) => [`${n}.jpg`, bytes]))
    const { get } = await setUp(t, { ...files, 'honest.jpg': honest })
    let reply: FolderMetadata
    do reply = (await get('')).json()
    while (!reply.complete)
    t.match(reply.items['honest.jpg'], { width: 40, height: 60 })
    for (const name of Object.keys(files)) t.equal((await get(name)).statusCode, 200, name)
  },
)

/** A TIFF structure whose only entry is of this type, with this count and value. */
function oneEntry(tag: number, type: number, count: number, value = 0): Buffer {
  const tiff = Buffer.from('4d4d002a000000080001'.padEnd(52, '0'), 'hex')
  tiff.writeUInt16BE(tag, 10)
  tiff.writeUInt16BE(type, 12)
  tiff.writeUInt32BE(count, 14)
  tiff.writeUInt32BE(value, 18)
  return tiff
}

t.test('Exif data with endless lists and directories are read within the limits', async (t) => {
  const files: Record<string, Buffer> = {}
  for (const type of [0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 255])
    for (const tag of [0x0100, 0x010f, 0x8769, 0x8825])
      files[`${type} ${tag}.jpg`] = jpegWithExif(jpeg, oneEntry(tag, type, 0xffff_ffff, 8))
  // A directory that is its own subdirectory.
  files['loop.jpg'] = jpegWithExif(jpeg, oneEntry(0x8769, 4, 1, 8))
  const { get } = await setUp(t, files)
  const { items, complete } = (await get('')).json<FolderMetadata>()
  t.ok(complete)
  t.equal(Object.keys(items).length, Object.keys(files).length, 'each has its size')
  for (const name of Object.keys(files)) t.match((await get(name)).json(), { width: 60, height: 40 }, name)
})

t.test('texts of files are cut, and have no control characters', async (t) => {
  const make = `\u001b[2J${'x'.repeat(30_000)}`
  const exif = { ifd0: { 271: make, 272: '\u202etxt.exe\u0007\n', 305: ' \u0001 ' } }
  const { get } = await setUp(t, {
    'a.jpg': jpegWithExif(jpeg, tiffOf(exif)),
    'b.mp3': mp3({ TIT2: `a\u0000\u001b]0;x\u0007${'é'.repeat(5000)}` }),
  })
  const picture = (await get('a.jpg')).json<FileMetadata>()
  t.equal(picture.cameraMake?.length, 500)
  t.equal(picture.cameraModel, 'txt.exe')
  t.equal(picture.software, undefined)
  const { title = '' } = (await get('b.mp3')).json<FileMetadata>()
  t.ok(title.length <= 500 && !/\p{Cc}/u.test(title))
})

t.test('impossible dates and places are left out', async (t) => {
  const times = [
    '0000:00:00 00:00:00',
    '2024:02:30 12:00:00',
    '2024:05:01 25:00:00',
    '    :  :     :  :  ',
    '1',
  ]
  const files = times.map((time) => jpegWithExif(jpeg, tiffOf({ exif: { 36867: time } })))
  const north = {
    1: 'N',
    2: {
      ratio: [
        [95, 1],
        [0, 1],
        [0, 1],
      ] as const,
    },
    3: 'E',
    4: {
      ratio: [
        [1, 0],
        [0, 1],
        [0, 1],
      ] as const,
    },
  }
  files.push(jpegWithExif(jpeg, tiffOf({ gps: north as never })))
  const { get } = await setUp(t, Object.fromEntries(files.map((file, n) => [`${n}.jpg`, file])))
  for (const n of files.keys()) {
    const { owner: _, ...fields } = (await get(`${n}.jpg`)).json()
    t.strictSame(fields, { width: 60, height: 40 })
  }
})

t.test('a file that costs too much time has no metadata, and the next one is read', async (t) => {
  const atoms = Buffer.alloc(20 * 1024 * 1024, Buffer.from('00000008666f6f6f', 'hex'))
  const { get, root } = await setUp(t, {
    'slow.mp4': Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isom')), box('moov', atoms)]),
    'a.mp4': mp4(),
  })
  writeFileSync(join(root, 'huge.mp4'), mp4(1000))
  truncateSync(join(root, 'huge.mp4'), 2 ** 40)
  const [slow, huge, fast] = await Promise.all(['slow.mp4', 'huge.mp4', 'a.mp4'].map(get))
  t.strictSame([slow?.statusCode, huge?.statusCode], [200, 200])
  t.equal(slow?.json().codec, undefined)
  t.match(fast?.json(), { title: 'Holidays' })
  t.match((await get('a.mp4')).json(), { title: 'Holidays' })
})

t.test('any change of a file gives fields within their bounds', async (t) => {
  const readers = createWorkerPool<MetadataTask, MetadataResult, FoundMetadata>('metadata', {
    threads: threads.metadata,
    ...readerLimits,
  })
  t.teardown(() => readers.close())
  const tiff = tiffOf(cameraExif)
  const samples: [name: string, bytes: Buffer][] = [
    ['a.jpg', honest],
    ['a.png', pngWithExif(asPng(wide), tiff)],
    ['a.webp', webpWithExif(await asWebp(wide), tiff)],
    ['a.heic', heicWithExif(400, 300, tiff)],
    ['a.avif', await asAvif(wide)],
    ['a.tif', tiffOf({ ...cameraExif, ifd0: { 256: { short: [70] }, 257: { long: [50] } } })],
    ['a.mp3', mp3()],
    ['a.flac', flac()],
    ['a.ogg', ogg()],
    ['a.mp4', mp4()],
  ]
  const file = join(t.testdir({}), 'file')
  const read = async (name: string, bytes: Buffer) => {
    writeFileSync(file, bytes)
    const fd = openSync(file, 'r')
    try {
      const task = { kind: 'file', fd, size: statSync(file).size, name } as const
      return (await readers.run(task, { recheck: unconditional, processorMs: 5000 })).fields ?? {}
    } finally {
      closeSync(fd)
    }
  }
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    to: fc.constantFrom(0, 1, 0x7f, 0x80, 0xff),
  })
  const changes = fc.record({
    sample: fc.nat(samples.length - 1),
    changes: fc.array(change, { minLength: 1, maxLength: 8 }),
    end: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
  })
  const property = fc.asyncProperty(changes, async ({ sample, changes, end }) => {
    const [name, bytes] = samples[sample] ?? ['', Buffer.alloc(0)]
    const changed = Buffer.from(bytes.subarray(0, Math.ceil(bytes.length * end)))
    for (const { at, to } of changes) changed[Math.floor(at * Math.min(changed.length, 1500))] = to
    const outside = Object.values(await read(name, changed)).filter((value) => !isBounded(value))
    if (outside.length > 0) throw new Error(`${name}: ${outside}`)
  })
  await fc.assert(property, { seed: 20_261, numRuns: Number(process.env.FUZZ_ROUNDS ?? 300) })
})

function isBounded(value: string | number): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : value.length <= 500 && !/\p{Cc}/u.test(value)
}
