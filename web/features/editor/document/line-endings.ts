/** The line ending of a text, or `mixed`. */
export type LineEnding = '\n' | '\r\n' | '\r' | 'mixed'

/** The format of a text file, apart from its lines. */
export interface TextFormat {
  lineEnding: LineEnding
  /** The file begins with a byte order mark, which `lines` does not contain. */
  hasByteOrderMark: boolean
}

const byteOrderMark = '\uFEFF'

/** Splits the content of a file into lines. `encodeText` restores it byte for byte. */
export function decodeText(content: string): { lines: string[]; format: TextFormat } {
  const hasByteOrderMark = content.startsWith(byteOrderMark)
  const text = hasByteOrderMark ? content.slice(1) : content
  const lineEnding = lineEndOf(text)
  // With mixed endings, lines keep their carriage returns as characters.
  return {
    lines: text.split(lineEnding === 'mixed' ? '\n' : lineEnding),
    format: { lineEnding, hasByteOrderMark },
  }
}

/** Joins `lines` to the content of a file. */
export function encodeText(lines: readonly string[], { lineEnding, hasByteOrderMark }: TextFormat): string {
  return (hasByteOrderMark ? byteOrderMark : '') + lines.join(lineEnding === 'mixed' ? '\n' : lineEnding)
}

function lineEndOf(text: string): LineEnding {
  const pairs = count(text, '\r\n')
  const feeds = count(text, '\n') - pairs
  const returns = count(text, '\r') - pairs
  if (pairs + returns === 0) return '\n'
  if (feeds + returns === 0) return '\r\n'
  return feeds + pairs === 0 ? '\r' : 'mixed'
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found++
  return found
}
