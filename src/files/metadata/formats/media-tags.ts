import {
  CouldNotDetermineFileTypeError,
  type IAudioMetadata,
  type IOptions,
  type ITrackInfo,
  parseBlob,
} from 'music-metadata'
import type { FileMetadata } from '#contract/metadata.ts'
import { cleanText, numberWithin } from './clean-text.ts'
import { given } from './exif.ts'
import { shownSize } from './mp4-size.ts'
import type { FileWindow } from './window.ts'

/** The largest piece that the library may read at once, in bytes. Larger ones are covers and other attachments. */
const maxPieceBytes = 8 * 1024 * 1024

/**
 * Reads the tags and the format of an audio or video file. What was found before a damaged part of the file counts.
 *
 * @param type the media type by the name, for a file whose first bytes do not show its format
 */
export async function readMediaTags(window: FileWindow, type: string | undefined): Promise<FileMetadata> {
  let found: IAudioMetadata | undefined
  const options: IOptions = {
    duration: false,
    skipCovers: true,
    mkvUseIndex: true,
    observer: ({ metadata }) => {
      found = metadata
    },
  }
  const parse = (given: string) => parseBlob(blobOf(window, given), options)
  try {
    found = await parse('').catch((error: unknown) => {
      if (type && error instanceof CouldNotDetermineFileTypeError) return parse(type)
      throw error
    })
  } catch {
    // A damaged or an unknown file.
  }
  return found ? { ...fieldsOf(found, window.size), ...shownSize(window) } : {}
}

/** The part of a Blob that the library uses, so that it reads the open file and not more than is allowed. */
function blobOf(window: FileWindow, type: string): Blob {
  const slice = (start = 0, end = window.size) => ({
    async arrayBuffer(): Promise<ArrayBuffer> {
      if (end - start > maxPieceBytes) throw new Error('the piece is too large')
      // The library changes some buffers that it has read.
      return new Uint8Array(window.read(start, end - start)).buffer
    },
  })
  return { size: window.size, type, slice } as unknown as Blob
}

function fieldsOf({ format, common }: IAudioMetadata, size: number): FileMetadata {
  const video = format.trackInfo.find((track) => track.video)
  const duration = format.duration || video?.duration
  // The library returns the bit rate of the sound only.
  const bitrate = video && duration ? (size * 8) / duration : format.bitrate
  return {
    ...given('durationSeconds', rounded(duration, 1e9)),
    ...given('bitrate', rounded(bitrate, 1e12, 0)),
    ...given('codec', cleanText(codecOf(video, format.codec))),
    ...given('sampleRate', numberWithin(format.sampleRate, 1, 1e9)),
    ...given('channels', numberWithin(format.numberOfChannels, 1, 1000)),
    ...given('software', cleanText(format.tool ?? common.encodedby)),
    ...given('taken', format.hasVideo ? timeOf(format.creationTime) : undefined),
    ...videoFields(video),
    ...given('title', cleanText(common.title)),
    ...given('artist', cleanText(common.artist)),
    ...given('album', cleanText(common.album)),
    ...given('albumArtist', cleanText(common.albumartist)),
    ...given('year', numberWithin(common.year, 1, 9999)),
    ...given('track', numberWithin(common.track?.no, 1, 1e6)),
    ...given('genre', cleanText(common.genre?.slice(0, 5).join(', '))),
    ...given('description', cleanText(common.description?.[0] ?? common.comment?.[0]?.text)),
  }
}

/** Codecs of videos that the library does not name, by the four letters in the file (mp4ra.org). */
const videoCodecs = new Map([
  ['avc1', 'H.264'],
  ['avc3', 'H.264'],
  ['hvc1', 'H.265'],
  ['hev1', 'H.265'],
  ['av01', 'AV1'],
  ['vp08', 'VP8'],
  ['vp09', 'VP9'],
  ['mp4v', 'MPEG-4 Visual'],
])

/** The codec of the pictures, if there are any. */
function codecOf(video: ITrackInfo | undefined, codec: string | undefined): string | undefined {
  const name = video?.codecName ?? video?.codecId ?? codec
  // The library writes the letters in angle brackets if it does not know them.
  const letters = /^<(.*)>$/s.exec(name ?? '')?.[1] ?? name
  return letters && (videoCodecs.get(letters) ?? letters)
}

function videoFields(track: ITrackInfo | undefined): FileMetadata {
  const { pixelWidth, pixelHeight, displayWidth, displayHeight, frameRate } = track?.video ?? {}
  const width = numberWithin(displayWidth ?? pixelWidth, 1, 1e6)
  const height = numberWithin(displayHeight ?? pixelHeight, 1, 1e6)
  return {
    ...(width && height && { width: Math.round(width), height: Math.round(height) }),
    ...given('fps', rounded(frameRate, 1e5)),
  }
}

function rounded(value: unknown, most: number, decimals = 3): number | undefined {
  const number = numberWithin(value, 0, most)
  const result = number === undefined ? 0 : Number(number.toFixed(decimals))
  return result > 0 ? result : undefined
}

/** MP4 counts from 1904, and devices without a clock write zero. */
function timeOf(time: Date | undefined): string | undefined {
  const isPossible = time && time.getTime() > 0 && time.getTime() < Date.UTC(9999, 0)
  return isPossible ? `${time.toISOString().slice(0, 19)}+00:00` : undefined
}
