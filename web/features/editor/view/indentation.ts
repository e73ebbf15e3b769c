/** Number of lines from which the indentation is detected. */
const maxLines = 1000

/**
 * Detects the indentation of a text: a tab or some spaces, as in most of its indented lines; undefined when no line is
 * indented. Compares each line with the line before: two more spaces count as an indentation of two.
 */
export function detectIndentation(text: string): string | undefined {
  const votes = new Map<string, number>()
  let before = 0
  for (const line of text.split('\n', maxLines)) {
    if (line.trim() === '') continue
    const [, tabs = '', spaces = ''] = /^(\t*)( *)/.exec(line) ?? []
    const step = spaces.length - before
    before = spaces.length
    if (tabs) votes.set('\t', (votes.get('\t') ?? 0) + 1)
    else if (step >= 2 && step <= 8) votes.set(' '.repeat(step), (votes.get(' '.repeat(step)) ?? 0) + 1)
  }
  return [...votes].sort(([, a], [, b]) => b - a)[0]?.[0]
}
