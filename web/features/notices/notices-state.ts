import { proxy, ref } from 'valtio'
import type { Notice, NoticePage } from '#contract/notices/notices.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { readyUserId } from '#web/shared/session.ts'

/** The notices of the user. */
export const notices = proxy({
  /** Number of all unread notices. */
  unread: 0,
  /** The newest first; undefined until the panel has loaded them. */
  items: undefined as readonly Notice[] | undefined,
  /** The position of the next page; undefined: this is all. */
  next: undefined as number | undefined,
  isLoading: false,
  /** The sentence of the error if the last request has failed. */
  failure: '',
})

const pageSize = 30
/** The server returns no more at once. */
const mostAtOnce = 100

/** The request of the list that is running. A newer one replaces it. */
let current = new AbortController()

/** Loads the newest notices: as many as are shown already, if the server returns so many at once. */
export async function loadNotices(): Promise<void> {
  const limit = Math.min(mostAtOnce, Math.max(pageSize, notices.items?.length ?? 0))
  const page = await request({ limit })
  if (page) Object.assign(notices, { items: ref(page.items), next: page.next })
}

/** Loads the next page. */
export async function loadMoreNotices(): Promise<void> {
  const { next, items = [] } = notices
  if (notices.isLoading || next === undefined) return
  const page = await request({ limit: pageSize, before: next })
  if (page) Object.assign(notices, { items: ref([...items, ...page.items]), next: page.next })
}

/** Forgets the list. The number of unread notices stays. */
export function forgetList(): void {
  current.abort()
  Object.assign(notices, { items: undefined, next: undefined, isLoading: false, failure: '' })
}

/** The newest notice, and the number of unread ones; undefined: the server did not answer, or to another user. */
export async function newestNotice(): Promise<NoticePage | undefined> {
  const user = readyUserId()
  const page = await api('GET /api/notices', { query: { limit: 1 } }).catch(() => undefined)
  return readyUserId() === user ? page : undefined
}

/** Marks the notices up to this one as read. @throws ApiProblem */
export async function markRead(upTo: number): Promise<void> {
  await api('POST /api/notices/read', { body: { upTo } })
  const isNew = ({ id, isRead }: Notice) => id <= upTo && !isRead
  notices.unread = Math.max(0, notices.unread - (notices.items?.filter(isNew).length ?? 0))
  notices.items =
    notices.items && ref(notices.items.map((one) => (isNew(one) ? { ...one, isRead: true } : one)))
}

/** Marks all notices as read, except those that are newer than the list. @throws ApiProblem */
export async function markAllRead(): Promise<void> {
  const [newest] = notices.items ?? []
  if (!newest) return
  await markRead(newest.id)
  // The list may be shorter than what was marked.
  notices.unread = 0
}

/** Deletes all notices. @throws ApiProblem */
export async function clearNotices(): Promise<void> {
  await api('DELETE /api/notices')
  current.abort()
  Object.assign(notices, { unread: 0, items: ref([]), next: undefined, isLoading: false })
}

/**
 * Marks an opened notice as read. The server marks all up to one, so a notice above other unread ones stays as it is:
 * those were not opened.
 */
export async function noteOpened({ id, isRead }: Notice): Promise<void> {
  const unread = (notices.items ?? []).filter((one) => !one.isRead)
  const isLowest = unread.length === notices.unread && unread.at(-1)?.id === id
  // Without the mark nothing is lost.
  if (!isRead && isLowest) await markRead(id).catch(() => undefined)
}

/** A page of the list; undefined when it failed or another request has replaced this one. */
async function request(query: { limit: number; before?: number }): Promise<NoticePage | undefined> {
  current.abort()
  const controller = new AbortController()
  current = controller
  const { signal } = controller
  Object.assign(notices, { isLoading: true, failure: '' })
  try {
    const page = await api('GET /api/notices', { query }, { signal })
    if (signal.aborted) return undefined
    notices.unread = page.unread
    return page
  } catch (error) {
    if (!signal.aborted) notices.failure = problemMessage(error)
    return undefined
  } finally {
    if (current === controller) notices.isLoading = false
  }
}
