import type { KeyboardEvent } from 'react'

/**
 * Whether a key of a list without a selection is for the item at the cursor: Delete or F2, if the list shows the cursor. A
 * held key must not delete one item after the other.
 */
export function actsAtCursor({ key, repeat, currentTarget: list }: KeyboardEvent): boolean {
  return (key === 'Delete' || key === 'F2') && !repeat && list.matches(':focus-visible')
}
