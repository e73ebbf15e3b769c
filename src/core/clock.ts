/** Returns the milliseconds since 1970. The product uses no other clock, so that tests can set it. */
export type Clock = () => number

/**
 * The two clocks of a computer, in milliseconds: the time of day, which people and programs set, and the elapsed time.
 */
export interface ClockSources {
  wall: Clock
  elapsed: Clock
}

export const systemClocks: ClockSources = { wall: Date.now, elapsed: () => performance.now() }

/** The clocks of a computer that signs and of one that checks can differ by this much after a clock is corrected. */
const toleratedMs = 60_000

/** Whether `at` is more than a minute in the future. A time that we recorded cannot be. */
export function isFuture(at: number, now: number): boolean {
  return at > now + toleratedMs
}

export interface SteadyClock {
  /** Returns a time that never goes back, except after `jump`. */
  now: Clock
  /** Returns by how many milliseconds the time of day is behind `now`. 0 when they are equal. */
  behind: Clock
  /** Continues with the time of day, even when it is earlier. */
  jump(): void
  /** How far the time of day was from `latest` at the creation, in milliseconds. Undefined: there was no earlier process. */
  readonly offMs: number | undefined
}

/**
 * A clock that never goes back, so that expired sessions and shares stay expired. When the time of day is set back, the
 * clock runs at half speed until the time of day has caught up. So time limits still end, and both clocks agree again
 * later.
 *
 * @param latest the latest time that any earlier process has seen, in milliseconds since 1970
 */
export function createSteadyClock({ wall, elapsed }: ClockSources, latest = 0): SteadyClock {
  let time = latest
  let lastElapsed = elapsed()

  function now(): number {
    const at = elapsed()
    time = Math.max(wall(), time + Math.max(0, at - lastElapsed) / 2)
    lastElapsed = at
    return Math.floor(time)
  }

  return {
    now,
    behind: () => Math.max(0, now() - wall()),
    jump() {
      time = wall()
      lastElapsed = elapsed()
    },
    offMs: latest === 0 ? undefined : Math.abs(wall() - latest),
  }
}
