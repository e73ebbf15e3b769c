import { proxy, ref } from 'valtio'
import type { Keeping, TrashItem, TrashList } from '#contract/history/kept.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/shared/forms/submit.ts'
import { clearTrashSelection, keepSelection } from './trash-selection.ts'

/** The entries of the trash that are loaded. */
export const trash = proxy({
  search: '',
  /** The loaded entries, the newest first. One plain array, too long to be observed entry by entry. */
  items: ref([]) as readonly TrashItem[],
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

const pageSize = 200

let current = new AbortController()

/** Loads the first page of the entries with `search` in their path. Aborts an older request. */
export async function loadTrash(search: string): Promise<void> {
  if (trash.search !== search) clearTrashSelection()
  trash.search = search
  const list = await requestPage(undefined)
  if (!list) return
  setItems(list.items, list)
  trash.isLoaded = true
  void countSizes()
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
    const before = trash.items
    const items = reused(before, list.items)
    await show(before, items, () => {
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

/** Requests pages until everything is there that is loaded. @throws ApiProblem */
async function requestLoaded(signal: AbortSignal): Promise<TrashList> {
  const { search, items } = trash
  const last = items.at(-1)
  const isEnough = (found: Items) => {
    const end = found.at(-1)
    return !last || !end || end.deleted < last.deleted || found.some(({ id }) => id === last.id)
  }
  const found: TrashItem[] = []
  for (let after: string | undefined; ; ) {
    const limit = Math.min(mostRequested, Math.max(pageSize, items.length - found.length))
    const query = { limit, ...(search && { search }), ...(after !== undefined && { after }) }
    const list = await api('GET /api/trash', { query }, { signal })
    found.push(...list.items)
    if (list.next === undefined || isEnough(found)) return { ...list, items: found }
    after = list.next
  }
}

/** Loads the next page, unless a page is loading or all entries are there. */
export async function loadMoreTrash(): Promise<void> {
  if (trash.isLoading || trash.next === undefined || trash.failure) return
  const list = await requestPage(trash.next)
  if (!list) return
  const known = new Set(trash.items.map(({ id }) => id))
  setItems([...trash.items, ...list.items.filter(({ id }) => !known.has(id))], list)
}

/** Loads what failed to load. */
export async function retryTrash(): Promise<void> {
  trash.failure = ''
  await (trash.isLoaded ? loadMoreTrash() : loadTrash(trash.search))
}

/** Empties the list, because another user may sign in. */
export function forgetTrash(): void {
  current.abort()
  clearTrashSelection()
  Object.assign(trash, { search: '', items: ref([]), total: 0, size: 0, next: undefined })
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
  const { gone: removed = [], kept = [] } = Object.groupBy(trash.items, ({ id }) =>
    ids.has(id) ? 'gone' : 'kept',
  )
  const size = removed.reduce((sum, item) => sum + (item.size ?? 0), 0)
  const [total, rest] = [trash.total - removed.length, trash.size - size]
  setItems(kept, { total, size: rest, next: trash.next })
}

/** The page at `after`; undefined when it failed or another request has replaced this one. */
async function requestPage(after: string | undefined): Promise<TrashList | undefined> {
  current.abort()
  const controller = new AbortController()
  current = controller
  Object.assign(trash, { isLoading: true, failure: '' })
  try {
    const list = await api('GET /api/trash', { query: pageQuery(after) }, { signal: controller.signal })
    return controller.signal.aborted ? undefined : list
  } catch (error) {
    if (!controller.signal.aborted) trash.failure = problemMessage(error)
    return undefined
  } finally {
    if (current === controller) trash.isLoading = false
  }
}

function pageQuery(after: string | undefined) {
  const { search } = trash
  return { limit: pageSize, ...(search && { search }), ...(after !== undefined && { after }) }
}

function setItems(
  items: readonly TrashItem[],
  { total, size, next }: Omit<TrashList, 'items' | 'next'> & Next,
): void {
  const before = trash.items
  Object.assign(trash, { items: ref(items), total: Math.max(0, total), size: Math.max(0, size), next })
  keepSelection(items, before)
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
    if (!trash.items.slice(0, pageSize).some(({ size }) => size === null)) return
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    // Another list was requested meanwhile, which counts by itself.
    if (current !== controller) return
    const list = await api('GET /api/trash', { query: pageQuery(undefined) }).catch(() => undefined)
    if (!list || current !== controller) return
    const sizes = new Map(list.items.map(({ id, size }) => [id, size]))
    const items = trash.items.map((item) => ({ ...item, size: item.size ?? sizes.get(item.id) ?? null }))
    setItems(items, { total: list.total, size: list.size, next: trash.next })
  }
}
