import type { Clock } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'

// The limiter accepts a burst of this many milliseconds' requests, because a page loads all its pictures at once.
const burstMs = 20_000
// More keys than this occur only in an attack. The oldest are evicted.
const mostKeys = 20_000

/** Limits the rate of requests by key. */
export interface RateLimiter {
  /**
   * Counts a request of `who`.
   *
   * @param requests how many requests it counts as; at most a full burst
   * @throws Problem `request.limited` with the seconds to wait.
   */
  take(who: string, requests?: number): void
}

/**
 * Allows each key `perSecond` requests a second, and a burst of twenty seconds of requests. Infinity allows everything.
 * Stores one number for each key, as the generic cell rate algorithm does (ITU-T I.371): the time at which all requests
 * so far would end at that rate.
 */
export function createRateLimiter(perSecond: number, clock: Clock): RateLimiter {
  if (perSecond === Number.POSITIVE_INFINITY) return { take() {} }
  const ends = new Map<string, number>()
  const eachMs = 1000 / perSecond
  return {
    take(who, requests = 1) {
      const now = clock()
      const known = ends.get(who) ?? 0
      // The time is later than any burst can end, so the system's clock has been set back. The request must not wait
      // for that.
      const start = known > now + burstMs ? now : Math.max(known, now)
      const next = start + Math.min(burstMs, requests * eachMs)
      if (next > now + burstMs) {
        throw new Problem('request.limited', { seconds: Math.ceil((next - now - burstMs) / 1000) })
      }
      ends.set(who, next)
      if (ends.size > mostKeys) ends.delete(ends.keys().next().value ?? '')
    },
  }
}
