/** Width and height in pixels. */
export interface PictureSize {
  width: number
  height: number
}

/**
 * Reads the size of a picture from the start of its file: PNG, JPEG, GIF, WebP or BMP. Undefined if the start does not
 * contain it.
 */
export function pictureSizeOf(bytes: Uint8Array): PictureSize | undefined {
  if (bytes.length < 30) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const signature = String.fromCharCode(...bytes.subarray(0, 12))
  if (signature.startsWith('\x89PNG')) return { width: view.getUint32(16), height: view.getUint32(20) }
  if (signature.startsWith('GIF8')) return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  // A negative height means that the lines run from the top down.
  if (signature.startsWith('BM'))
    return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }
  if (signature.startsWith('RIFF') && signature.endsWith('WEBP')) return webpSize(view)
  return signature.startsWith('\xff\xd8') ? jpegSize(view) : undefined
}

/** The markers of JPEG that start a frame. The other markers from C0 to CF are tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Goes from segment to segment, each with its length, up to the first frame. */
function jpegSize(view: DataView): PictureSize | undefined {
  let at = 2
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    // Further FF bytes before a marker are padding.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return undefined
}

// https://developers.google.com/speed/webp/docs/riff_container
function webpSize(view: DataView): PictureSize | undefined {
  const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000
  switch (view.getUint8(15)) {
    case 0x58: // VP8X
      return { width: three(24) + 1, height: three(27) + 1 }
    case 0x4c: {
      // VP8L
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    case 0x20: // VP8 and a space
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    default:
      return undefined
  }
}

/** A camera may store a picture turned by 90°. `shown` is upright, so it decides which side is the width. */
export function turnedLike(size: PictureSize, shown: PictureSize | undefined): PictureSize {
  const isTurned = shown !== undefined && (size.width - size.height) * (shown.width - shown.height) < 0
  return isTurned ? { width: size.height, height: size.width } : size
}
