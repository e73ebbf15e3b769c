import { regionalTag } from './region.ts'

/** The tag of the page's language, as in `pt-BR`. Formatters are cached, because creating one is slow. */
type Tag = string

const numbers = new Map<string, Intl.NumberFormat>()
const sizes = new Map<string, Intl.NumberFormat>()
const relatives = new Map<Tag, Intl.RelativeTimeFormat>()
const dates = new Map<Tag, Intl.DateTimeFormat>()

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const

/** How sizes and dates are written. Set with `writeAs`, for the whole page. */
const style = { isDecimal: false, isIso: false }

/** Sets how sizes and dates are written: in units of 1000 instead of 1024 bytes; as in 2026-06-15 12:00. */
export function writeAs(isDecimal: boolean, isIso: boolean): void {
  Object.assign(style, { isDecimal, isIso })
  dates.clear()
}

/** The number by which the units of sizes differ. */
export function sizeBase(): 1000 | 1024 {
  return style.isDecimal ? 1000 : 1024
}

/** `12345` as `12,345`. */
export function formatNumber(value: number, tag: Tag): string {
  return cached(numbers, tag, () => new Intl.NumberFormat(regionalTag(tag))).format(value)
}

/** `0.12` as `12%`. */
export function formatPercent(share: number, tag: Tag): string {
  const create = () => new Intl.NumberFormat(regionalTag(tag), { style: 'percent' })
  return cached(numbers, `${tag} %`, create).format(share)
}

/**
 * Bytes in units of 1024, written KB, MB … with at most three digits, as `1.37 MB`
 * (contract/compatibility.md#the-page). Or in units of 1000, written kB.
 */
export function formatSize(bytes: number, tag: Tag): string {
  const base = sizeBase()
  const last = units.length - 1
  // The tolerance is for logarithms that are not exact: log10(1000) / 3 may be less than 1.
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / Math.log2(base) + 1e-12), last)
  // 1023.9 KB would be rounded to 1,024 KB, so it is written in the next unit.
  const up = step > 0 && step < last && bytes / base ** step >= 999.5 ? step + 1 : step
  const unit = units[up] ?? 'byte'
  const format = cached(sizes, `${tag} ${unit}`, () => {
    const maximumSignificantDigits = unit === 'byte' ? 4 : 3
    // "2 bytes" is a word with a plural; the larger units are symbols.
    const unitDisplay = unit === 'byte' ? 'long' : 'short'
    const options = { style: 'unit', unit, unitDisplay, maximumSignificantDigits } as const
    return new Intl.NumberFormat(regionalTag(tag), options)
  })
  const text = format.format(bytes / base ** up)
  return style.isDecimal ? text : text.replace('kB', 'KB')
}

const spans: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365.25 * 86_400],
  ['month', 30.44 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** `3 hours ago`, `yesterday`. Less than a minute is `now`. Both times in milliseconds. */
export function formatRelative(timeMs: number, nowMs: number, tag: Tag): string {
  const create = () => new Intl.RelativeTimeFormat(regionalTag(tag), { numeric: 'auto' })
  const format = cached(relatives, tag, create)
  const seconds = (timeMs - nowMs) / 1000
  const [unit, length] = spans.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return format.format(unit === 'second' ? 0 : Math.trunc(seconds / length), unit)
}

/** Date and time of day in the device's time zone. */
export function formatDate(timeMs: number, tag: Tag): string {
  const create = () =>
    style.isIso
      ? // Swedish dates are those of ISO 8601, with a space before the time.
        new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short' })
      : new Intl.DateTimeFormat(regionalTag(tag), { dateStyle: 'medium', timeStyle: 'short' })
  return cached(dates, tag, create).format(timeMs)
}

function cached<T>(cache: Map<string, T>, key: string, create: () => T): T {
  const found = cache.get(key) ?? create()
  cache.set(key, found)
  return found
}
