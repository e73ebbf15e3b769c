import { regionalTag } from './region.ts'

const lengths = [
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A duration in its largest unit, rounded up: `40 seconds`, `3 minutes`. `tag` is a locale, as in `pt-BR`. */
export function formatDuration(seconds: number, tag: string): string {
  const [unit, length] = lengths.find(([, length]) => seconds > length * 1.5) ?? ['second', 1]
  const format = new Intl.NumberFormat(regionalTag(tag), { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.max(1, Math.ceil(seconds / length)))
}
