// The content of a file, as far as the record of system calls shows it. Values never change: a write makes a new one.

/** Bytes that one call has written. */
interface Piece {
  from: number
  to: number
  /** The first bytes. The record leaves out the others. */
  known: Buffer
}

/** The content of a file: its size, and what was written, in the order of the offsets. */
export interface Content {
  readonly size: number
  readonly pieces: readonly Piece[]
}

/** The content of an empty file. */
export const noContent: Content = { size: 0, pieces: [] }

/** The bytes from `from` to `to`, moved to the offset `at`. */
function cut(pieces: readonly Piece[], { from, to, at = from }: { from: number; to: number; at?: number }) {
  return pieces.flatMap((piece) => {
    const start = Math.max(piece.from, from)
    const end = Math.min(piece.to, to)
    if (start >= end) return []
    const known = piece.known.subarray(start - piece.from, end - piece.from)
    return [{ from: start - from + at, to: end - from + at, known }]
  })
}

/** Writes pieces, which follow one another, over the content. */
function overwritten(content: Content, pieces: readonly Piece[]): Content {
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (!first || !last) return content
  const before = cut(content.pieces, { from: 0, to: first.from })
  const after = cut(content.pieces, { from: last.to, to: content.size })
  return { size: Math.max(content.size, last.to), pieces: [...before, ...pieces, ...after] }
}

/** Returns the content after a write of `buffers`, of which only the first bytes are known, at the offset `at`. */
export function written(
  content: Content,
  buffers: readonly { known: Buffer; length: number }[],
  { at, total }: { at: number; total: number },
): Content {
  const pieces: Piece[] = []
  let from = at
  for (const { known, length } of [...buffers, { known: Buffer.alloc(0), length: total }]) {
    const to = Math.min(from + length, at + total)
    if (to > from) pieces.push({ from, to, known: known.subarray(0, to - from) })
    from = to
  }
  return overwritten(content, pieces)
}

/** Returns the content with another size. The bytes of a hole are not those of any write. */
export function resized(content: Content, size: number): Content {
  return { size, pieces: cut(content.pieces, { from: 0, to: size }) }
}

/** Returns the content after a copy of the bytes from `from` to `to` of `source` to the offset `at`. */
export function copied(
  content: Content,
  source: Content,
  range: { from: number; to: number; at: number },
): Content {
  return overwritten(content, cut(source.pieces, range))
}

const results = new WeakMap<Content, WeakMap<Buffer, boolean>>()

/** Whether a file with this content has exactly these bytes: all were written, and all known ones are the same. */
export function isContent(content: Content, bytes: Buffer): boolean {
  if (content.size !== bytes.length) return false
  const known = results.get(content) ?? new WeakMap<Buffer, boolean>()
  results.set(content, known)
  const result = known.get(bytes) ?? compare(content, bytes)
  known.set(bytes, result)
  return result
}

function compare({ pieces, size }: Content, bytes: Buffer): boolean {
  let at = 0
  for (const { from, to, known } of pieces) {
    if (from !== at || !known.equals(bytes.subarray(from, from + known.length))) return false
    at = to
  }
  return at === size
}
