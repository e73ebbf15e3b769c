import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import type { FileMetadata } from '#contract/metadata.ts'
import type { Item } from '#contract/resources.ts'
import { takenMs } from '#web/shared/metadata/taken.ts'
import { formatClock } from '#web/ui/format/clock.ts'
import { formatDate, formatNumber } from '#web/ui/format/format.ts'

/** A line of the panel: its name, its text, and whether the text has numbers and units in their own order. */
export interface MediaFact {
  name: string
  text: string
  isLeftToRight?: boolean
}

type Fact = MediaFact | undefined

const number = (value: number) => formatNumber(value, i18n.locale)

function words(name: string, text: string | 0 | undefined): Fact {
  return text ? { name, text } : undefined
}

function measure(name: string, text: string | 0 | undefined): Fact {
  return text ? { name, text, isLeftToRight: true } : undefined
}

/** What a photo tells about itself, besides its place. */
function photoFacts(about: FileMetadata): MediaFact[] {
  const { lens, focalLengthMm, software, description } = about
  return all([
    words(i18n._(msg`Date taken`), takenText(about, false)),
    words(i18n._(msg`Camera`), cameraText(about)),
    words(i18n._(msg`Lens`), lens),
    measure(i18n._(msg`Exposure`), exposureText(about)),
    measure(i18n._(msg`Focal length`), focalLengthMm && `${number(focalLengthMm)} mm`),
    words(i18n._(msg`Software`), software),
    words(i18n._(msg`Description`), description),
  ])
}

/** The tags of music, and what its sound is. */
function musicFacts(about: FileMetadata): MediaFact[] {
  const { title, artist, album, albumArtist, year, track, genre } = about
  return all([
    words(i18n._(msg`Title`), title),
    words(i18n._(msg`Artist`), artist),
    words(i18n._(msg`Album`), album),
    words(i18n._(msg`Album artist`), albumArtist === artist ? undefined : albumArtist),
    words(i18n._(msg`Year`), year && String(year)),
    words(i18n._(msg`Track`), track && number(track)),
    words(i18n._(msg`Genre`), genre),
    ...streamFacts(about),
  ])
}

/** What a video tells about itself. */
function videoFacts(about: FileMetadata): MediaFact[] {
  const { title, artist, year, genre, description, fps } = about
  return all([
    words(i18n._(msg`Title`), title),
    words(i18n._(msg`Artist`), artist),
    words(i18n._(msg`Year`), year && String(year)),
    words(i18n._(msg`Genre`), genre),
    words(i18n._(msg`Date taken`), takenText(about, true)),
    words(i18n._(msg`Camera`), cameraText(about)),
    words(i18n._(msg`Description`), description),
    measure(i18n._(msg`Frames per second`), fps && number(Math.round(fps * 100) / 100)),
    ...streamFacts(about),
  ])
}

function streamFacts({ durationSeconds, bitrate, codec, sampleRate, channels }: FileMetadata): Fact[] {
  return [
    measure(i18n._(msg`Duration`), durationSeconds && formatClock(durationSeconds, i18n.locale)),
    measure(i18n._(msg`Bit rate`), bitrate && `${number(Math.round(bitrate / 1000))} kbit/s`),
    words(i18n._(msg`Codec`), codec),
    measure(i18n._(msg`Sample rate`), sampleRate && `${number(sampleRate / 1000)} kHz`),
    words(i18n._(msg`Channels`), channels && channelsText(channels)),
  ]
}

function all(facts: readonly Fact[]): MediaFact[] {
  return facts.flatMap((fact) => fact ?? [])
}

/** The time of the camera, and its offset from UTC if the file has it. */
function takenText(about: FileMetadata, isVideo: boolean): string | undefined {
  const ms = takenMs(about, isVideo)
  if (ms === undefined) return undefined
  const offset = isVideo ? undefined : /[+-]\d\d:\d\d$/.exec(about.taken ?? '')?.[0]
  const date = formatDate(ms, i18n.locale)
  return offset ? `${date} (UTC${offset})` : date
}

/** The model, which often begins with the make. */
function cameraText({ cameraMake, cameraModel }: FileMetadata): string | undefined {
  if (!cameraMake || !cameraModel) return cameraModel ?? cameraMake
  const [brand = ''] = cameraMake.split(' ')
  return cameraModel.toLowerCase().startsWith(brand.toLowerCase())
    ? cameraModel
    : `${cameraMake} ${cameraModel}`
}

/** As photographers write it: `1/250 s · f/2.8 · ISO 400`. */
function exposureText({ exposureSeconds, aperture, iso }: FileMetadata): string | undefined {
  const parts = [
    exposureSeconds && `${secondsText(exposureSeconds)} s`,
    aperture && `f/${number(Math.round(aperture * 10) / 10)}`,
    iso && `ISO ${iso}`,
  ]
  return parts.filter(Boolean).join(' · ') || undefined
}

/** Short times as fractions: `1/250`. */
function secondsText(seconds: number): string {
  return seconds < 0.3 ? `1/${Math.round(1 / seconds)}` : number(Math.round(seconds * 10) / 10)
}

function channelsText(channels: number): string {
  if (channels === 1) return i18n._(msg`Mono`)
  if (channels === 2) return i18n._(msg`Stereo`)
  return plural(channels, { one: '# channel', other: '# channels' })
}

/** The facts of a file by its kind. */
export function mediaFacts({ type }: Pick<Item, 'type'>, about: FileMetadata): MediaFact[] {
  if (type === 'image') return photoFacts(about)
  if (type === 'audio') return musicFacts(about)
  return type === 'video' ? videoFacts(about) : []
}
