/** The formats of front matter. */
export type FrontMatterFormat = 'yaml' | 'toml' | 'json'

/** Where the front matter of a text is. Offsets are in UTF-16 code units. */
export interface FrontMatterBlock {
  format: FrontMatterFormat
  /** The range of the content between the delimiters. For JSON it includes the braces. */
  start: number
  end: number
  /** Offset of the content after the front matter. */
  bodyStart: number
}

/** The longest front matter, in UTF-16 code units. Its parsers may need more than linear time. */
export const maxLength = 32 * 1024

const delimiters = [
  { format: 'yaml', open: /^---[ \t]*\r?\n/, close: /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m },
  { format: 'toml', open: /^\+\+\+[ \t]*\r?\n/, close: /^\+\+\+[ \t]*(?:\r?\n|$)/m },
] as const

/**
 * Finds the front matter at the beginning of a text, after a byte order mark and empty lines, which Hugo skips too.
 *
 * @returns undefined for a text without front matter; `open` if the front matter has no end or is longer than 32 KiB
 */
export function findBlock(text: string): FrontMatterBlock | 'open' | undefined {
  const begin = /^\ufeff?\s{0,64}/.exec(text)?.[0].length ?? 0
  const head = text.slice(begin, begin + maxLength)
  for (const { format, open, close } of delimiters) {
    const opened = open.exec(head)?.[0]
    if (opened === undefined) continue
    const closed = close.exec(head.slice(opened.length))
    if (!closed) return 'open'
    const start = begin + opened.length
    const end = start + closed.index
    return { format, start, end, bodyStart: end + closed[0].length }
  }
  // A text may begin with `{{` or `{%`, which are commands of the generator.
  return /^\{\s*["}]/.test(head) ? findJson(head, begin) : undefined
}

/** The first JSON object of a text, up to the brace that closes it. */
function findJson(head: string, begin: number): FrontMatterBlock | 'open' {
  const length = endOfObject(head)
  if (length === undefined) return 'open'
  const end = begin + length
  const [rest = ''] = /^[ \t]*(?:\r?\n|$)/.exec(head.slice(length)) ?? []
  return { format: 'json', start: begin, end, bodyStart: end + rest.length }
}

function endOfObject(head: string): number | undefined {
  // Each text is one token, also a text without end, so that the search takes one pass.
  const tokens = /"(?:[^"\\]|\\[\s\S])*"?|[{}]/g
  let depth = 0
  for (const { 0: token, index } of head.matchAll(tokens)) {
    if (token === '{') depth++
    if (token === '}' && --depth === 0) return index + 1
  }
  return undefined
}

/** The line ending of a text: that of its first line. */
export function lineEndingOf(text: string): '\r\n' | '\n' {
  const first = text.indexOf('\n')
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n'
}
