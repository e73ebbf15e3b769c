import { free } from '#src/core/memory/free.ts'
import { suffixArray } from './suffix-array.ts'

/** The last column of the sorted rotations of a text, and the row of the text itself. */
export interface Transformed {
  last: Uint8Array<ArrayBuffer>
  origin: number
}

/**
 * The Burrows-Wheeler transform, in linear time for any text. If a text is its own least rotation, its rotations have
 * the same order as its suffixes (Giancarlo, Restivo, Sciortino: "From first principles to the Burrows and Wheeler
 * transform and beyond", 2007). So the text is first rotated to its least rotation, then its suffixes are sorted.
 */
export function transform(text: Uint8Array): Transformed {
  const n = text.length
  const turn = leastRotation(text)
  const turned = new Uint8Array(n)
  turned.set(text.subarray(turn))
  turned.set(text.subarray(0, turn), n - turn)
  const order = suffixArray(turned, 256)
  const first = (n - turn) % n
  const last = new Uint8Array(n)
  let origin = 0
  for (let index = 0; index < n; index++) {
    const at = order[index] as number
    if (at === first) origin = index
    last[index] = turned[at === 0 ? n - 1 : at - 1] as number
  }
  free(order, turned)
  return { last, origin }
}

/** Returns the start of the lexicographically least rotation, in linear time. */
export function leastRotation(text: Uint8Array): number {
  const n = text.length
  let one = 0
  let other = 1
  let length = 0
  while (one < n && other < n && length < n) {
    const a = text[(one + length) % n] as number
    const b = text[(other + length) % n] as number
    if (a === b) {
      length++
      continue
    }
    if (a > b) one += length + 1
    else other += length + 1
    if (one === other) other++
    length = 0
  }
  return Math.min(one, other)
}
