import { boxesIn, findBox, type Place } from './iso-boxes.ts'
import type { FileWindow } from './window.ts'

/**
 * Returns the size of the pictures of an MP4 or QuickTime file as a player shows them: after the turn that a telephone
 * writes for a video that was taken upright, which `music-metadata` does not read. Empty for other files.
 */
export function shownSize(window: FileWindow): { width?: number; height?: number } {
  try {
    if (window.read(4, 4).toString('latin1') !== 'ftyp') return {}
    const movie = findBox(window, 'moov', { at: 0, length: window.size })
    for (const box of movie ? boxesIn(window, movie) : []) {
      const size = box.type === 'trak' ? trackSize(window, box) : undefined
      if (size) return size
    }
  } catch {
    // A header that points beyond the end of the file.
  }
  return {}
}

/** The size and the matrix of a track are at the end of its header (ISO/IEC 14496-12 §8.3.2). */
function trackSize(window: FileWindow, track: Place): { width: number; height: number } | undefined {
  const place = findBox(window, 'tkhd', track)
  if (!place || place.length < 84 || place.length > 256) return undefined
  const header = window.read(place.at, place.length)
  const size = header.subarray(header.length - 8)
  const [width, height] = [size.readUInt32BE(0) >>> 16, size.readUInt32BE(4) >>> 16]
  if (width === 0 || height === 0) return undefined // a track of sound
  const matrix = header.subarray(header.length - 44)
  const isTurned = matrix.readInt32BE(0) === 0 && matrix.readInt32BE(4) !== 0
  return isTurned ? { width: height, height: width } : { width, height }
}
