import { evenProbabilities, evenProbability, type Probabilities, type RangeCoder } from './range-coder.ts'

// LZMA specification: lc = 3, lp = 0, pb = 2, the default values.
const positions = 4
const states = 12
/** The properties byte that encodes lc, lp and pb. */
export const lzmaProperties = (2 * 5 + 0) * 9 + 3

const shortestMatch = 2
export const longestMatch = 273

/** Encodes literals and matches as bits with adaptive probabilities. */
export interface LzmaModel {
  /** Encodes the byte at `at` as a literal. */
  literal(source: Uint8Array, at: number): void
  /** Encodes a match: `length` bytes that repeat those `distance` bytes before. */
  match(at: number, distance: number, length: number): void
  /** The distance of the last match. */
  last(): number
  /** Resets the model. Keeps its memory. */
  reset(): void
}

/** Creates a model in its initial state. Positions (`at`) count from the start of decoding. */
export function createLzmaModel(coder: RangeCoder): LzmaModel {
  const sets: Probabilities[] = []
  const evenly = (count: number) => {
    const odds = evenProbabilities(count)
    sets.push(odds)
    return odds
  }
  const isMatch = evenly(states * positions)
  const isRepeat = evenly(states)
  const isOther = evenly(states)
  const isLong = evenly(states * positions)
  const literals = evenly(8 * 0x300)
  const slots = evenly(4 * 64)
  const near = evenly(128)
  const align = evenly(16)
  const matchLength = lengthCoder(coder, evenly)
  const repeatLength = lengthCoder(coder, evenly)
  let state = 0
  let lastDistance = 1

  const distanceBits = (distance: number, length: number) => {
    const far = distance - 1
    const width = 31 - Math.clz32(far)
    const slot = far < 4 ? far : (width << 1) | ((far >>> (width - 1)) & 1)
    coder.tree(slots, Math.min(length - shortestMatch, 3) * 64, slot, 6)
    if (slot < 4) return
    const bits = (slot >> 1) - 1
    const base = (2 | (slot & 1)) << bits
    if (slot < 14) return coder.reversedTree(near, base - slot - 1, far - base, bits)
    coder.direct((far - base) >>> 4, bits - 4)
    coder.reversedTree(align, 0, (far - base) & 15, 4)
  }

  return {
    literal(source, at) {
      const byte = source[at] as number
      coder.bit(isMatch, state * positions + (at & 3), 0)
      const base = at > 0 ? ((source[at - 1] as number) >> 5) * 0x300 : 0
      if (state < 7) coder.tree(literals, base, byte, 8)
      else againstMatch(coder, { odds: literals, base, byte, expected: source[at - lastDistance] as number })
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6
    },
    match(at, distance, length) {
      const position = at & 3
      const isSame = distance === lastDistance
      coder.bit(isMatch, state * positions + position, 1)
      coder.bit(isRepeat, state, Number(isSame))
      if (isSame) {
        coder.bit(isOther, state, 0)
        coder.bit(isLong, state * positions + position, 1)
        repeatLength(length, position)
        state = state < 7 ? 8 : 11
        return
      }
      matchLength(length, position)
      distanceBits(distance, length)
      state = state < 7 ? 7 : 10
      lastDistance = distance
    },
    last: () => lastDistance,
    reset() {
      for (const odds of sets) odds.fill(evenProbability)
      state = 0
      lastDistance = 1
    },
  }
}

interface Literal {
  odds: ReturnType<typeof evenProbabilities>
  base: number
  byte: number
  /** The byte that would have continued the last match. */
  expected: number
}

/** Encodes a literal after a match. It probably differs from the byte that would have continued the match. */
function againstMatch(coder: RangeCoder, { odds, base, byte, expected }: Literal): void {
  let mask = 0x100
  let match = expected
  for (let symbol = byte | 0x100; symbol < 0x10000; ) {
    match <<= 1
    coder.bit(odds, base + mask + (match & mask) + (symbol >> 8), (symbol >> 7) & 1)
    symbol <<= 1
    mask &= ~(match ^ symbol)
  }
}

function lengthCoder(
  coder: RangeCoder,
  evenly: (count: number) => Probabilities,
): (length: number, position: number) => void {
  const choice = evenly(2)
  const short = evenly(positions * 8)
  const middle = evenly(positions * 8)
  const long = evenly(256)
  return (length, position) => {
    const rest = length - shortestMatch
    coder.bit(choice, 0, Number(rest >= 8))
    if (rest < 8) return coder.tree(short, position * 8, rest, 3)
    coder.bit(choice, 1, Number(rest >= 16))
    if (rest < 16) coder.tree(middle, position * 8, rest - 8, 3)
    else coder.tree(long, 0, rest - 16, 8)
  }
}
