// A piece of a word: bare, 'literal', "with escapes", \escaped; or the room between words.
const pieces = /([^\s'"\\]+)|'([^']*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\\([\s\S])|(\s+)/gy

/**
 * Splits a command line into words, quoted as in a shell (POSIX.1-2024, Shell Command Language, 2.2), and does nothing
 * else of what shells do: variables, patterns and operators are characters like any other. Undefined: a quote is not
 * closed, or there is a character that no argument can have.
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

/** What a piece adds to its word; undefined for the room between words. */
function textOf([, bare, literal, quoted, escaped]: RegExpExecArray): string | undefined {
  if (quoted !== undefined) return quoted.replace(/\\([$`"\\\n])/g, (_, char) => continued(char))
  return bare ?? literal ?? (escaped === undefined ? undefined : continued(escaped))
}

/** An escaped end of line joins two lines to one. */
function continued(char: string): string {
  return char === '\n' ? '' : char
}
