/**
 * The levels of deflate, from the smallest result to the fastest. Level 3 takes half the time of level 6 for results
 * that are 7 % larger, level 1 takes 40 % of it for results that are 12 % larger (measured with text).
 */
const levels = [6, 3, 1] as const

/** How often the level may change, in milliseconds. */
const changeEveryMs = 200
// Shares of the time that is spent waiting for the client.
const fewShare = 0.25
const mostShare = 0.75

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

  function adjust(): void {
    const elapsed = now() - since
    if (elapsed < changeEveryMs) return
    const share = waitedMs / elapsed
    if (share < fewShare) index = Math.min(index + 1, levels.length - 1)
    else if (share > mostShare) index = Math.max(index - 1, 0)
    since = now()
    waitedMs = 0
  }

  return {
    level: () => levels[index] ?? levels[0],
    async timed(write) {
      const began = now()
      await write()
      waitedMs += now() - began
      adjust()
    },
  }
}
