import { paths } from '#web/shared/paths.ts'
import { startOfDay, startOfWeek } from '#web/ui/format/calendar.ts'

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

/** Usual periods, in the order in which they are offered. */
export const periods = ['today', 'yesterday', 'week', 'lastWeek'] as const
export type FilterPeriod = (typeof periods)[number]

/**
 * The filters of a period, in the time zone of the device. A period that lasts has no end.
 *
 * @param firstDay the first day of the week; 0 is Sunday
 */
export function timesOfPeriod(
  period: FilterPeriod,
  nowMs: number,
  firstDay: number,
): { from: string; to: string } {
  const at = (timeMs: number) => new Date(timeMs).toISOString()
  const today = at(startOfDay(nowMs))
  const week = at(startOfWeek(nowMs, firstDay))
  if (period === 'today') return { from: today, to: '' }
  if (period === 'yesterday') return { from: at(startOfDay(nowMs, 1)), to: today }
  if (period === 'week') return { from: week, to: '' }
  return { from: at(startOfWeek(nowMs, firstDay, 1)), to: week }
}

/** The period that these filters select now; `all` without times, `own` for any other times. */
export function periodOfTimes(
  { from = '', to = '' }: Filters,
  nowMs: number,
  firstDay: number,
): FilterPeriod | 'all' | 'own' {
  if (!from && !to) return 'all'
  const isSame = (period: FilterPeriod) => {
    const times = timesOfPeriod(period, nowMs, firstDay)
    return times.from === from && times.to === to
  }
  return periods.find(isSame) ?? 'own'
}
