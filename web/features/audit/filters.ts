import { paths } from '#web/shared/paths.ts'

/** The parts of the address that select records, as in the query of `GET /api/audit`. */
export const filterNames = ['user', 'path', 'kind', 'outcome', 'address', 'from', 'to'] as const
export type FilterName = (typeof filterNames)[number]

/** The values of the filters. Missing ones do not filter. */
export type Filters = Partial<Record<FilterName, string>>

/** The filters in the query of an address. */
export function filtersIn(search: string): Filters {
  const query = new URLSearchParams(search)
  return Object.fromEntries(
    filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  )
}

/** The address of the page with these filters, without the base path. */
export function auditAddress(filters: Filters): string {
  const entries = filterNames.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))
  const query = new URLSearchParams(entries).toString()
  return query ? `${paths.audit}?${query}` : paths.audit
}

/** The value of a `datetime-local` field, in the time zone of the device, for an RFC 3339 time. Empty if it is none. */
export function localOf(time: string | undefined): string {
  const date = new Date(time ?? '')
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The RFC 3339 time of the value of a `datetime-local` field; empty if there is none. */
export function timeOf(local: string): string {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
