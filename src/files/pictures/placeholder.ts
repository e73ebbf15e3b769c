import { rotateUpright } from './formats/orientation.ts'
import type { Pixels } from './formats/pixels.ts'

/** About as many cells as a placeholder has. */
const usualCells = 14
const maxSide = 8
/** The pixels of each cell that are read, in each direction: enough for a colour, and few for a large picture. */
const samples = 12
// A picture with more transparency than a soft edge has no placeholder: its background is not known.
const minOpacity = 250

/**
 * Returns a tiny version of a picture, in the form that `placeholder` in the contract describes. Reads few of the
 * pixels. Undefined for a picture that is partly transparent.
 */
export function placeholderOf(pixels: Pixels, orientation: number): Uint8Array | undefined {
  const grid = sampleCells(pixels)
  if (!grid) return undefined
  const { width, height, data } = rotateUpright(grid, orientation)
  const bytes = Buffer.alloc(1 + width * height * 2)
  bytes.writeUInt8(width * 16 + height)
  for (let n = 0; n < width * height; n++) {
    const [r = 0, g = 0, b = 0] = data.subarray(n * 4, n * 4 + 3)
    bytes.writeUInt16BE((scaled(r, 31) << 11) | (scaled(g, 63) << 5) | scaled(b, 31), 1 + n * 2)
  }
  return new Uint8Array(bytes)
}

function scaled(value: number, most: number): number {
  return Math.round((value / 255) * most)
}

function sampleCells({ width, height, data }: Pixels): Pixels | undefined {
  const [columns, lines] = [cells(width / height), cells(height / width)]
  const grid = new Uint8ClampedArray(columns * lines * 4)
  for (let cell = 0; cell < columns * lines; cell++) {
    const sums = [0, 0, 0, 0]
    for (let n = 0; n < samples * samples; n++) {
      const x = ((cell % columns) + ((n % samples) + 0.5) / samples) / columns
      const y = (Math.floor(cell / columns) + (Math.floor(n / samples) + 0.5) / samples) / lines
      const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 4
      for (const channel of [0, 1, 2, 3]) sums[channel] = (sums[channel] ?? 0) + (data[at + channel] ?? 0)
    }
    const means = sums.map((sum) => sum / (samples * samples))
    if ((means[3] ?? 0) < minOpacity) return undefined
    grid.set(means, cell * 4)
  }
  return { width: columns, height: lines, data: grid }
}

/** The cells along one side of a picture: 4 × 4 for a square, 4 × 3 and 5 × 3 for photos, never more than 18 in all. */
function cells(ratio: number): number {
  return Math.min(maxSide, Math.max(1, Math.round(Math.sqrt(usualCells * ratio))))
}
