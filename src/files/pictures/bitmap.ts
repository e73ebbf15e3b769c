import type { Pixels } from './formats/pixels.ts'

/**
 * Decodes an uncompressed Windows bitmap with 24 or 32 bits per pixel, or a palette of up to 256 colours. Returns
 * undefined for other, obsolete variants, and when lines are missing.
 */
export function decodeBitmap(bytes: Buffer): Pixels | undefined {
  const [width, signed] = [bytes.readInt32LE(18), bytes.readInt32LE(22)]
  const [bits, compression] = [bytes.readUInt16LE(28), bytes.readUInt32LE(30)]
  const height = Math.abs(signed)
  // With 32 bits, programs write BI_BITFIELDS for the plain order blue, green, red.
  const isPlain = compression === 0 || (compression === 3 && bits === 32)
  if (!isPlain || ![8, 24, 32].includes(bits)) return undefined
  const first = bytes.readUInt32LE(10)
  const stride = Math.ceil((width * bits) / 32) * 4
  if (first + stride * height > bytes.length) return undefined
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y++) {
    const line = first + stride * (signed < 0 ? y : height - 1 - y)
    putLine(bytes, { line, size: bits / 8, width }, data.subarray(y * width * 4))
  }
  return { width, height, data }
}

function putLine(
  bytes: Buffer,
  { line, size, width }: { line: number; size: number; width: number },
  to: Uint8ClampedArray,
): void {
  // The palette follows the header, with four bytes per colour.
  const palette = 14 + bytes.readUInt32LE(14)
  for (let x = 0, at = 0; x < width; x++, at += 4) {
    const pixel = line + x * size
    const from = size === 1 ? palette + (bytes[pixel] as number) * 4 : pixel
    // If the palette is incomplete, missing colours are black.
    to[at] = bytes[from + 2] ?? 0
    to[at + 1] = bytes[from + 1] ?? 0
    to[at + 2] = bytes[from] ?? 0
    to[at + 3] = 255
  }
}
