import { i18n } from '@lingui/core'
import { proxy, ref } from 'valtio'
import type { Keeping, TrashItem, TrashList } from '#contract/history/kept.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { inOrder, isServerOrder, newestFirst, nextOrder, type TrashColumn } from './trash-order.ts'
import { clearTrashSelection, keepSelection } from './trash-selection.ts'

/** The entries of the trash that are loaded. */
export const trash = proxy({
  search: '',
  /** The loaded entries in their order. One plain array, too long to be observed entry by entry. */
  items: ref([]) as readonly TrashItem[],
  order: newestFirst,
  /** Number and bytes of all entries that match the search. */
  total: 0,
  size: 0,
  /** The position of the next page; undefined: all entries are loaded. */
  next: undefined as string | undefined,
  /** `items` are the answer to `search`. */
  isLoaded: false,
  isLoading: false,
  /** The sentence of the error if the last request has failed. */
  failure: '',
  /** What happens to deleted entries of the user's own folder; undefined until it is known. */
  keeping: undefined as Keeping | undefined,
})

/** The loaded entries as the server sends them: the newest first. */
let loaded: Items = []

const pageSize = 200

/** Entries that the page loads at most to sort them. Of more, it sorts the newest. */
export const mostSorted = 10_000

let current = new AbortController()
/** The search whose entries are shown. */
let shownSearch = ''

/** Loads the first page of the entries with `search` in their path. Aborts an older request. */
export async function loadTrash(search: string): Promise<void> {
  if (trash.search !== search) clearTrashSelection()
  trash.search = search
  const list = await (isServerOrder(trash.order) ? requestPage(undefined) : requestSortable())
  if (!list) return
  setItems(list.items, list)
  shownSearch = search
  trash.isLoaded = true
  void countSizes()
}

/**
 * Sorts by a column, at a second call the other way round. The server knows one order only, so that all entries are loaded
 * first for any other one.
 */
export async function sortTrash(by: TrashColumn): Promise<void> {
  const before = trash.order
  trash.order = nextOrder(before, by)
  // Entries that were requested in the old order are requested again.
  if (trash.isLoading) return loadTrash(trash.search)
  const { total, size, next } = trash
  const isSortable = next === undefined || loaded.length >= mostSorted || isServerOrder(trash.order)
  const list = isSortable ? { items: loaded, total, size, next } : await requestSortable()
  if (list) setItems(list.items, list)
  else if (trash.failure) trash.order = before
}

/** Entries that one request returns at most. */
const mostRequested = 500

/**
 * Loads again what is loaded, without a sign of loading. Returns false if something else was loaded meanwhile.
 *
 * @param show called with the entries before and after, and the function that shows them
 * @throws ApiProblem
 */
export async function refreshTrash(show: ShowTrash): Promise<boolean> {
  const controller = new AbortController()
  current = controller
  try {
    const list = await requestLoaded(controller.signal)
    if (current !== controller) return false
    const items = reused(loaded, list.items)
    await show(trash.items, inOrder(items, trash.order, i18n.locale), () => {
      trash.failure = ''
      setItems(items, list)
    })
    return true
  } catch (error) {
    if (current !== controller) return false
    throw error
  } finally {
    if (current === controller) void countSizes()
  }
}

/** The new entries, with the same objects for unchanged ones, whose rows are not rendered again. */
function reused(before: Items, now: Items): TrashItem[] {
  const known = new Map(before.map((item) => [item.id, item]))
  return now.map((item) => {
    const old = known.get(item.id)
    return old?.size === item.size ? old : item
  })
}

/** Shows a refreshed list by calling `apply`. */
export type ShowTrash = (before: Items, now: Items, apply: () => void) => void | Promise<void>
type Items = readonly TrashItem[]

/** Requests pages until everything is there that is loaded, or that is sorted. @throws ApiProblem */
function requestLoaded(signal: AbortSignal): Promise<TrashList> {
  if (!isServerOrder(trash.order)) return requestUntil(isAllSorted, mostRequested, signal)
  const last = loaded.at(-1)
  const isEnough = (found: Items) => {
    const end = found.at(-1)
    return !last || !end || end.deleted < last.deleted || found.some(({ id }) => id === last.id)
  }
  return requestUntil(isEnough, loaded.length, signal)
}

function isAllSorted(found: Items): boolean {
  return found.length >= mostSorted
}

/** Requests pages until `isEnough`, or until the last one. `expected` is the likely number of entries. */
async function requestUntil(
  isEnough: (found: Items) => boolean,
  expected: number,
  signal: AbortSignal,
): Promise<TrashList> {
  const found: TrashItem[] = []
  for (let after: string | undefined; ; ) {
    const limit = Math.min(mostRequested, Math.max(pageSize, expected - found.length))
    const list = await api('GET /api/trash', { query: pageQuery(after, limit) }, { signal })
    found.push(...list.items)
    if (list.next === undefined || isEnough(found)) return { ...list, items: found }
    after = list.next
  }
}

