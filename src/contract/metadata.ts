import Type, { type Static } from 'typebox'
import type { Address, Endpoint } from './schema/endpoint.ts'
import { PathParams } from './schema/resource-path.ts'
import { Shape } from './schema/shape.ts'

/** What a request can ask about the entries of a folder. */
export const metadataFields = ['taken', 'dimensions', 'placeholder', 'owner'] as const
export type MetadataField = (typeof metadataFields)[number]

/** What is known about an entry of a folder and about a file. Each field is missing when it is unknown. */
const common = {
  /**
   * When a picture was taken: the local time of the camera, `2024-05-01T12:30:00`, and its offset from UTC, such as
   * `+02:00`, if the file has it. Videos have only the time in UTC, with the offset `+00:00`.
   */
  taken: Type.Optional(Type.String()),
  /** Pixels, as the picture is shown: after its orientation is applied. */
  width: Type.Optional(Type.Integer()),
  height: Type.Optional(Type.Integer()),
  /**
   * A tiny picture to show until the preview arrives, in base64. Known once the server has made a preview of the file.
   * Missing for pictures that are partly transparent.
   *
   * The first byte is the number of columns times 16 plus the number of lines, each 1 to 8. Each cell follows, line by
   * line from the top left: a colour in two bytes, the high byte first, with 5 bits of red, 6 of green and 5 of blue. At
   * most 40 bytes. To show it: put the cells into a canvas of that many pixels, and let the browser enlarge it smoothly
   * to the size of the picture.
   */
  placeholder: Type.Optional(Type.String()),
  /** Name of the owner on the server, or the number of the owner if it has no name. Missing on Windows. */
  owner: Type.Optional(Type.String()),
}

export const EntryMetadata = Shape(common)
export type EntryMetadata = Static<typeof EntryMetadata>

export const FolderMetadata = Shape({
  /** By the names of the entries. Only entries about which something is known. */
  items: Type.Record(Type.String(), EntryMetadata),
  /** False: the server has not read all files yet. Ask again, until it is true: each request reads more of them. */
  complete: Type.Boolean(),
})
export type FolderMetadata = Static<typeof FolderMetadata>

const text = Type.Optional(Type.String())
const number = Type.Optional(Type.Number())

export const FileMetadata = Shape({
  ...common,
  cameraMake: text,
  cameraModel: text,
  lens: text,
  exposureSeconds: number,
  /** The f-number. */
  aperture: number,
  iso: number,
  focalLengthMm: number,
  /** Degrees, positive in the north and in the east. */
  latitude: number,
  longitude: number,
  /** Above the sea, negative below it. */
  altitudeMeters: number,
  /** The program that wrote the file. */
  software: text,
  description: text,
  durationSeconds: number,
  /** Bits per second. */
  bitrate: number,
  codec: text,
  /** Hertz. */
  sampleRate: number,
  channels: number,
  title: text,
  artist: text,
  album: text,
  albumArtist: text,
  year: number,
  /** The number of the track on the album. */
  track: number,
  genre: text,
  /** Frames per second. */
  fps: number,
})
export type FileMetadata = Static<typeof FileMetadata>

export const metadata = {
  'GET /api/metadata/*': {
    access: 'signed-in',
    summary:
      'Get what the files in a folder say about themselves, such as dates and sizes of pictures; or all of one file',
    params: PathParams,
    query: Shape({
      /**
       * For a folder: some of `taken`, `dimensions`, `placeholder` and `owner`, separated by commas; by default the first
       * three. For a file: ignored, it has all.
       */
      fields: Type.Optional(
        Type.String({
          maxLength: 64,
          pattern: `^(${metadataFields.join('|')})(,(${metadataFields.join('|')}))*$`,
        }),
      ),
    }),
    reply: Type.Union([FolderMetadata, FileMetadata]),
  },
} satisfies Record<Address, Endpoint>
