const hashBits = 14
const farthest = 65_535
// Both formats require literals at the end of a block: the last match starts at least 12 bytes before the end.
const quietBytes = 12
const literalEnd = 5

const heads = new Int32Array(1 << hashBits)

/**
 * Finds repetitions of at least four bytes in `[from, to)`, within the last 64 KiB. The search is greedy. Calls
 * `onMatch` for each match, with the start of the literals before it. The steps grow while nothing is found, so that
 * incompressible data take little time.
 *
 * @returns the start of the literals after the last match
 */
export function findMatches(
  source: Uint8Array,
  { from, to }: { from: number; to: number },
  onMatch: (literals: number, at: number, offset: number, length: number) => void,
): number {
  const lastStart = to - quietBytes
  const lastByte = to - literalEnd
  let anchor = from
  let at = from
  let misses = 0
  heads.fill(-1)
  while (at < lastStart) {
    const word = read32(source, at)
    const slot = Math.imul(word, 0x9e3779b1) >>> (32 - hashBits)
    const before = heads[slot] ?? -1
    heads[slot] = at
    if (before < from || at - before > farthest || read32(source, before) !== word) {
      at += 1 + (misses++ >> 6)
      continue
    }
    let length = 4
    while (at + length < lastByte && source[at + length] === source[before + length]) length++
    onMatch(anchor, at, at - before, length)
    at += length
    anchor = at
    misses = 0
  }
  return anchor
}

function read32(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
  return low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
}
