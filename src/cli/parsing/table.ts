import type { Arguments, Terminal } from './subcommand.ts'

/** Returns rows as text with aligned columns. Control characters in values are escaped. */
export function textTable(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = [head, ...rows.map((row) => row.map((value) => visible(String(value))))]
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

// Control characters, line separators and marks that change the direction of text.
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Escapes control characters, so that a name from a user cannot move the cursor of a terminal. */
export function visible(text: string): string {
  return text.replace(unprintable, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Prints a result: as JSON with `--json`, else as the text that `toText` makes. Empty text is not printed. */
export function printResult(
  args: Pick<Arguments, 'has'>,
  { print }: Pick<Terminal, 'print'>,
  { value, toText }: { value: unknown; toText: () => string },
): void {
  const text = args.has('json') ? JSON.stringify(value, null, 2) : toText()
  if (text !== '') print(text)
}
