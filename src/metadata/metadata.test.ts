import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { FolderMetadata } from '#contract/metadata.ts'
import {
  cameraExif,
  heicWithExif,
  jpegWithExif,
  pngWithExif,
  tiffOf,
  webpWithExif,
} from '#src/testing/exif-data.ts'
import { flac, mp3, mp4, ogg } from '#src/testing/media-files.ts'
import { asAvif, asBmp, asGif, asJpeg, asPng, asWebp, plain } from '#src/testing/pictures.ts'
import { type Person, start } from '#src/testing/start.ts'

const red = [200, 30, 30] as const
const wide = plain(60, 40, red)
const taken = '2024-05-01T12:30:00+02:00'

/** A server with these files, and functions to ask about them. */
async function setUp(
  t: Test,
  files: Record<string, Buffer>,
  options: { people?: Record<string, Person>; config?: object; base?: string } = {},
) {
  const started = await start(t, options)
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(started.root, name), bytes)
  const admin = await started.as('admin')
  const get = (url: string) => admin('GET', url)
  /** Asks about a folder until all files are read. */
  const folder = async (url = '/api/metadata/'): Promise<FolderMetadata['items']> => {
    for (;;) {
      const { items, complete } = (await get(url)).json<FolderMetadata>()
      if (complete) return items
    }
  }
  return { ...started, admin, get, folder }
}

t.test('a folder has the dates and the sizes of its pictures, as they are shown', async (t) => {
  const tiff = tiffOf(cameraExif)
  const { folder } = await setUp(t, {
    'a.jpg': jpegWithExif(await asJpeg(wide), tiff),
    'b.png': pngWithExif(asPng(wide), tiff),
    'c.webp': webpWithExif(await asWebp(wide), tiff),
    'd.heic': heicWithExif(4000, 3000, tiff),
    'e.tif': tiffOf({ ...cameraExif, ifd0: { 256: { short: [70] }, 257: { long: [50] } } }),
    'f.avif': await asAvif(wide),
    'g.gif': asGif(30, 20, [red]),
    'h.bmp': asBmp(wide),
    'i.jpg': Buffer.from('no picture'),
    'j.txt': Buffer.from('text'),
  })
  t.strictSame(await folder(), {
    // The camera was held upright: columns and lines are swapped.
    'a.jpg': { taken, width: 40, height: 60 },
    'b.png': { taken, width: 60, height: 40 },
    'c.webp': { taken, width: 60, height: 40 },
    'd.heic': { taken, width: 3000, height: 4000 },
    'e.tif': { taken, width: 70, height: 50 },
    'f.avif': { width: 60, height: 40 },
    'g.gif': { width: 30, height: 20 },
    'h.bmp': { width: 60, height: 40 },
  })
})

t.test('a picture has the camera, the exposure and the place', async (t) => {
  const { get } = await setUp(t, { 'a.jpg': jpegWithExif(await asJpeg(wide), tiffOf(cameraExif)) })
  const { owner, ...fields } = (await get('/api/metadata/a.jpg')).json()
  t.type(owner, 'string')
  t.strictSame(fields, {
    taken,
    width: 40,
    height: 60,
    cameraMake: 'Coffer Optics',
    cameraModel: 'C-1',
    lens: 'C 35mm F2.8',
    exposureSeconds: 0.004,
    aperture: 2.8,
    iso: 400,
    focalLengthMm: 35,
    latitude: -33.857,
    longitude: 151.215,
    altitudeMeters: 58.5,
    software: 'Firmware 2',
  })
})

t.test('a picture has a placeholder once a preview of it was made', async (t) => {
  const { get, folder } = await setUp(t, { 'a.jpg': await asJpeg(wide, 6) })
  t.notOk((await folder())['a.jpg']?.placeholder)
  t.equal((await get('/api/preview/thumb/a.jpg')).statusCode, 200)
  const { 'a.jpg': item } = await folder()
  const bytes = Buffer.from(item?.placeholder ?? '', 'base64')
  // Upright: 3 columns and 5 lines of red.
  t.equal(bytes[0], 0x35)
  t.equal(bytes.length, 1 + 15 * 2)
  const colour = bytes.readUInt16BE(1)
  t.ok(colour >> 11 > 20 && (colour & 31) < 8, 'it is red')
  t.equal((await get('/api/metadata/a.jpg')).json().placeholder, item?.placeholder)
})

t.test('audio and video files have their tags and their format', async (t) => {
  const { get } = await setUp(t, {
    'a.mp3': mp3(),
    'b.flac': flac(),
    'c.ogg': ogg(),
    'd.mp4': mp4(),
    'e.mp3': flac(),
  })
  const song = { title: 'Étude', artist: 'Ada', album: 'Numbers', year: 1999, track: 3, genre: 'Jazz' }
  const format = { sampleRate: 44_100, channels: 2 }
  const fields = async (name: string) => (await get(`/api/metadata/${name}`)).json()
  t.match(await fields('a.mp3'), {
    ...song,
    ...format,
    albumArtist: 'Various',
    bitrate: 128_000,
    codec: /MPEG 1 Layer 3/,
  })
  t.match(await fields('b.flac'), { ...song, ...format, durationSeconds: 2, codec: 'FLAC' })
  t.match(await fields('c.ogg'), { ...song, ...format, durationSeconds: 2, codec: /Vorbis/ })
  t.match(await fields('d.mp4'), {
    title: 'Holidays',
    width: 360,
    height: 640,
    codec: 'H.264',
    durationSeconds: 5,
    bitrate: (mp4().length * 8) / 5,
    taken: '2024-05-01T10:30:00+00:00',
  })
  t.match(await fields('e.mp3'), { codec: 'FLAC' }, 'the content decides, not the name')
})
