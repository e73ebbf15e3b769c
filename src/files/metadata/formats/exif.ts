import exifr from 'exifr'
import type { FileMetadata } from '#contract/metadata.ts'
import { cleanText, numberWithin } from './clean-text.ts'
import { isSoundTiff, type TagsToRead } from './tiff-check.ts'

// Exif 2.32, tables 4, 7 and 15. Only these tags are read.
const tags = {
  width: 0x0100,
  height: 0x0101,
  description: 0x010e,
  make: 0x010f,
  model: 0x0110,
  orientation: 0x0112,
  software: 0x0131,
  changed: 0x0132,
  exposure: 0x829a,
  aperture: 0x829d,
  iso: 0x8827,
  taken: 0x9003,
  digitized: 0x9004,
  changedOffset: 0x9010,
  takenOffset: 0x9011,
  digitizedOffset: 0x9012,
  focalLength: 0x920a,
  lens: 0xa434,
  northOrSouth: 0x0001,
  latitude: 0x0002,
  eastOrWest: 0x0003,
  longitude: 0x0004,
  belowSea: 0x0005,
  altitude: 0x0006,
} as const

const t = tags
const picture = [t.width, t.height, t.orientation, t.changed]
const times = [t.taken, t.digitized, t.changedOffset, t.takenOffset, t.digitizedOffset]

const tagsOfFolder = { ifd0: picture, exif: times, gps: [] }
const tagsOfFile = {
  ifd0: [...picture, t.description, t.make, t.model, t.software],
  exif: [...times, t.exposure, t.aperture, t.iso, t.focalLength, t.lens],
  gps: [t.northOrSouth, t.latitude, t.eastOrWest, t.longitude, t.belowSea, t.altitude],
}

function optionsFor({ ifd0, exif, gps }: TagsToRead) {
  const raw = { translateKeys: false, translateValues: false, reviveValues: false, mergeOutput: false }
  const others = { sanitize: true, interop: false, ifd1: false }
  return {
    ...raw,
    ...others,
    ifd0: { pick: ifd0 },
    exif: { pick: exif },
    gps: gps.length > 0 && { pick: gps },
  }
}

// The library prepares options once for each object.
const forFolder = optionsFor(tagsOfFolder)
const forFile = optionsFor(tagsOfFile)

type Directory = Readonly<Record<number, unknown>>

/** The values of the tags in Exif data, as the library returns them: any type that a file may contain. */
export interface ExifValues {
  ifd0?: Directory
  exif?: Directory
  gps?: Directory
}

/**
 * Reads Exif data: a TIFF structure. Only the named tags of three directories are read, and the library follows no
 * chains, so the time is bounded by the size. Nothing is read if one of these tags is not as the standard says.
 *
 * @param how.isWhole also reads the tags that only the response for a single file has
 */
export async function readExif(tiff: Buffer, { isWhole }: { isWhole: boolean }): Promise<ExifValues> {
  const isTiff = /^(II\*\0|MM\0\*)/.test(tiff.toString('latin1', 0, 4))
  if (!isTiff || !isSoundTiff(tiff, isWhole ? tagsOfFile : tagsOfFolder)) return {}
  const values: ExifValues | undefined = await exifr.parse(tiff, isWhole ? forFile : forFolder)
  return values ?? {}
}

/** When the picture was taken; see the contract. Undefined when the camera did not write a possible time. */
export function takenIn({ ifd0 = {}, exif = {} }: ExifValues): string | undefined {
  return (
    timeOf(exif[t.taken], exif[t.takenOffset]) ??
    timeOf(exif[t.digitized], exif[t.digitizedOffset]) ??
    timeOf(ifd0[t.changed], exif[t.changedOffset])
  )
}

