import type { Clock } from '#src/core/clock.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
// A jump of the clock that is smaller deletes nothing that is not nearly due.
const toleratedMs = hourMs
const longOffMs = 7 * dayMs
const waitMs = dayMs

/**
 * Says whether the time of day is believed when items are deleted because of their age. A wrong clock must not empty the
 * trash: after a jump, and after a start that follows a long pause, the clock must run for a day.
 */
export function createClockTrust({
  clock,
  elapsed,
  offMs,
}: {
  clock: Clock
  /** The time of a monotonic clock, in milliseconds. */
  elapsed: Clock
  /** How long no server ran before the start, in milliseconds; undefined: unknown. */
  offMs: number | undefined
}) {
  let last = { clock: clock(), elapsed: elapsed() }
  let trustedFrom = offMs !== undefined && offMs < longOffMs ? last.elapsed : last.elapsed + waitMs

  return {
    /** Whether the clock is believed now. Called every hour or more often. */
    isTrusted(): boolean {
      const now = { clock: clock(), elapsed: elapsed() }
      const jump = Math.abs(now.clock - last.clock - (now.elapsed - last.elapsed))
      if (jump > toleratedMs) trustedFrom = now.elapsed + waitMs
      last = now
      return now.elapsed >= trustedFrom
    },
  }
}
