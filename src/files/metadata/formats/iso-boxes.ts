import type { FileWindow } from './window.ts'

/** A part of a file, in bytes. */
export interface Place {
  at: number
  length: number
}

// More than any normal file has at one level.
const maxBoxes = 200

/**
 * Yields the boxes in a part of an ISO base media file, with the places of their bodies (ISO/IEC 14496-12 §4.2). Reads
 * only their heads.
 *
 * @throws RangeError at the end of the file
 */
export function* boxesIn(
  window: FileWindow,
  { at: start, length }: Place,
): Generator<Place & { type: string }> {
  const end = Math.min(window.size, start + length)
  for (let at = start, n = 0; n < maxBoxes && at + 8 <= end; n++) {
    const head = window.read(at, 16)
    const type = head.toString('latin1', 4, 8)
    const short = head.readUInt32BE(0)
    const headLength = short === 1 ? 16 : 8
    // A stored 1 means 64 bits follow, 0 the rest of the file.
    const whole = short === 1 ? Number(head.readBigUInt64BE(8)) : short || end - at
    if (whole < headLength) return
    yield { type, at: at + headLength, length: Math.min(whole, end - at) - headLength }
    at += whole
  }
}

/** Returns the place of the body of the first box of a type in a part of a file. */
export function findBox(window: FileWindow, type: string, place: Place): Place | undefined {
  for (const box of boxesIn(window, place)) if (box.type === type) return box
  return undefined
}
