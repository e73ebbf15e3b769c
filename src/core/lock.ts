/** Keyed locks of one process: the holder of a key is alone until it releases it. */
export function createLocks() {
  const tails = new Map<string, Promise<void>>()
  return {
    /** Runs `work` when everybody who asked for `key` before has finished. */
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const before = tails.get(key)
      const { promise, resolve } = Promise.withResolvers<void>()
      tails.set(key, promise)
      await before
      try {
        return await work()
      } finally {
        resolve()
        if (tails.get(key) === promise) tails.delete(key)
      }
    },
  }
}

export type Locks = ReturnType<typeof createLocks>

/**
 * Lets at most `width` tasks run at once and at most `depth` wait; answers undefined at once when even the queue is full.
 */
export function createGate(width: number, depth: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async function enter<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (running >= width) {
      if (waiting.length >= depth) return undefined
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running++
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
