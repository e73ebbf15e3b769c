/** Probabilities that a bit is 0, in units of 1/2048. Each adapts by 1/32 of the difference. */
export type Probabilities = Uint16Array<ArrayBuffer>

/** The probability 1/2. */
export const evenProbability = 1024

/** Creates `count` probabilities of 1/2. */
export function evenProbabilities(count: number): Probabilities {
  return new Uint16Array(count).fill(evenProbability)
}

const top = 2 ** 24
const carryAt = 2 ** 32

/** The range coder of LZMA: an entropy coder for bits with adaptive probabilities. */
export interface RangeCoder {
  bit(odds: Probabilities, at: number, bit: number): void
  /** Encodes the lowest `count` bits of `value` with the tree of probabilities at `at`, the highest bit first. */
  tree(odds: Probabilities, at: number, value: number, count: number): void
  /** As `tree`, the lowest bit first. */
  reversedTree(odds: Probabilities, at: number, value: number, count: number): void
  /** Encodes bits with the fixed probability 1/2. */
  direct(value: number, count: number): void
  /** The maximum number of bytes that `flush` would return now. */
  flushedBytes(): number
  /** Returns the encoded bytes and resets the coder. Their memory is reused. */
  flush(): Uint8Array
}

/** Creates a range coder. `capacity` is the maximum number of bytes between two flushes. */
export function createRangeCoder(capacity: number): RangeCoder {
  const out = new Uint8Array(capacity)
  let length = 0
  let low = 0
  let range = 0xffffffff
  let cache = 0
  let held = 1

  // A byte is final only when no carry can change it. So 0xff bytes wait together with the byte before them.
  const shift = () => {
    if (low < 0xff000000 || low >= carryAt) {
      const carry = low >= carryAt ? 1 : 0
      for (; held > 0; held--) {
        out[length++] = cache + carry
        cache = 0xff
      }
      cache = (low >>> 24) & 0xff
    }
    held++
    low = (low % top) * 256
  }

  const bit = (odds: Probabilities, at: number, value: number) => {
    const odd = odds[at] as number
    const bound = (range >>> 11) * odd
    if (value === 0) {
      range = bound
      odds[at] = odd + ((2048 - odd) >> 5)
    } else {
      low += bound
      range -= bound
      odds[at] = odd - (odd >> 5)
    }
    while (range < top) {
      range = (range << 8) >>> 0
      shift()
    }
  }

  return {
    bit,
    tree(odds, at, value, count) {
      let node = 1
      for (let left = count - 1; left >= 0; left--) {
        const each = (value >>> left) & 1
        bit(odds, at + node, each)
        node = (node << 1) | each
      }
    },
    reversedTree(odds, at, value, count) {
      let node = 1
      for (let index = 0; index < count; index++) {
        const each = (value >>> index) & 1
        bit(odds, at + node, each)
        node = (node << 1) | each
      }
    },
    direct(value, count) {
      for (let left = count - 1; left >= 0; left--) {
        range >>>= 1
        if ((value >>> left) & 1) low += range
        while (range < top) {
          range = (range << 8) >>> 0
          shift()
        }
      }
    },
    flushedBytes: () => length + held + 5,
    flush() {
      for (let index = 0; index < 5; index++) shift()
      const coded = out.subarray(0, length)
      length = 0
      low = 0
      range = 0xffffffff
      cache = 0
      held = 1
      return coded
    },
  }
}
