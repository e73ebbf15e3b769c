import { orientationOf } from './orientation.ts'
import type { PictureHeader } from './pixels.ts'

// ITU-T T.81 table B.1. The rules here are those of `read_markers` in libjpeg.
const sof = {
  baseline: 0xc0,
  extended: 0xc1,
  progressive: 0xc2,
  arithmetic: 0xc9,
  progressiveArithmetic: 0xca,
}
const known: ReadonlySet<number> = new Set(Object.values(sof))
const progressive: ReadonlySet<number> = new Set([sof.progressive, sof.progressiveArithmetic])
const sos = 0xda
const app1 = 0xe1
/** Markers with a segment that the decoder reads or skips: DHT, DAC, DQT, DNL, DRI, APP0 to APP15, COM. */
const withSegment: ReadonlySet<number> = new Set([
  ...[0xc4, 0xcc, 0xdb, 0xdc, 0xdd, 0xfe],
  ...Array.from({ length: 16 }, (_, n) => 0xe0 + n),
])

/** The contents of a frame header. */
interface Frame {
  width: number
  height: number
  components: number
  /** Samples per pixel of all components together: 3 without subsampling, 1.5 with the usual 4:2:0. */
  samples: number
  isProgressive: boolean
}

/**
 * Returns the size of a JPEG as libjpeg reads it, from the only frame header before the first scan. A file with two
 * frame headers is refused, as by the decoder. Undefined when the decoder would not reach a scan.
 */
export function jpegSize(bytes: Buffer): PictureHeader | undefined {
  let orientation = 1
  let frame: Frame | undefined
  for (const { marker, segment } of segments(bytes)) {
    if (marker === sos) return frame && sizeOf(frame, orientation, segment.readUInt8(0))
    if (known.has(marker) && !frame) frame = frameOf(segment, progressive.has(marker))
    else if (!withSegment.has(marker)) return undefined
    if (marker === app1 && orientation === 1) orientation = orientationOf(segment)
  }
  return undefined
}

/** Yields the markers after the first one, with their segments. */
function* segments(bytes: Buffer): Generator<{ marker: number; segment: Buffer }> {
  for (let at = nextMarker(bytes, 2); at !== undefined; ) {
    const marker = bytes.readUInt8(at)
    // TEM and RST0 to RST7 have no segment.
    const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)
    const length = isAlone ? 0 : Math.max(2, bytes.readUInt16BE(at + 1))
    if (!isAlone) yield { marker, segment: bytes.subarray(at + 3, at + 1 + length) }
    at = nextMarker(bytes, at + 1 + length)
  }
}

/** Returns the offset of the code of the next marker. Skips other bytes before it, as libjpeg does. */
function nextMarker(bytes: Buffer, start: number): number | undefined {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at)) {
    while (bytes[at] === 0xff) at++ // any number of fill bytes may precede a code
    if (at + 4 > bytes.length) return undefined
    if (bytes[at] !== 0) return at
  }
  return undefined
}

function frameOf(segment: Buffer, isProgressive: boolean): Frame {
  const components = segment.readUInt8(5)
  const factors = Array.from({ length: components }, (_, n) => segment.readUInt8(7 + n * 3))
  const across = factors.map((factor) => factor >> 4)
  const down = factors.map((factor) => factor & 15)
  const all = factors.reduce((sum, factor) => sum + (factor >> 4) * (factor & 15), 0)
  return {
    height: segment.readUInt16BE(1),
    width: segment.readUInt16BE(3),
    components,
    samples: all / Math.max(1, Math.max(...across) * Math.max(...down)),
    isProgressive,
  }
}

/** Returns the size. The decoder needs 4.3 bytes per pixel, plus 2.1 per sample if it must buffer several scans. */
function sizeOf(frame: Frame, orientation: number, inFirstScan: number): PictureHeader {
  const { width, height, components, samples, isProgressive } = frame
  const isBuffered = isProgressive || inFirstScan < components
  const perPixel = 4.3 + (isBuffered ? samples * 2.1 : 0)
  return { width, height, orientation, decoderBytes: width * height * perPixel, ownBytes: 0 }
}