function timeOf(time: unknown, offset: unknown): string | undefined {
  // Exif writes 2024:05:01 12:30:00. Some programs write other separators.
  if (typeof time !== 'string') return undefined
  const [, date, clock] = /^(\d{4}[:-]\d\d[:-]\d\d)[ T](\d\d:\d\d:\d\d)/.exec(time) ?? []
  if (!date || !clock) return undefined
  const iso = `${date.replaceAll(':', '-')}T${clock}`
  const moment = new Date(`${iso}Z`)
  if (Number.isNaN(moment.getTime()) || iso < '1800') return undefined
  // 30 February would become another day.
  if (moment.toISOString().slice(0, 19) !== iso) return undefined
  const [zone = ''] = typeof offset === 'string' ? (/^[+-]\d\d:[0-5]\d/.exec(offset) ?? []) : []
  return iso + (Number(zone.slice(1, 3)) <= 14 ? zone : '')
}

/** The size and the orientation that a TIFF file has in its first directory. */
export function tiffSize({ ifd0 = {} }: ExifValues) {
  const width = numberWithin(ifd0[t.width], 1, maxSide)
  const height = numberWithin(ifd0[t.height], 1, maxSide)
  const orientation = numberWithin(ifd0[t.orientation], 1, 8) ?? 1
  return width && height ? { width, height, orientation } : undefined
}

/** No format has longer sides. */
export const maxSide = 0xffff_ffff

/** What Exif data say about the camera, the exposure and the place. */
export function cameraFields({ ifd0 = {}, exif = {}, gps = {} }: ExifValues): FileMetadata {
  return {
    ...given('cameraMake', cleanText(ifd0[t.make])),
    ...given('cameraModel', cleanText(ifd0[t.model])),
    ...given('software', cleanText(ifd0[t.software])),
    ...given('description', cleanText(ifd0[t.description])),
    ...given('lens', cleanText(exif[t.lens])),
    ...given('exposureSeconds', numberWithin(exif[t.exposure], 1e-9, 1e6)),
    ...given('aperture', numberWithin(exif[t.aperture], 1e-3, 1e4)),
    ...given('iso', numberWithin(firstOf(exif[t.iso]), 1, 1e9)),
    ...given('focalLengthMm', numberWithin(exif[t.focalLength], 1e-3, 1e6)),
    ...placeFields(gps),
  }
}

function placeFields(gps: Directory): FileMetadata {
  const latitude = degrees(gps[t.latitude], 90)
  const longitude = degrees(gps[t.longitude], 180)
  // Cameras without a fix write zeros.
  const isKnown = latitude !== undefined && longitude !== undefined && (latitude !== 0 || longitude !== 0)
  const altitude = numberWithin(gps[t.altitude], 0, 1e6)
  const isBelow = Number(firstOf(gps[t.belowSea])) === 1
  return {
    ...(isKnown && {
      latitude: isLetter(gps[t.northOrSouth], 'S') ? -latitude : latitude,
      longitude: isLetter(gps[t.eastOrWest], 'W') ? -longitude : longitude,
    }),
    ...(isKnown && given('altitudeMeters', altitude && isBelow ? -altitude : altitude)),
  }
}

/** Converts degrees, minutes and seconds. */
function degrees(value: unknown, most: number): number | undefined {
  if (!Array.isArray(value) || value.length !== 3) return undefined
  const [whole, minutes, seconds] = value
  const sum = whole + minutes / 60 + (Number.isFinite(seconds) ? seconds / 3600 : 0)
  // Seven decimals are a centimetre.
  return numberWithin(Math.round(sum * 1e7) / 1e7, 0, most)
}

function isLetter(value: unknown, letter: string): boolean {
  return typeof value === 'string' && value.toUpperCase().startsWith(letter)
}

/** Some cameras write a list where the standard has one number. */
function firstOf(value: unknown): unknown {
  return Array.isArray(value) || ArrayBuffer.isView(value) ? (value as unknown as unknown[])[0] : value
}

/** An object with the key, or an empty one if there is no value. */
export function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}
