import type { Clock } from '#src/core/clock.ts'
import { setBounded } from '#src/core/memory/bounded-map.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'

const windowMs = 5 * 60_000
// More keys than this occur only under attack. The oldest are evicted.
const mostKeys = 20_000
// No account has a longer name, and a guessed name must not use much memory.
const maxNameLength = 100

/** The counters of one name, one address or one pair of both. */
interface Count {
  failures: number
  /** Attempts whose result is not known yet. */
  running: number
  until: number
  /**
   * Resolves when a running attempt ends. All attempts that wait share it. A semaphore does not fit: its limit would
   * shrink with each failure, and an attempt needs three limits at once.
   */
  nextResult: PromiseWithResolvers<void>
}

interface Limit {
  key: string
  most: number
}

/**
 * Limits failed sign-ins in windows of five minutes: `most` for one name from one address, five times as many for one
 * address, ten times as many for one name from anywhere. The last limit does not apply to an address where that name
 * has signed in before: guessing elsewhere must not lock the user out. Only as many attempts run at once as may still
 * fail, so parallel guesses gain nothing. Further attempts wait for a result, so parallel sign-ins with the right
 * password all succeed.
 */
export function createLoginLimiter(clock: Clock, most: number) {
  const counts = new Map<string, Count>()
  const familiarPairs = new Map<string, true>()

  function known(key: string): Count | undefined {
    const count = counts.get(key)
    const left = (count?.until ?? 0) - clock()
    // More than one window is left only when the system clock was set back. Such a count is ignored.
    return left > 0 && left <= windowMs ? count : undefined
  }

  function countOf(key: string): Count {
    const existing = known(key)
    if (existing) return existing
    const fresh: Count = {
      failures: 0,
      running: 0,
      until: clock() + windowMs,
      nextResult: Promise.withResolvers(),
    }
    setBounded(counts, key, fresh, mostKeys)
    return fresh
  }

  function limitsOf(pair: string, from: string, username: string): Limit[] {
    return [
      { key: pair, most },
      { key: `address ${from}`, most: most * 5 },
      { key: `name ${username}`, most: familiarPairs.has(pair) ? Number.POSITIVE_INFINITY : most * 10 },
    ]
  }

  /** Admits as many attempts as may still fail. Refused attempts create no counter, so they evict no other counter. */
  async function admit(limits: () => Limit[]): Promise<Count[]> {
    for (;;) {
      const all = limits().map(({ key, most }) => ({ key, most, count: known(key) }))
      const full = all.find(({ count, most }) => count && count.failures >= most)?.count
      if (full) throw new Problem('auth.limited', { seconds: Math.ceil((full.until - clock()) / 1000) })
      const busy = all.find(({ count, most }) => count && count.failures + count.running >= most)?.count
      if (!busy) {
        const counted = all.map(({ key }) => countOf(key))
        for (const count of counted) count.running++
        return counted
      }
      await busy.nextResult.promise
    }
  }

  function release(counted: readonly Count[], hasFailed: boolean): void {
    for (const count of counted) {
      count.running--
      if (hasFailed) count.failures++
      count.nextResult.resolve()
      count.nextResult = Promise.withResolvers()
    }
  }

  function rememberPair(pair: string): void {
    setBounded(familiarPairs, pair, true, mostKeys)
  }

  return {
    /**
     * Runs `check`, which tests a password for `name` from `address`. An error of `check` counts as a failed sign-in.
     *
     * @throws Problem `auth.limited` with the seconds to wait, or what `check` throws.
     */
    async attempt<T>(name: string, address: string, check: () => Promise<T>): Promise<T> {
      const from = networkOf(address)
      const username = name.slice(0, maxNameLength)
      const pair = `pair ${username} ${from}`
      const counted = await admit(() => limitsOf(pair, from, username))
      try {
        const answer = await check()
        release(counted, false)
        rememberPair(pair)
        return answer
      } catch (error) {
        // A server error does not reveal whether the password is right, so it does not count.
        release(counted, !(error instanceof Problem && error.status >= 500))
        throw error
      }
    },

    /** Counts an action that is limited even if it succeeds. @throws Problem `auth.limited` like `attempt`. */
    async countAction(name: string, address: string): Promise<void> {
      const from = networkOf(address)
      release(await admit(() => limitsOf(`pair ${name} ${from}`, from, name)), true)
    },
  }
}

export type LoginLimiter = ReturnType<typeof createLoginLimiter>
