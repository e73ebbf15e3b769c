// A piece of a word: bare, 'literal', "with escapes" or \escaped; or the space between words.
const pieces = /([^\s'"\\]+)|'([^']*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\\([\s\S])|(\s+)/gy

/**
 * Splits a command line into words, quoted as in a shell (POSIX.1-2024, Shell Command Language, 2.2). Variables,
 * patterns and operators have no special meaning. Returns undefined if a quote is not closed or a character cannot be
 * part of an argument.
 */
export function splitWords(line: string): string[] | undefined {
  if (line.includes('\0')) return undefined
  const words: string[] = []
  let word: string | undefined
  let end = 0
  for (const match of line.matchAll(pieces)) {
    end = match.index + match[0].length
    const text = textOf(match)
    if (text !== undefined) word = (word ?? '') + text
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  if (end !== line.length) return undefined
  return word === undefined ? words : [...words, word]
}

/** Returns the text that a piece adds to its word; undefined for the space between words. */
function textOf([, bare, literal, quoted, escaped]: RegExpExecArray): string | undefined {
  if (quoted !== undefined) return quoted.replace(/\\([$`"\\\n])/g, (_, char) => continued(char))
  return bare ?? literal ?? (escaped === undefined ? undefined : continued(escaped))
}

/** An escaped line end joins two lines. */
function continued(char: string): string {
  return char === '\n' ? '' : char
}
