/** How the lines of a text end: all alike, or `mixed`. */
export type LineEnding = '\n' | '\r\n' | '\r' | 'mixed'

/** What a text's file has around its lines. */
export interface TextFormat {
  lineEnd: LineEnding
  /** It begins with a byte order mark, which the lines are without. */
  hasMark: boolean
}

const mark = '\uFEFF'

/** Takes a file's text apart, so that `pack` can put it together without a byte of difference. */
export function decodeText(content: string): { lines: string[]; packing: TextFormat } {
  const hasMark = content.startsWith(mark)
  const text = hasMark ? content.slice(1) : content
  const lineEnd = lineEndOf(text)
  // Where ends are mixed, lines keep their carriage returns as the characters they are.
  return { lines: text.split(lineEnd === 'mixed' ? '\n' : lineEnd), packing: { lineEnd, hasMark } }
}

/** The text of a file that holds `lines`. */
export function encodeText(lines: readonly string[], { lineEnd, hasMark }: TextFormat): string {
  return (hasMark ? mark : '') + lines.join(lineEnd === 'mixed' ? '\n' : lineEnd)
}

function lineEndOf(text: string): LineEnding {
  const pairs = count(text, '\r\n')
  const feeds = count(text, '\n') - pairs
  const returns = count(text, '\r') - pairs
  if (pairs + returns === 0) return '\n'
  if (feeds + returns === 0) return '\r\n'
  return feeds + pairs === 0 ? '\r' : 'mixed'
}

function count(text: string, what: string): number {
  let found = 0
  for (let at = text.indexOf(what); at >= 0; at = text.indexOf(what, at + what.length)) found++
  return found
}
