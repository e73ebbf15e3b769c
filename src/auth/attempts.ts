import { isIPv6 } from 'node:net'
import type { Clock } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'

const windowMs = 5 * 60_000
const limits = { pair: 10, address: 50, name: 100 } as const
// More keys than this are only seen under attack; the oldest give way.
const mostKeys = 20_000

/**
 * Counts failed sign-ins in windows of five minutes: ten for one name from one address, fifty from one address, a
 * hundred for one name from anywhere. An attempt counts when it begins, so that many at once gain nothing, and is
 * forgiven when it succeeds.
 */
export function createAttempts(clock: Clock) {
  const counts = new Map<string, { failures: number; until: number }>()

  function count(key: string): { failures: number; until: number } {
    const known = counts.get(key)
    if (known && known.until > clock()) return known
    const fresh = { failures: 0, until: clock() + windowMs }
    counts.delete(key)
    counts.set(key, fresh)
    if (counts.size > mostKeys) counts.delete(counts.keys().next().value ?? '')
    return fresh
  }

  return {
    /**
     * Notes that somebody at `address` tries a password for `name`. The answer takes the note back.
     *
     * @throws Problem `auth.limited` with the seconds to wait.
     */
    begin(name: string, address: string): () => void {
      const from = network(address)
      const keys = [
        { key: `pair ${name} ${from}`, limit: limits.pair },
        { key: `address ${from}`, limit: limits.address },
        { key: `name ${name}`, limit: limits.name },
      ].map(({ key, limit }) => ({ counted: count(key), limit }))
      const full = keys.find(({ counted, limit }) => counted.failures >= limit)
      if (full) {
        throw new Problem('auth.limited', { seconds: Math.ceil((full.counted.until - clock()) / 1000) })
      }
      for (const { counted } of keys) counted.failures++
      return () => {
        for (const { counted } of keys) counted.failures--
      }
    },
  }
}

export type Attempts = ReturnType<typeof createAttempts>

/** Whoever has one IPv6 address has the 2^64 beside it too. */
function network(address: string): string {
  return isIPv6(address) && address.includes(':') && !address.includes('.')
    ? expand(address).slice(0, 4).join(':')
    : address
}

function expand(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  return [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
}
