import { headHeight } from './head-height.ts'

/**
 * Prepares to keep the items in sight where they are while the list changes. A list that is scrolled to its top stays
 * there, so that new items appear.
 *
 * @param keyOf what an item keeps while the list changes
 */
export function keepScroll<T>(before: readonly T[], now: readonly T[], keyOf: (item: T) => string) {
  const list = document.querySelector<HTMLElement>('[data-part=list]')
  const places = list ? visiblePlaces(list) : []
  const [first] = places
  const known = first && before[first.index]
  return {
    /** The indices of the items in sight, from the top. */
    visible: places.map(({ index }) => index),

    /** Scrolls the list after it was rendered, before it is painted. */
    async restore(): Promise<void> {
      if (!list || !first || !known || list.scrollTop === 0) return
      await nextFrame()
      const index = now.findIndex((item) => keyOf(item) === keyOf(known))
      const element = index < 0 ? null : list.querySelector(`[data-index="${index}"]`)
      // An item that moved further away than what is rendered has been sorted elsewhere: the list stays as it is.
      if (element) list.scrollTop += topOf(element, list) - first.top
    },
  }
}

function visiblePlaces(list: HTMLElement): { index: number; top: number }[] {
  const all = [...list.querySelectorAll<HTMLElement>('[data-index]')].map((element) => ({
    index: Number(element.dataset.index),
    top: topOf(element, list),
  }))
  // The item at the cursor stays rendered when it is out of sight.
  const inside = all.filter(({ top }) => top >= headHeight() - 1 && top < list.clientHeight)
  return inside.sort((a, b) => a.index - b.index)
}

function topOf(element: Element, list: HTMLElement): number {
  return element.getBoundingClientRect().top - list.getBoundingClientRect().top
}

/** Resolves before the next paint; soon also in a hidden tab, which paints nothing. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 100)
    requestAnimationFrame(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
