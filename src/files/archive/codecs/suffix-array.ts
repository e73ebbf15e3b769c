import { free } from '#src/core/memory/free.ts'

/**
 * Sorts the suffixes of `text` by induced sorting (SA-IS; Nong, Zhang, Chan: "Two Efficient Algorithms for Linear Time
 * Suffix Array Construction", 2011). Takes linear time for any text. All symbols must be less than `symbols`.
 */
export function suffixArray(text: Uint8Array | Int32Array, symbols: number): Int32Array<ArrayBuffer> {
  const n = text.length
  const order = new Int32Array(n)
  if (n < 2) return order
  const types = smallerThanNext(text)
  const buckets = bucketsOf(text, symbols)
  const marks = leftmost(types)
  induce({ text, types, buckets, order }, marks)
  if (marks.length > 0) {
    const sorted = sortMarks({ text, types, order, marks })
    induce({ text, types, buckets, order }, sorted)
    free(sorted)
  }
  free(types, marks)
  return order
}

interface Work {
  text: Uint8Array | Int32Array
  /** 1 where a suffix is smaller than the next one (S-type), 0 elsewhere (L-type). */
  types: Uint8Array
  buckets: Buckets
  order: Int32Array
}

interface Buckets {
  starts: Int32Array
  ends: Int32Array
}

function smallerThanNext(text: Uint8Array | Int32Array): Uint8Array<ArrayBuffer> {
  const types = new Uint8Array(text.length)
  for (let at = text.length - 2; at >= 0; at--) {
    const own = text[at] as number
    const next = text[at + 1] as number
    types[at] = own === next ? (types[at + 1] as number) : Number(own < next)
  }
  return types
}

function bucketsOf(text: Uint8Array | Int32Array, symbols: number): Buckets {
  const starts = new Int32Array(symbols + 1)
  for (let at = 0; at < text.length; at++) (starts[(text[at] as number) + 1] as number)++
  for (let symbol = 0; symbol < symbols; symbol++) (starts[symbol + 1] as number) += starts[symbol] as number
  return { starts: starts.subarray(0, symbols), ends: starts.subarray(1) }
}

/** Returns the LMS positions (S-type after L-type), from left to right. */
function leftmost(types: Uint8Array): Int32Array<ArrayBuffer> {
  const marks = new Int32Array((types.length >> 1) + 1)
  let count = 0
  for (let at = 1; at < types.length; at++) if (types[at] === 1 && types[at - 1] === 0) marks[count++] = at
  return marks.subarray(0, count)
}

/** Puts `marks` (LMS positions) at the ends of their buckets, then induces the order of all other suffixes. */
function induce({ text, types, buckets, order }: Work, marks: Int32Array): void {
  const n = text.length
  order.fill(-1)
  const tails = buckets.ends.slice()
  for (let index = marks.length - 1; index >= 0; index--) {
    const at = marks[index] as number
    const symbol = text[at] as number
    const slot = (tails[symbol] as number) - 1
    tails[symbol] = slot
    order[slot] = at
  }
  const heads = buckets.starts.slice()
  const last = text[n - 1] as number
  order[heads[last] as number] = n - 1
  ;(heads[last] as number)++
  for (let index = 0; index < n; index++) {
    const at = (order[index] as number) - 1
    if (at < 0 || types[at] === 1) continue
    const symbol = text[at] as number
    const slot = heads[symbol] as number
    heads[symbol] = slot + 1
    order[slot] = at
  }
  tails.set(buckets.ends)
  for (let index = n - 1; index >= 0; index--) {
    const at = (order[index] as number) - 1
    if (at < 0 || types[at] === 0) continue
    const symbol = text[at] as number
    const slot = (tails[symbol] as number) - 1
    tails[symbol] = slot
    order[slot] = at
  }
}

/** Sorts the LMS positions by their suffixes. `order` must already sort them by their LMS substrings. */
function sortMarks({
  text,
  types,
  order,
  marks,
}: Omit<Work, 'buckets'> & { marks: Int32Array }): Int32Array<ArrayBuffer> {
  const indexAt = new Int32Array(text.length).fill(-1)
  for (let index = 0; index < marks.length; index++) indexAt[marks[index] as number] = index
  const reduced = new Int32Array(marks.length)
  let name = -1
  let before = -1
  for (let index = 0; index < order.length; index++) {
    const at = order[index] as number
    if (at < 1 || types[at] !== 1 || types[at - 1] !== 0) continue
    const mark = indexAt[at] as number
    if (before < 0 || !samePiece(text, marks, { one: before, other: mark })) name++
    reduced[mark] = name
    before = mark
  }
  free(indexAt)
  const sorted = new Int32Array(marks.length)
  if (name + 1 === marks.length) {
    for (let mark = 0; mark < marks.length; mark++) sorted[reduced[mark] as number] = marks[mark] as number
    free(reduced)
    return sorted
  }
  const inner = suffixArray(reduced, name + 1)
  for (let index = 0; index < inner.length; index++) sorted[index] = marks[inner[index] as number] as number
  free(inner, reduced)
  return sorted
}

/** Whether the LMS substrings at two marks are equal. The last substring equals no other. */
function samePiece(
  text: Uint8Array | Int32Array,
  marks: Int32Array,
  { one, other }: { one: number; other: number },
): boolean {
  if (one === marks.length - 1 || other === marks.length - 1) return false
  const from = marks[one] as number
  const length = (marks[one + 1] as number) - from
  const second = marks[other] as number
  if ((marks[other + 1] as number) - second !== length) return false
  for (let at = 0; at <= length; at++) if (text[from + at] !== text[second + at]) return false
  return true
}
