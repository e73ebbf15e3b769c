import type { FileMetadata } from '#contract/metadata.ts'
import { mediaType } from '#src/files/listing/entry.ts'
import { cameraFields, given, takenIn } from './formats/exif.ts'
import { readPicture } from './formats/picture-header.ts'
import { openWindow } from './formats/window.ts'

/** An open file. All threads share its descriptor. */
export interface FileTask {
  fd: number
  /** Bytes. */
  size: number
  name: string
}

/** The fields of a picture that a folder shows. */
export type PictureMetadata = Pick<FileMetadata, 'taken' | 'width' | 'height'>

const kibibyte = 1024
// The header of a picture is in its first 64 KiB, or behind a few large parts that are skipped.
const maxHeaderBytes = 768 * kibibyte
const maxFileBytes = 24 * 1024 * kibibyte

/** Reads the fields that a folder shows from the header of a picture. */
export async function readPictureFields({ fd, size, name }: FileTask): Promise<PictureMetadata> {
  const window = openWindow(fd, size, maxHeaderBytes)
  const { width, height, exif } = await readPicture(window, { isTiffName: isTiff(name), isWhole: false })
  return { ...given('taken', takenIn(exif)), ...given('width', width), ...given('height', height) }
}

/** Reads everything that a picture, a video or an audio file says about itself. Nothing for other types of files. */
export async function readFileFields({ fd, size, name }: FileTask): Promise<FileMetadata> {
  const type = mediaType(name)
  const window = openWindow(fd, size, maxFileBytes)
  if (type?.startsWith('image/')) {
    const { width, height, exif } = await readPicture(window, { isTiffName: isTiff(name), isWhole: true })
    return {
      ...given('width', width),
      ...given('height', height),
      ...given('taken', takenIn(exif)),
      ...cameraFields(exif),
    }
  }
  if (!type || !/^(audio|video)\//.test(type)) return {}
  // Most threads read only pictures, and start sooner without the code for other files.
  const { readMediaTags } = await import('./formats/media-tags.ts')
  return readMediaTags(window, type)
}

function isTiff(name: string): boolean {
  return /\.tiff?$/i.test(name)
}
