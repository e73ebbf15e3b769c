import { i18n } from '@lingui/core'
import { proxy, ref } from 'valtio'
import type { Bookmark } from '#contract/history/bookmarks.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { bookmarkRows } from './bookmark-selection.ts'
import { showStars } from './star-state.ts'

/** The two pages. */
export type BookmarkKind = 'starred' | 'recent'

/** The items of the shown page, in their order. */
export const bookmarks = proxy({
  items: ref([]) as readonly Bookmark[],
  isLoaded: false,
  /** The sentence of the error if the last request has failed. */
  failure: '',
})

let current = new AbortController()

/** Loads the items of a page. Aborts an older request. */
export async function loadBookmarks(kind: BookmarkKind): Promise<void> {
  current.abort()
  const controller = new AbortController()
  current = controller
  bookmarks.failure = ''
  try {
    const loaded = await api(`GET /api/${kind}`, undefined, { signal: controller.signal })
    if (controller.signal.aborted) return
    if (kind === 'starred') showStars(loaded)
    setItems(kind === 'starred' ? byName(loaded) : loaded)
    bookmarks.isLoaded = true
  } catch (error) {
    if (!controller.signal.aborted) bookmarks.failure = problemMessage(error)
  }
}

function setItems(items: readonly Bookmark[]): void {
  const before = bookmarks.items
  bookmarks.items = ref(items)
  bookmarkRows.keep(items, before)
}

/** Folders first, then by name. */
function byName(items: readonly Bookmark[]): Bookmark[] {
  const { compare } = new Intl.Collator(i18n.locale, { numeric: true })
  return items.toSorted((a, b) => Number(b.isDir) - Number(a.isDir) || compare(a.name, b.name))
}

/** Empties the list, because another page or user may follow. */
export function forgetBookmarks(): void {
  current.abort()
  bookmarkRows.clear()
  Object.assign(bookmarks, { items: ref([]), isLoaded: false, failure: '' })
}

/** Clears the recent files. @throws ApiProblem */
export async function clearRecent(): Promise<void> {
  await api('DELETE /api/recent')
  setItems([])
}
