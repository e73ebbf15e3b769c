import { startOfDay } from '#web/ui/format/calendar.ts'
import type { NewShare } from '../share-state.ts'

/**
 * For how long a link works: without an end, for a time that is offered or typed (`time`), or until the end of a day;
 * `same`: as long as until now.
 */
export type Lifetime = 'same' | 'never' | 'hour' | 'day' | 'week' | 'month' | 'time' | 'date'

/** The units of a typed time, in seconds. */
export const timeUnits = { minutes: 60, hours: 3600, days: 86_400 } as const
export type TimeUnit = keyof typeof timeUnits

/** The longest typed time. The server accepts at most 2^31 - 1 seconds. */
export const longestSeconds = 50 * 365 * timeUnits.days

/** What is typed besides the choice of a lifetime. */
export interface TypedEnd {
  /** The last day on this device for `date`, as in `2026-12-01`. */
  lastDay: string
  /** For `time`. */
  length: string
  lengthUnit: TimeUnit
}

type Expiry = Pick<NewShare, 'expires' | 'unit'>

const fixed: Record<Exclude<Lifetime, 'same' | 'time' | 'date'>, Expiry> = {
  never: {},
  hour: { expires: '1', unit: 'hours' },
  day: { expires: '1', unit: 'days' },
  week: { expires: '7', unit: 'days' },
  month: { expires: '30', unit: 'days' },
}

/** The seconds of the lifetimes that are offered; the longest come last. */
export const offeredSeconds = { hour: 3600, day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const

/** The expiry of a new link. Undefined if the last day or the typed time is missing, over or too long. */
export function expiryOf(
  lifetime: Exclude<Lifetime, 'same'>,
  { lastDay, length, lengthUnit }: TypedEnd,
  nowMs = Date.now(),
): Expiry | undefined {
  if (lifetime === 'time') {
    const count = Number(length)
    const isTime = Number.isInteger(count) && count > 0 && count * timeUnits[lengthUnit] <= longestSeconds
    return isTime ? { expires: String(count), unit: lengthUnit } : undefined
  }
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
