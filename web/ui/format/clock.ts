import { regionalTag } from './region.ts'

/** A time in a recording, as `1:05` or `1:02:03`. `tag` is a locale, as in `pt-BR`. */
export function formatClock(seconds: number, tag: string): string {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0
  const digits = (value: number, minimumIntegerDigits: number) =>
    new Intl.NumberFormat(regionalTag(tag), { minimumIntegerDigits, useGrouping: false }).format(value)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const last = digits(whole % 60, 2)
  return hours ? `${digits(hours, 1)}:${digits(minutes, 2)}:${last}` : `${digits(minutes, 1)}:${last}`
}
