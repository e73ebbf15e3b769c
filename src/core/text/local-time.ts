import { Problem } from '#src/core/problem.ts'

/**
 * Reads a time without a zone, `2026-12-01T08:30`, in the time zone of the server, as File Browser 1 did. Returns it as
 * RFC 3339. A time that does not exist because clocks are put forward counts from the hour before.
 *
 * @throws Problem `request.invalid`.
 */
export function fromLocalTime(text: string): string {
  const isPlain = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text)
  const time = isPlain ? new Date(`${text}:00`) : new Date(Number.NaN)
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  throw new Problem('request.invalid', { field: 'schedule', reason: 'must be like 2026-12-01T08:30' })
}
