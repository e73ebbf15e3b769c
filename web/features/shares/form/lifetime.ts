import { startOfDay } from '#web/ui/format/calendar.ts'
import type { NewShare } from '../share-state.ts'

/** For how long a link works: without an end, for a time, or until the end of a day; `same`: as long as until now. */
export type Lifetime = 'same' | 'never' | 'hour' | 'day' | 'week' | 'month' | 'date'

type Expiry = Pick<NewShare, 'expires' | 'unit'>

const fixed: Record<Exclude<Lifetime, 'same' | 'date'>, Expiry> = {
  never: {},
  hour: { expires: '1', unit: 'hours' },
  day: { expires: '1', unit: 'days' },
  week: { expires: '7', unit: 'days' },
  month: { expires: '30', unit: 'days' },
}

/**
 * The expiry of a new link. Undefined if the last day is missing or over.
 *
 * @param lastDay the last day on this device for `date`, as in `2026-12-01`
 */
export function expiryOf(
  lifetime: Exclude<Lifetime, 'same'>,
  lastDay: string,
  nowMs = Date.now(),
): Expiry | undefined {
  if (lifetime !== 'date') return fixed[lifetime]
  const seconds = Math.ceil((startOfDay(Date.parse(`${lastDay}T12:00`), -1) - nowMs) / 1000)
  return seconds > 0 ? { expires: String(seconds), unit: 'seconds' } : undefined
}

/** A day on this device as date fields have it, as in `2026-12-01`. */
export function dayOf(timeMs: number): string {
  return localTime(timeMs).slice(0, 10)
}

/** A time on the clock of this device as fields for times have it, as in `2026-12-01T08:30`. */
export function localTime(timeMs: number): string {
  const time = new Date(timeMs)
  // The time of day on this device, as if it were UTC.
  return new Date(timeMs - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
