import { entryOf } from '#web/ui/format/entry-of.ts'
/** How the list is laid out, as far as keys go. */
export interface Layout {
  count: number
  /** Items beside each other: 1 in the list, more in the mosaic. */
  columns: number
  /** Lines that fit into the window. */
  page: number
  /** The writing direction turns left and right round. */
  rtl: boolean
}

/** The index a movement key leads to from `cursor`; undefined when the key moves nothing. */
export function destination(key: string, cursor: number, layout: Layout): number | undefined {
  const { count, columns, page, rtl } = layout
  const steps: Record<string, number> = {
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: columns * page,
    PageUp: -columns * page,
    Home: -count,
    End: count,
    // In one column, left and right are for scrolling sideways or for nothing.
    ...(columns > 1 && { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1 }),
  }
  const step = entryOf(steps, key)
  if (step === undefined || count === 0) return undefined
  const wanted = cursor + step
  // An arrow that would leave the mosaic stays where it is; pages and ends go as far as they can.
  if (key.startsWith('Arrow') && (wanted < 0 || wanted >= count)) return cursor
  return Math.max(0, Math.min(wanted, count - 1))
}

let typed = ''
let typedAt = 0

/** Whether a search by typing is going on, so that a space belongs to it. Times in milliseconds. */
export function isTyping(now = Date.now()): boolean {
  return typed !== '' && now - typedAt < 800
}

/**
 * The item whose name starts with what is being typed, seen from `cursor`; undefined when none does. One letter again and
 * again walks through the names that start with it.
 */
export function typeAhead(
  letter: string,
  names: readonly { name: string }[],
  cursor: number,
  now = Date.now(),
): number | undefined {
  typed = isTyping(now) ? typed + letter.toLowerCase() : letter.toLowerCase()
  typedAt = now
  const isWalk = [...typed].every((one) => one === typed[0])
  const prefix = isWalk ? (typed[0] ?? '') : typed
  const from = isWalk ? cursor + 1 : cursor
  for (let step = 0; step < names.length; step++) {
    const index = (from + step) % names.length
    if (names[index]?.name.toLowerCase().startsWith(prefix)) return index
  }
  return undefined
}
