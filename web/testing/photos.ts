import { cameraExif, jpegWithExif, tiffOf } from '#src/testing/exif-data.ts'
import { asJpeg, plain } from '#src/testing/pictures.ts'

/** A photo of `width` × `height` pixels, taken at `2024:05:01 12:30:00`, the camera held level. */
export async function photo(taken: string, width = 60, height = 40, colour = 120): Promise<Buffer> {
  const { ifd0, exif, gps = {} } = cameraExif
  const upright = { ...ifd0, 274: { short: [1] } }
  const tiff = tiffOf({ ifd0: upright, exif: { ...exif, 36867: taken }, gps })
  return jpegWithExif(await asJpeg(plain(width, height, [colour, 120, 60])), tiff)
}
