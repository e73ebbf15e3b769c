import type { Clock } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'

// A page with all its pictures comes in one burst: the requests of this long may be made at once.
const burstMs = 20_000
// More keys than this are only seen under attack; the oldest give way.
const mostKeys = 20_000

/** How often somebody may ask. */
export interface RateLimiter {
  /**
   * Counts a request of `who`.
   *
   * @param requests as how many it counts; at most those that may be made at once
   * @throws Problem `request.limited` with the seconds to wait.
   */
  take(who: string, requests?: number): void
}

/**
 * Lets everybody make `perSecond` requests a second, and those of twenty seconds at once; infinity lets everything
 * through. One number is kept of each: when all that they have asked for would be over at that pace (the generic cell rate
 * algorithm, ITU-T I.371).
 */
export function createRateLimiter(perSecond: number, clock: Clock): RateLimiter {
  if (perSecond === Number.POSITIVE_INFINITY) return { take() {} }
  const over = new Map<string, number>()
  const eachMs = 1000 / perSecond
  return {
    take(who, requests = 1) {
      const now = clock()
      const known = over.get(who) ?? 0
      // Later than any burst can end: the system's clock has been set back, and nobody waits for that.
      const begun = known > now + burstMs ? now : Math.max(known, now)
      const next = begun + Math.min(burstMs, requests * eachMs)
      if (next > now + burstMs) {
        throw new Problem('request.limited', { seconds: Math.ceil((next - now - burstMs) / 1000) })
      }
      over.set(who, next)
      if (over.size > mostKeys) over.delete(over.keys().next().value ?? '')
    },
  }
}
