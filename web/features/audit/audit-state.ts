import { proxy, ref } from 'valtio'
import type { AuditPage, AuditRecord } from '#contract/history/audit.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import type { Filters } from './filters.ts'

/** The records that are loaded. */
export const auditState = proxy({
  /** The newest first; undefined until they are loaded. */
  records: undefined as readonly AuditRecord[] | undefined,
  /** The position of the next page; undefined: this is all. */
  next: undefined as number | undefined,
  isLoading: false,
  /** The sentence of the error if the last request has failed. */
  failure: '',
})

const pageSize = 100

let current = new AbortController()

/** Loads the first page of the records that match. Aborts an older request. */
export async function loadAudit(filters: Filters): Promise<void> {
  const page = await request(filters, undefined)
  if (page) Object.assign(auditState, { records: ref(page.records), next: page.next })
}

/** Loads the next page. */
export async function loadMoreAudit(filters: Filters): Promise<void> {
  if (auditState.isLoading || auditState.next === undefined) return
  const page = await request(filters, auditState.next)
  if (!page) return
  const before = auditState.records ?? []
  Object.assign(auditState, { records: ref([...before, ...page.records]), next: page.next })
}

/** Forgets the records, because another user may sign in. */
export function forgetAudit(): void {
  current.abort()
  Object.assign(auditState, { records: undefined, next: undefined, isLoading: false, failure: '' })
}

/** The page before `before`; undefined when it failed or another request has replaced this one. */
async function request(filters: Filters, before: number | undefined): Promise<AuditPage | undefined> {
  current.abort()
  const controller = new AbortController()
  current = controller
  const { signal } = controller
  Object.assign(auditState, { isLoading: true, failure: '' })
  try {
    const query = { ...filters, limit: pageSize, ...(before !== undefined && { before }) }
    const page = await api('GET /api/audit', { query }, { signal })
    return signal.aborted ? undefined : page
  } catch (error) {
    if (!signal.aborted) auditState.failure = problemMessage(error)
    return undefined
  } finally {
    if (current === controller) auditState.isLoading = false
  }
}
