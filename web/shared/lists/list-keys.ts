import { ownEntry } from '#web/ui/format/entry-of.ts'
/** The layout of the list, as far as keys need it. */
export interface Layout {
  count: number
  /** Items per line: 1 in the list, more in the mosaic. */
  columns: number
  /** Lines per page. */
  page: number
  /** The writing direction is right to left, which swaps the left and right arrow keys. */
  isRightToLeft: boolean
  /** The item some lines below, or above if negative. Undefined if all lines but the last have the same length. */
  toLine?: ((cursor: number, by: number) => number) | undefined
}

/** The index to which a key moves the cursor; undefined for other keys. */
export function nextCursor(key: string, cursor: number, layout: Layout): number | undefined {
  const { count, columns, page, isRightToLeft, toLine } = layout
  const lines = toLine && ownEntry({ ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }, key)
  if (toLine && lines) return toLine(cursor, lines)
  const steps: Record<string, number> = {
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: columns * page,
    PageUp: -columns * page,
    Home: -count,
    End: count,
    // In one column, the left and right arrow keys scroll sideways or do nothing.
    ...(columns > 1 && { ArrowRight: isRightToLeft ? -1 : 1, ArrowLeft: isRightToLeft ? 1 : -1 }),
  }
  const step = ownEntry(steps, key)
  if (step === undefined || count === 0) return undefined
  const next = cursor + step
  // An arrow key that would leave the mosaic does nothing. Other keys move as far as possible.
  if (key.startsWith('Arrow') && (next < 0 || next >= count)) return cursor
  return Math.max(0, Math.min(next, count - 1))
}

let typed = ''
let typedAt = 0

/** Whether a search by typing is active, so that a space belongs to it. Times in milliseconds. */
export function isTyping(now = Date.now()): boolean {
  // A clock that was set back ends the search, too.
  return typed !== '' && now >= typedAt && now - typedAt < 800
}

/**
 * The index of the next item, seen from `cursor`, whose name starts with the typed letters; undefined when there is
 * none. Typing the same letter repeatedly goes through the names that start with it.
 */
export function typeAhead(
  letter: string,
  names: readonly { name: string }[],
  cursor: number,
  now = Date.now(),
): number | undefined {
  typed = isTyping(now) ? typed + letter.toLowerCase() : letter.toLowerCase()
  typedAt = now
  const isRepeated = [...typed].every((one) => one === typed[0])
  const prefix = isRepeated ? (typed[0] ?? '') : typed
  const from = isRepeated ? cursor + 1 : cursor
  for (let step = 0; step < names.length; step++) {
    const index = (from + step) % names.length
    if (names[index]?.name.toLowerCase().startsWith(prefix)) return index
  }
  return undefined
}
