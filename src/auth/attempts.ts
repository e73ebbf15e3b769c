import type { Clock } from '#src/core/clock.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'

const windowMs = 5 * 60_000
// More keys than this are only seen under attack; the oldest give way.
const mostKeys = 20_000
// No account has a longer name, and what is kept of a guess must not be large.
const longestName = 100

/**
 * Counts failed sign-ins in windows of five minutes: `most` for one name from one address, five times as many from one
 * address, ten times for one name from anywhere, but not from an address where that name signed in before: guessing
 * elsewhere must not lock its owner out. An attempt counts when it begins, so that many at once gain nothing, and is
 * forgiven when it succeeds.
 */
export function createAttempts(clock: Clock, most: number) {
  const limits = { pair: most, address: most * 5, name: most * 10 }
  const counts = new Map<string, { failures: number; until: number }>()
  const familiar = new Set<string>()

  function running(key: string): { failures: number; until: number } | undefined {
    const known = counts.get(key)
    const left = (known?.until ?? 0) - clock()
    // More than a window is left when the system's clock has been set back: nobody waits for that.
    return left > 0 && left <= windowMs ? known : undefined
  }

  function count(key: string): { failures: number; until: number } {
    const known = running(key)
    if (known) return known
    const fresh = { failures: 0, until: clock() + windowMs }
    counts.delete(key)
    counts.set(key, fresh)
    if (counts.size > mostKeys) counts.delete(counts.keys().next().value ?? '')
    return fresh
  }

  function welcome(pair: string): void {
    familiar.delete(pair)
    familiar.add(pair)
    if (familiar.size > mostKeys) familiar.delete(familiar.keys().next().value ?? '')
  }

  return {
    /**
     * Notes that somebody at `address` tries a password for `name`. The answer takes the note back.
     *
     * @throws Problem `auth.limited` with the seconds to wait.
     */
    begin(name: string, address: string): () => void {
      const from = networkOf(address)
      const who = name.slice(0, longestName)
      const pair = `pair ${who} ${from}`
      const keys = [
        { key: pair, limit: limits.pair },
        { key: `address ${from}`, limit: limits.address },
        { key: `name ${who}`, limit: familiar.has(pair) ? Number.POSITIVE_INFINITY : limits.name },
      ]
      // Looked up first and counted only then: refused attempts must not push other counters out of memory.
      for (const { key, limit } of keys) {
        const full = running(key)
        if (full && full.failures >= limit) {
          throw new Problem('auth.limited', { seconds: Math.ceil((full.until - clock()) / 1000) })
        }
      }
      const counted = keys.map(({ key }) => count(key))
      for (const one of counted) one.failures++
      return () => {
        for (const one of counted) one.failures--
        welcome(pair)
      }
    },
  }
}

export type Attempts = ReturnType<typeof createAttempts>
