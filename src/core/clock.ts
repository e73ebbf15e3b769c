/** Milliseconds since 1970. The only clock of the product, so that tests can move it. */
export type Clock = () => number

/** The two clocks of a computer: the time of day, which people and programs set, and the time that passes, in milliseconds. */
export interface ClockSources {
  wall: Clock
  elapsed: Clock
}

export const systemClocks: ClockSources = { wall: Date.now, elapsed: () => performance.now() }

/** Computers that sign and check are never quite in step with themselves after a correction of the clock. */
const toleratedMs = 60_000

/** Whether `at` lies more than a minute ahead: a time that we noted cannot. */
export function isFuture(at: number, now: number): boolean {
  return at > now + toleratedMs
}

export interface SteadyClock {
  /** A time that never goes back, except by `jump`. */
  now: Clock
  /** How far the time of day is behind `now`, in milliseconds; 0: they are the same. */
  behind: Clock
  /** Goes on with the time of day, however far back that is. */
  jump(): void
}

/**
 * A clock that never goes back, so that what has ended stays ended. When the time of day is set back, it goes on from the
 * latest time at half the speed, until the time of day has caught up: limits still end, and both agree again some day.
 *
 * @param latest the latest time that was ever seen, in milliseconds since 1970
 */
export function createSteadyClock({ wall, elapsed }: ClockSources, latest = 0): SteadyClock {
  let time = latest
  let mark = elapsed()

  function now(): number {
    const at = elapsed()
    time = Math.max(wall(), time + Math.max(0, at - mark) / 2)
    mark = at
    return Math.floor(time)
  }

  return {
    now,
    behind: () => Math.max(0, now() - wall()),
    jump() {
      time = wall()
      mark = elapsed()
    },
  }
}
