/** The tag of a locale, as in `pt-BR`. Formatters are cached, because creating one is slow. */
type Tag = string

const numbers = new Map<Tag, Intl.NumberFormat>()
const sizes = new Map<string, Intl.NumberFormat>()
const relatives = new Map<Tag, Intl.RelativeTimeFormat>()
const dates = new Map<Tag, Intl.DateTimeFormat>()

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const

/** `12345` as `12,345`. */
export function formatNumber(value: number, tag: Tag): string {
  return cached(numbers, tag, () => new Intl.NumberFormat(tag)).format(value)
}

/**
 * Bytes in units of 1024, written KB, MB … with at most three digits, as `1.37 MB`
 * (contract/compatibility.md#the-page).
 */
export function formatSize(bytes: number, tag: Tag): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  // 1023.9 KB would be rounded to 1,024 KB, so it is written in the next unit.
  const up = step > 0 && step < units.length - 1 && bytes / 1024 ** step >= 999.5 ? step + 1 : step
  const unit = units[up] ?? 'byte'
  const format = cached(sizes, `${tag} ${unit}`, () => {
    const maximumSignificantDigits = unit === 'byte' ? 4 : 3
    // "2 bytes" is a word with a plural; the larger units are symbols.
    const unitDisplay = unit === 'byte' ? 'long' : 'short'
    return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay, maximumSignificantDigits })
  })
  return format.format(bytes / 1024 ** up).replace('kB', 'KB')
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
  const format = cached(relatives, tag, () => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }))
  const seconds = (timeMs - nowMs) / 1000
  const [unit, length] = spans.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return format.format(unit === 'second' ? 0 : Math.trunc(seconds / length), unit)
}

/** Date and time of day in the device's time zone. */
export function formatDate(timeMs: number, tag: Tag): string {
  const style = { dateStyle: 'medium', timeStyle: 'short' } as const
  return cached(dates, tag, () => new Intl.DateTimeFormat(tag, style)).format(timeMs)
}

function cached<T>(cache: Map<string, T>, key: string, create: () => T): T {
  const found = cache.get(key) ?? create()
  cache.set(key, found)
  return found
}
