import { setBounded } from '#src/core/bounded-map.ts'
import type { Clock } from '#src/core/clock.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'

const windowMs = 5 * 60_000
// More keys than this are only seen under attack; the oldest give way.
const mostKeys = 20_000
// No account has a longer name, and what is kept of a guess must not be large.
const longestName = 100

/** What is known of one name, one address or both. */
interface Count {
  failures: number
  /** Attempts that nobody has answered yet. */
  running: number
  until: number
  /** Those who wait for an answer to one that runs. */
  waiting: (() => void)[]
}

interface Limit {
  key: string
  most: number
}

/**
 * Counts failed sign-ins in windows of five minutes: `most` for one name from one address, five times as many from one
 * address, ten times for one name from anywhere, but not from an address where that name signed in before: guessing
 * elsewhere must not lock its owner out. No more attempts run at once than may still fail, so that many at once gain
 * nothing; those beyond wait for an answer, so that many at once who know the password all come in.
 */
export function createLoginLimiter(clock: Clock, most: number) {
  const counts = new Map<string, Count>()
  const familiar = new Map<string, true>()

  function known(key: string): Count | undefined {
    const count = counts.get(key)
    const left = (count?.until ?? 0) - clock()
    // More than a window is left when the system's clock has been set back: nobody waits for that.
    return left > 0 && left <= windowMs ? count : undefined
  }

  function countOf(key: string): Count {
    const there = known(key)
    if (there) return there
    const fresh = { failures: 0, running: 0, until: clock() + windowMs, waiting: [] }
    setBounded(counts, key, fresh, mostKeys)
    return fresh
  }

  function limitsOf(pair: string, from: string, who: string): Limit[] {
    return [
      { key: pair, most },
      { key: `address ${from}`, most: most * 5 },
      { key: `name ${who}`, most: familiar.has(pair) ? Number.POSITIVE_INFINITY : most * 10 },
    ]
  }

  /** Lets in as many as may still fail. Nothing is counted for those who are refused: they push no other count out. */
  async function enter(limits: () => Limit[]): Promise<Count[]> {
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
      await new Promise<void>((resolve) => busy.waiting.push(resolve))
    }
  }

  function leave(counted: readonly Count[], hasFailed: boolean): void {
    for (const count of counted) {
      count.running--
      if (hasFailed) count.failures++
      for (const wake of count.waiting.splice(0)) wake()
    }
  }

  function welcome(pair: string): void {
    setBounded(familiar, pair, true, mostKeys)
  }

  return {
    /**
     * Lets somebody at `address` try a password for `name`: `check` throws when it is wrong, which counts.
     *
     * @throws Problem `auth.limited` with the seconds to wait, or what `check` throws.
     */
    async attempt<T>(name: string, address: string, check: () => Promise<T>): Promise<T> {
      const from = networkOf(address)
      const who = name.slice(0, longestName)
      const pair = `pair ${who} ${from}`
      const counted = await enter(() => limitsOf(pair, from, who))
      try {
        const answer = await check()
        leave(counted, false)
        welcome(pair)
        return answer
      } catch (error) {
        // Where we failed ourselves, nobody has learnt whether the password is right.
        leave(counted, !(error instanceof Problem && error.status >= 500))
        throw error
      }
    },

    /** Notes a deed that is limited whether it succeeds or not. @throws Problem `auth.limited` as `attempt` does. */
    async note(name: string, address: string): Promise<void> {
      const from = networkOf(address)
      leave(await enter(() => limitsOf(`pair ${name} ${from}`, from, name)), true)
    },
  }
}

export type LoginLimiter = ReturnType<typeof createLoginLimiter>
