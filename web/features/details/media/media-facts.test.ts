import { i18n } from '@lingui/core'
import t from 'tap'
import type { FileMetadata } from '#contract/metadata.ts'
import { mediaFacts } from './media-facts.ts'

i18n.loadAndActivate({ locale: 'en', messages: {} })

type Kind = Parameters<typeof mediaFacts>[0]['type']

const facts = (about: FileMetadata, type: Kind = 'image') =>
  Object.fromEntries(mediaFacts({ type }, about).map(({ name, text }) => [name, text]))
const texts = (about: FileMetadata, type: Kind = 'image') => Object.values(facts(about, type))

t.test('exposures, cameras and times are written as photographers write them', async (t) => {
  t.same(texts({ exposureSeconds: 0.5, aperture: 11, iso: 100 }), ['0.5 s · f/11 · ISO 100'])
  t.same(texts({ exposureSeconds: 30 }), ['30 s'])
  t.same(texts({ exposureSeconds: 1 / 8000 }), ['1/8000 s'])
  t.same(texts({ aperture: 2.828 }), ['f/2.8'], 'only what is known')
  t.same(texts({ cameraMake: 'NIKON CORPORATION', cameraModel: 'NIKON Z 6' }), ['NIKON Z 6'])
  t.same(texts({ cameraMake: 'Apple', cameraModel: 'iPhone 15' }), ['Apple iPhone 15'])
  t.same(texts({ cameraMake: 'Apple' }), ['Apple'])
  t.same(texts({ taken: 'nonsense', channels: 0 }), [])
})

t.test('a photo shows the time of its camera with the offset from UTC, a video the time here', async (t) => {
  const taken = '2024-05-01T12:30:00+09:00'
  t.match(facts({ taken }), { 'Date taken': /^May 1, 2024, 12:30\sPM \(UTC\+09:00\)$/ })
  t.match(facts({ taken: '2024-05-01T12:30:00' }), { 'Date taken': /^May 1, 2024, 12:30\sPM$/ })
  const here = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' }).format(
    Date.parse(taken),
  )
  t.same(texts({ taken }, 'video'), [here])
})

t.test('a video shows its frames and length, and music its sound', async (t) => {
  t.strictSame(facts({ durationSeconds: 3725.4, fps: 29.97, bitrate: 1_234_567, codec: 'h264' }, 'video'), {
    'Frames per second': '29.97',
    Duration: '1:02:05',
    'Bit rate': '1,235 kbit/s',
    Codec: 'h264',
  })
  const sound = (channels: number) => facts({ channels, sampleRate: 96_000 }, 'audio')
  t.strictSame(sound(1), { 'Sample rate': '96 kHz', Channels: 'Mono' })
  t.strictSame(sound(2), { 'Sample rate': '96 kHz', Channels: 'Stereo' })
  t.strictSame(sound(6), { 'Sample rate': '96 kHz', Channels: '6 channels' })
})

t.test('the artist of an album is shown if it is another one than that of the song', async (t) => {
  const song = { title: 'Étude', artist: 'Ada', album: 'Numbers', track: 1, year: 1999 }
  t.strictSame(facts({ ...song, albumArtist: 'Ada' }, 'audio'), {
    ...{ Title: 'Étude', Artist: 'Ada', Album: 'Numbers' },
    ...{ Year: '1999', Track: '1' },
  })
  t.match(facts({ ...song, albumArtist: 'Various' }, 'audio'), { 'Album artist': 'Various' })
})

t.test('numbers with units keep their order in languages from right to left', async (t) => {
  const about = {
    taken: '2024-05-01T12:30:00',
    iso: 100,
    focalLengthMm: 35,
    software: '<b>',
    description: 'a b#',
  }
  const isolated = mediaFacts({ type: 'image' }, about).map(({ name, isLeftToRight }) => [
    name,
    isLeftToRight === true,
  ])
  t.strictSame(isolated, [
    ['Date taken', false],
    ['Exposure', true],
    ['Focal length', true],
    ['Software', false],
    ['Description', false],
  ])
})

t.test('files that are no photo, music or video tell nothing about themselves', async (t) => {
  for (const type of ['text', 'pdf', 'blob', 'invalid_link'] as const)
    t.same(texts({ title: 'a', taken: '2024-05-01T12:30:00' }, type), [], type)
})
