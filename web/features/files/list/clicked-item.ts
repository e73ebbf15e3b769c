import type { MouseEvent } from 'react'
import type { Item } from '#contract/resources.ts'

/** The index of the item under an event; undefined outside all items. */
export function itemIndexAt(event: { target: EventTarget }): number | undefined {
  const index = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-index]') : null
  return index ? Number(index.dataset.index) : undefined
}

/** The path of the last clicked item, to which the second click of a double click belongs. */
let lastClicked: string | undefined

/**
 * The index of the item that a click belongs to; undefined outside all items. Selecting an item scrolls it into view,
 * and another row can then be under the pointer. The second click of a double click still belongs to the item of the
 * first.
 */
export function clickedIndex(event: MouseEvent, items: readonly Item[]): number | undefined {
  if (event.detail > 1) {
    const index = items.findIndex(({ path }) => path === lastClicked)
    return index < 0 ? undefined : index
  }
  const index = itemIndexAt(event)
  lastClicked = items[index ?? -1]?.path
  return index
}
