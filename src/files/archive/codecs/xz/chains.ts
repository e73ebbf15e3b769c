const hashBits = 16
const deepest = 16
const niceLength = 64

/** A repetition of what is at some place. `length` 0: there is none. */
export interface Found {
  length: number
  distance: number
}

/** Finds repetitions in one text; every place must be told once, in order. */
export interface Chains {
  /** The longest repetition at `at`, of four bytes at least, and notes the place. The answer is used again. */
  find(at: number): Found
  /** Only notes the place. */
  note(at: number): void
}

const heads = new Int32Array(1 << hashBits)
let links = new Int32Array(0)

/** One text at a time: its tables are used again for the next. */
export function createChains(text: Uint8Array, longest: number): Chains {
  heads.fill(-1)
  if (links.length < text.length) links = new Int32Array(text.length)
  const end = text.length - 4
  const found: Found = { length: 0, distance: 0 }
  const note = (at: number): number => {
    const word = (text[at] as number) | ((text[at + 1] as number) << 8) | ((text[at + 2] as number) << 16)
    const slot = Math.imul(word | ((text[at + 3] as number) << 24), 0x9e3779b1) >>> (32 - hashBits)
    const before = heads[slot] as number
    links[at] = before
    heads[slot] = at
    return before
  }
  const follow = (at: number, first: number) => {
    const most = Math.min(longest, text.length - at)
    let before = first
    for (let depth = 0; before >= 0 && depth < deepest && found.length < niceLength; depth++) {
      const length = sameBytes(text, { before, at, known: found.length, most })
      if (length > found.length) {
        found.length = length
        found.distance = at - before
      }
      before = links[before] as number
    }
  }
  return {
    note(at) {
      if (at <= end) note(at)
    },
    find(at) {
      found.length = 0
      if (at > end) return found
      follow(at, note(at))
      if (found.length < 4) found.length = 0
      return found
    },
  }
}

/** How many bytes are the same, if they are more than `known`; else 0, after one look in most cases. */
function sameBytes(
  text: Uint8Array,
  { before, at, known, most }: { before: number; at: number; known: number; most: number },
): number {
  if (known >= most || text[before + known] !== text[at + known]) return 0
  let length = 0
  while (length < most && text[before + length] === text[at + length]) length++
  return length
}
