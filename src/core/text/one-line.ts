const longestText = 200

/**
 * Returns a text of a user or visitor in one line, without control characters, and not longer than `most` characters.
 * So it cannot add a line to a header, and cannot be long in a message.
 */
export function oneLine(text: string, most = longestText): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return line.length > most ? `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line
}