/** Loads the next page, unless a page is loading or all entries are there. Entries in another order are there already. */
export async function loadMoreTrash(): Promise<void> {
  if (trash.isLoading || trash.next === undefined || trash.failure || !isServerOrder(trash.order)) return
  const list = await requestPage(trash.next)
  if (!list) return
  const known = new Set(loaded.map(({ id }) => id))
  setItems([...loaded, ...list.items.filter(({ id }) => !known.has(id))], list)
}

/** Loads what failed to load. */
export async function retryTrash(): Promise<void> {
  trash.failure = ''
  const isNextPage = trash.isLoaded && shownSearch === trash.search && isServerOrder(trash.order)
  await (isNextPage ? loadMoreTrash() : loadTrash(trash.search))
}

/** Empties the list, because another user may sign in. */
export function forgetTrash(): void {
  current.abort()
  clearTrashSelection()
  loaded = []
  Object.assign(trash, { search: '', items: ref([]), order: newestFirst, total: 0, size: 0, next: undefined })
  Object.assign(trash, { isLoaded: false, isLoading: false, failure: '', keeping: undefined })
}

/** Loads how long entries stay. An error does not matter, because the page works without this sentence. */
export async function loadKeeping(): Promise<void> {
  trash.keeping = await api('GET /api/keeping/*', { params: { '*': '/' } }).catch(() => undefined)
}

/** Removes entries from the list that are no longer in the trash. */
export function removeFromTrashList(gone: readonly TrashItem[]): void {
  const ids = new Set(gone.map(({ id }) => id))
  // A refresh may have removed some of them already.
  const { gone: removed = [], kept = [] } = Object.groupBy(loaded, ({ id }) =>
    ids.has(id) ? 'gone' : 'kept',
  )
  const size = removed.reduce((sum, item) => sum + (item.size ?? 0), 0)
  const [total, rest] = [trash.total - removed.length, trash.size - size]
  setItems(kept, { total, size: rest, next: trash.next })
}

/** The page at `after`; undefined when it failed or another request has replaced this one. */
function requestPage(after: string | undefined): Promise<TrashList | undefined> {
  return request((signal) => api('GET /api/trash', { query: pageQuery(after) }, { signal }))
}

/** All entries that the page can sort; undefined as for `requestPage`. */
function requestSortable(): Promise<TrashList | undefined> {
  return request((signal) => requestUntil(isAllSorted, mostRequested, signal))
}

async function request(load: (signal: AbortSignal) => Promise<TrashList>): Promise<TrashList | undefined> {
  current.abort()
  const controller = new AbortController()
  current = controller
  Object.assign(trash, { isLoading: true, failure: '' })
  try {
    const list = await load(controller.signal)
    return controller.signal.aborted ? undefined : list
  } catch (error) {
    if (!controller.signal.aborted) trash.failure = problemMessage(error)
    return undefined
  } finally {
    if (current === controller) trash.isLoading = false
  }
}

function pageQuery(after: string | undefined, limit = pageSize) {
  const { search } = trash
  return { limit, ...(search && { search }), ...(after !== undefined && { after }) }
}

function setItems(
  items: readonly TrashItem[],
  { total, size, next }: Omit<TrashList, 'items' | 'next'> & Next,
): void {
  const before = trash.items
  loaded = items
  const shown = inOrder(items, trash.order, i18n.locale)
  Object.assign(trash, { items: ref(shown), total: Math.max(0, total), size: Math.max(0, size), next })
  keepSelection(shown, before)
}

interface Next {
  next?: string | undefined
}

/** Delays before the sizes of folders are requested again while the server counts them, in milliseconds. */
const countDelaysMs = [1000, 2000, 4000, 8000, 16_000]

/** Fills in the sizes of entries on the first page that the server has counted meanwhile. */
async function countSizes(): Promise<void> {
  const controller = current
  for (const delayMs of countDelaysMs) {
    if (!loaded.slice(0, pageSize).some(({ size }) => size === null)) return
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    // Another list was requested meanwhile, which counts by itself.
    if (current !== controller) return
    const list = await api('GET /api/trash', { query: pageQuery(undefined) }).catch(() => undefined)
    if (!list || current !== controller) return
    const sizes = new Map(list.items.map(({ id, size }) => [id, size]))
    const items = loaded.map((item) => ({ ...item, size: item.size ?? sizes.get(item.id) ?? null }))
    setItems(items, { total: list.total, size: list.size, next: trash.next })
  }
}
