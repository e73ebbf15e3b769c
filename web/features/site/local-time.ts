import { regionalTag } from '#web/ui/format/region.ts'

/** The time zone of this device, spelled out for a time: `Europe/Berlin, Central European Standard Time (UTC+01:00)`. */
export function zoneText(at: Date, locale: string): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const parts = new Intl.DateTimeFormat(regionalTag(locale), { timeZoneName: 'long' }).formatToParts(at)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return [...new Set([timeZone.replaceAll('_', ' '), name, `UTC${offsetOf(at)}`])].filter(Boolean).join(', ')
}

/** `2026-12-01` and `08:30` on the clock of this device as a time; undefined while one of them is missing. */
export function timeOf(date: string, clock: string): Date | undefined {
  const time = new Date(`${date}T${clock}`)
  return date && clock && !Number.isNaN(time.getTime()) ? time : undefined
}

/** RFC 3339 with the offset of this device at that time, as in `2026-12-01T08:30:00+01:00`. */
export function toRfc3339(time: Date): string {
  return `${dayOf(time)}T${clockOf(time)}:${two(time.getSeconds())}${offsetOf(time)}`
}

/** The date on this device, as in `2026-12-01`. */
export function dayOf(time: Date): string {
  return `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}

/** The time of day on this device, as in `08:30`. */
export function clockOf(time: Date): string {
  return `${two(time.getHours())}:${two(time.getMinutes())}`
}

function offsetOf(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
