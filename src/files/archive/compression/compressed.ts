import { mediaType } from '#src/files/listing/entry.ts'

const plainPictures = /^image\/(svg|bmp|x-ms-bmp|x-portable|tiff|vnd\.adobe|x-icon|vnd\.microsoft)/
const plainSounds = /^audio\/(.*wave?$|midi|x-midi|x-aiff|aiff|basic)/
const packed =
  /^(image|audio|video)\/|^font\/woff|^application\/(zip|gzip|zstd|epub\+zip|java-archive|vnd\.(rar|android|apple|oasis\.opendocument|openxmlformats|debian|ms-cab)|x-(7z|rar|bzip|xz|lz|zstd|gtar-compressed|compress|debian|rpm|redhat|apple-diskimage|shockwave))/
// Extensions without a registered media type, or with one that does not show the compression.
const packedExtensions =
  /\.(zst|lz4|lzma|br|sz|txz|tbz2?|tgz|tzst|whl|crx|xpi|heic|heif|avif|jxl|opus|m4b|zipx)$/i

/** Whether a file of this name is already compressed. Compressing it again would only take time. */
export function isCompressed(name: string): boolean {
  if (packedExtensions.test(name)) return true
  const type = mediaType(name)
  return type !== undefined && packed.test(type) && !plainPictures.test(type) && !plainSounds.test(type)
}
