/** How far one looks to learn how a text is indented, in lines. */
const mostLines = 1000

/**
 * What the text is indented with: a tab, or some spaces, as most of its lines begin; undefined when none is indented.
 * Steps count, not depths: two more spaces than the line before are a step of two.
 */
export function indentationOf(text: string): string | undefined {
  const votes = new Map<string, number>()
  let before = 0
  for (const line of text.split('\n', mostLines)) {
    if (line.trim() === '') continue
    const [, tabs = '', spaces = ''] = /^(\t*)( *)/.exec(line) ?? []
    const step = spaces.length - before
    before = spaces.length
    if (tabs) votes.set('\t', (votes.get('\t') ?? 0) + 1)
    else if (step >= 2 && step <= 8) votes.set(' '.repeat(step), (votes.get(' '.repeat(step)) ?? 0) + 1)
  }
  return [...votes].sort(([, a], [, b]) => b - a)[0]?.[0]
}
