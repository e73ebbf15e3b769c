/**
 * The levels of deflate, from the smallest result to the fastest. Level 3 takes half the time of level 6 for results
 * that are 7 % larger, level 1 takes 40 % of it for results that are 12 % larger (measured with text).
 */
const levels = [6, 3, 1] as const

/** How often the share of waiting is measured, in milliseconds. */
const measureEveryMs = 100
/** The time over which measurements are averaged: networks and their buffers take data in bursts. */
const averageMs = 350
// Shares of the time that is spent waiting for the client. A better level takes twice the time at most, so that the
// client is still the one that is waited for.
const fewShare = 0.15
const startShare = 0.4
const mostShare = 0.6

/** Chooses the level of compression for one archive by the speed of its client. */
export interface Pace {
  /** The level of deflate for the next block. */
  level(): number
  /** Runs a write to the client, and measures how long it takes. */
  timed(write: () => Promise<void>): Promise<void>
}

/**
 * Chooses the level so that the network, and not the compression, limits the speed. While the archive mostly waits for
 * its client, it is compressed better; while the client mostly waits, it is compressed faster. Starts with the best
 * level: short archives are sent before anything is measured.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createPace(now: () => number = () => performance.now()): Pace {
  let index = 0
  let since = now()
  let waitedMs = 0
  let share = startShare

  function move(by: 1 | -1): void {
    index = Math.max(0, Math.min(index + by, levels.length - 1))
    share = startShare
  }

  function measure(): void {
    const elapsed = now() - since
    if (elapsed < measureEveryMs) return
    share += (1 - Math.exp(-elapsed / averageMs)) * (waitedMs / elapsed - share)
    since = now()
    waitedMs = 0
    if (share < fewShare) move(1)
    else if (share > mostShare) move(-1)
  }

  return {
    level: () => levels[index] ?? levels[0],
    async timed(write) {
      const began = now()
      await write()
      waitedMs += now() - began
      measure()
    },
  }
}
