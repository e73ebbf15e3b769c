const hashBits = 16
const deepest = 16
const niceLength = 64

/** A match: an earlier copy of the bytes at a position. `length` 0 means no match. */
export interface Match {
  length: number
  distance: number
}

/** Finds matches in one text with hash chains. Call `find` or `note` once for each position, in order. */
export interface HashChains {
  /** Returns the longest match at `at`, of at least four bytes, and adds the position. The result object is reused. */
  find(at: number): Match
  /** Only adds the position. */
  note(at: number): void
}

const heads = new Int32Array(1 << hashBits)
let links = new Int32Array(0)

/** Creates a match finder. Only one may be in use at a time, because all share the same tables. */
export function createHashChains(text: Uint8Array, longest: number): HashChains {
  heads.fill(-1)
  if (links.length < text.length) links = new Int32Array(text.length)
  const end = text.length - 4
  const found: Match = { length: 0, distance: 0 }
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

/** Returns the number of equal bytes if it is more than `known`, otherwise 0. Mostly one comparison decides. */
function sameBytes(
  text: Uint8Array,
  { before, at, known, most }: { before: number; at: number; known: number; most: number },
): number {
  if (known >= most || text[before + known] !== text[at + known]) return 0
  let length = 0
  while (length < most && text[before + length] === text[at + length]) length++
  return length
}
