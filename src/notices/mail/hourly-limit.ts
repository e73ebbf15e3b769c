import type { Clock } from '#src/core/clock.ts'
import { setBounded } from '#src/core/memory/bounded-map.ts'
import { Problem } from '#src/core/problem.ts'

const hourMs = 3_600_000
const mostKeys = 10_000

/** Limits how often something happens within an hour, by key. */
export function createHourlyLimit(clock: Clock) {
  const times = new Map<string, number[]>()
  return {
    /** Counts one for each key, or none. @throws Problem `request.limited` with the seconds to wait. */
    take(keys: readonly { key: string; most: number }[]): void {
      const now = clock()
      const lately = keys.map(({ key }) => (times.get(key) ?? []).filter((at) => Math.abs(now - at) < hourMs))
      for (const [at, { most }] of keys.entries()) {
        const [oldest = now] = lately[at] ?? []
        if ((lately[at]?.length ?? 0) >= most)
          throw new Problem('request.limited', { seconds: Math.ceil((oldest + hourMs - now) / 1000) })
      }
      for (const [at, { key }] of keys.entries())
        setBounded(times, key, [...(lately[at] ?? []), now], mostKeys)
    },
  }
}
