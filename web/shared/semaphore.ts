/** Limits how much work runs at once. A permit is a function: calling it releases the permit. */
export interface Semaphore {
  /** Returns a permit for work that can start now. Undefined when all permits are taken. */
  tryAcquire(): (() => void) | undefined
  /** How many permits are free now. */
  readonly free: number
  /** Waits for a permit. Serves the oldest request first. */
  acquire(): Promise<() => void>
}

/** Creates a semaphore with `most` permits. */
export function createSemaphore(most: number): Semaphore {
  const waiting = new Set<() => void>()
  let taken = 0

  function permit(): () => void {
    taken++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      taken--
      const [oldest] = waiting
      oldest?.()
    }
  }

  const tryAcquire = () => (taken < most ? permit() : undefined)
  return {
    tryAcquire,
    get free() {
      return most - taken
    },
    async acquire() {
      const free = tryAcquire()
      if (free) return free
      const { promise, resolve } = Promise.withResolvers<() => void>()
      const grant = () => {
        waiting.delete(grant)
        // Taken here and not after the wait, so that no later request takes this permit.
        resolve(permit())
      }
      waiting.add(grant)
      return promise
    },
  }
}
