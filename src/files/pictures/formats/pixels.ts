/** The size in the header of a picture, read by the rules of its decoder, before decoding. */
export interface PictureHeader {
  /** The stored width and height, in pixels. */
  width: number
  height: number
  /** The orientation of the stored pixels, 1 to 8 (Exif 2.32, tag 0x0112). 1 means upright. */
  orientation: number
  /** The bytes needed for the pixels: `decoderBytes` in the memory of the decoder, `ownBytes` outside of it. */
  decoderBytes: number
  ownBytes: number
}

/** A decoded picture, line by line, with four bytes per pixel: red, green, blue and opacity. */
export interface Pixels {
  width: number
  height: number
  data: Uint8ClampedArray
}

/** The size of the result. */
export interface TargetSize {
  /** The maximum length of the longer side, in pixels. */
  side: number
  /** Whether to crop the picture to a square from its centre. */
  isSquare: boolean
}

/** Returns the visible part of a picture, and its new size in pixels. Pictures are never enlarged. */
function plan({ width, height }: Pixels, { side, isSquare }: TargetSize) {
  const shown = isSquare
    ? { width: Math.min(width, height), height: Math.min(width, height) }
    : { width, height }
  const ratio = Math.min(1, side / Math.max(shown.width, shown.height))
  return {
    left: Math.floor((width - shown.width) / 2),
    top: Math.floor((height - shown.height) / 2),
    shown,
    to: {
      width: Math.max(1, Math.round(shown.width * ratio)),
      height: Math.max(1, Math.round(shown.height * ratio)),
    },
  }
}

/**
 * Makes a picture smaller. Each new pixel is the mean of the old pixels that it covers, weighted by the covered area
 * and by opacity. The source is only read, so it may be the memory of a decoder.
 */
export function shrink(source: Pixels, frame: TargetSize): Pixels {
  const { left, top, shown, to } = plan(source, frame)
  const columns = shares(shown.width, to.width)
  const lines = shares(shown.height, to.height)
  const sums = new Float32Array(to.width * to.height * 4)
  const line = new Float32Array((to.width + 1) * 4)
  for (let y = 0; y < shown.height; y++) {
    line.fill(0)
    addLine(source.data, ((top + y) * source.width + left) * 4, columns, line)
    const target = lines.target[y] ?? 0
    addTo(sums, target * to.width * 4, line, lines.first[y] ?? 0)
    const rest = lines.second[y] ?? 0
    if (rest > 0) addTo(sums, (target + 1) * to.width * 4, line, rest)
  }
  return { ...to, data: toColours(sums) }
}

/** Maps each of `from` old positions to one of `to` new ones, with the share on it and the share on the next one. */
function shares(from: number, to: number) {
  const target = new Int32Array(from)
  const first = new Float32Array(from)
  const second = new Float32Array(from)
  const step = to / from
  for (let n = 0; n < from; n++) {
    const begin = n * step
    const place = Math.min(to - 1, Math.floor(begin + 1e-9))
    const over = place + 1 < to ? Math.max(0, begin + step - (place + 1)) : 0
    target[n] = place
    second[n] = over
    first[n] = step - over
  }
  return { target, first, second }
}

function addLine(
  data: Uint8ClampedArray,
  start: number,
  { target, first, second }: ReturnType<typeof shares>,
  line: Float32Array,
): void {
  // Plain arithmetic on typed arrays, because this loop runs for each pixel. The indices are always in range.
  for (let x = 0, at = start; x < target.length; x++, at += 4) {
    const opacity = data[at + 3] as number
    const place = (target[x] as number) * 4
    const weight = (first[x] as number) * opacity
    const [r, g, b] = [data[at] as number, data[at + 1] as number, data[at + 2] as number]
    line[place] = (line[place] as number) + r * weight
    line[place + 1] = (line[place + 1] as number) + g * weight
    line[place + 2] = (line[place + 2] as number) + b * weight
    line[place + 3] = (line[place + 3] as number) + weight
    const rest = (second[x] as number) * opacity
    if (rest === 0) continue
    line[place + 4] = (line[place + 4] as number) + r * rest
    line[place + 5] = (line[place + 5] as number) + g * rest
    line[place + 6] = (line[place + 6] as number) + b * rest
    line[place + 7] = (line[place + 7] as number) + rest
  }
}

function addTo(sums: Float32Array, start: number, line: Float32Array, weight: number): void {
  const end = Math.min(line.length - 4, sums.length - start)
  for (let n = 0; n < end; n++) sums[start + n] = (sums[start + n] as number) + (line[n] as number) * weight
}

/** Converts sums that are weighted by opacity to colours. */
function toColours(sums: Float32Array): Uint8ClampedArray {
  const data = new Uint8ClampedArray(sums.length)
  for (let at = 0; at < sums.length; at += 4) {
    const opacity = sums[at + 3] as number
    if (opacity === 0) continue
    data[at] = (sums[at] as number) / opacity
    data[at + 1] = (sums[at + 1] as number) / opacity
    data[at + 2] = (sums[at + 2] as number) / opacity
    data[at + 3] = opacity
  }
  return data
}
