const hashBits = 14
const farthest = 65_535
// Both formats want the end of a block as it is: the last match begins 12 bytes before it at the latest.
const quietBytes = 12
const literalEnd = 5

const heads = new Int32Array(1 << hashBits)

/**
 * Finds repetitions of at least four bytes in `[from, to)`, greedily, within the 64 KiB before. Each is told with where
 * the bytes before it begin that were not told yet. The longer nothing is found, the larger the steps, so that what cannot
 * be made smaller costs little time.
 *
 * @returns where the bytes begin that follow the last repetition.
 */
export function findMatches(
  source: Uint8Array,
  { from, to }: { from: number; to: number },
  tell: (literals: number, at: number, offset: number, length: number) => void,
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
    tell(anchor, at, at - before, length)
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
