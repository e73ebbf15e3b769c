import { proxy, ref } from 'valtio'
import type { PlaceItem } from '#contract/history/places.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/shared/forms/submit.ts'
import { showStars } from './star-state.ts'

/** The two pages. */
export type PlaceKind = 'starred' | 'recent'

/** The items of the shown page. */
export const places = proxy({
  items: ref([]) as readonly PlaceItem[],
  isLoaded: false,
  /** The sentence of the error if the last request has failed. */
  failure: '',
})

let current = new AbortController()

/** Loads the items of a page. Aborts an older request. */
export async function loadPlaces(kind: PlaceKind): Promise<void> {
  current.abort()
  const controller = new AbortController()
  current = controller
  places.failure = ''
  try {
    const items = await api(`GET /api/${kind}`, undefined, { signal: controller.signal })
    if (controller.signal.aborted) return
    Object.assign(places, { items: ref(items), isLoaded: true })
    if (kind === 'starred') showStars(items)
  } catch (error) {
    if (!controller.signal.aborted) places.failure = problemMessage(error)
  }
}

/** Empties the list, because another page or user may follow. */
export function forgetPlaces(): void {
  current.abort()
  Object.assign(places, { items: ref([]), isLoaded: false, failure: '' })
}

/** Clears the recent files. @throws ApiProblem */
export async function clearRecent(): Promise<void> {
  await api('DELETE /api/recent')
  places.items = ref([])
}
