import { type Block, diffLines } from './line-diff.ts'

/** A line of a text with its number, counted from 1. */
export interface Line {
  number: number
  text: string
}

/** A row of the comparison: a common line, a removed or added one, or both if a line was changed. */
export interface Row {
  isSame: boolean
  before: Line | undefined
  after: Line | undefined
}

/** Consecutive rows. Common lines that are not near a difference are folded. */
export interface Section {
  /** Stays the same when another section is unfolded. */
  id: number
  isFolded: boolean
  rows: readonly Row[]
}

export interface Comparison {
  sections: readonly Section[]
  removed: number
  added: number
}

/** Number of common lines that are shown before and after a difference. */
const context = 3

/** Splits a text into lines, whatever their endings. A line break at the end begins no further line. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Maximum number of lines of a text that is compared. A text of 2 MiB may have two million. */
const maxLines = 100_000

/** Whether a text has few enough lines to be compared. */
export function hasComparableLength(text: string): boolean {
  let count = 0
  for (const _ of text.matchAll(/\r\n|\n|\r/g)) if (++count > maxLines) return false
  return true
}

/** Compares two texts line by line. */
export function compareTexts(before: string, after: string): Comparison {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)]
  const blocks = diffLines(oldLines, newLines)
  const sections = blocks.flatMap((block, at) =>
    fold(rowsOf(block, oldLines, newLines), block.isSame, at > 0, at < blocks.length - 1),
  )
  const changed = blocks.filter(({ isSame }) => !isSame)
  return {
    sections: sections.map((section, id) => ({ ...section, id })),
    removed: changed.reduce((sum, { oldFrom, oldTo }) => sum + oldTo - oldFrom, 0),
    added: changed.reduce((sum, { newFrom, newTo }) => sum + newTo - newFrom, 0),
  }
}

function rowsOf({ isSame, oldFrom, oldTo, newFrom, newTo }: Block, before: string[], after: string[]): Row[] {
  const lineAt = (lines: string[], index: number, end: number): Line | undefined =>
    index < end ? { number: index + 1, text: lines[index] ?? '' } : undefined
  return Array.from({ length: Math.max(oldTo - oldFrom, newTo - newFrom) }, (_, n) => ({
    isSame,
    before: lineAt(before, oldFrom + n, oldTo),
    after: lineAt(after, newFrom + n, newTo),
  }))
}

function fold(rows: Row[], isSame: boolean, hasBefore: boolean, hasAfter: boolean): Omit<Section, 'id'>[] {
  const head = hasBefore ? context : 0
  const tail = hasAfter ? context : 0
  // One line more than the button that unfolds them would save nothing.
  if (!isSame || rows.length <= head + tail + 1) return [{ isFolded: false, rows }]
  return [
    { isFolded: false, rows: rows.slice(0, head) },
    { isFolded: true, rows: rows.slice(head, rows.length - tail) },
    { isFolded: false, rows: rows.slice(rows.length - tail) },
  ].filter((section) => section.rows.length > 0)
}

/** A changed line in three parts: equal start, changed middle, equal end. Cuts no character in two. */
export function changedPart(text: string, other: string): [start: string, middle: string, end: string] {
  const [a, b] = [[...text], [...other]]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const join = (from: number, to: number) => a.slice(from, to).join('')
  return [join(0, start), join(start, a.length - end), join(a.length - end, a.length)]
}
