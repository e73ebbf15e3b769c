const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** When failed deliveries are repeated, in milliseconds after each attempt. Webhooks: as Standard Webhooks 1.0.0 says. */
export const retryDelays = {
  webhook: [5 * second, 5 * minute, ...[0.5, 2, 5, 10, 14, 20, 24].map((hours) => hours * hour)],
  mail: [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour],
} as const

const longestMs = 24 * hour
/** Adds up to a tenth, so that a receiver that was down does not get everything at the same moment. */
const jitter = 0.1

/**
 * How long to wait before the next attempt, in milliseconds. Undefined: there is none.
 *
 * @param attempts attempts so far
 * @param wishedMs what the receiver has asked for; at most a day is granted
 */
export function nextDelay(
  delays: readonly number[],
  attempts: number,
  wishedMs: number | undefined,
): number | undefined {
  const delay = delays[attempts - 1]
  if (delay === undefined) return undefined
  const wait = Math.max(delay, Math.min(wishedMs ?? 0, longestMs))
  return Math.ceil(wait * (1 + Math.random() * jitter))
}

// RFC 9110 §5.6.7, without its obsolete forms.
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** Reads a header `Retry-After` (RFC 9110 §10.2.3). Returns milliseconds; undefined: there is none. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * second
  const at = httpDate.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
