import type { Recheck } from '#src/core/recheck.ts'

/** Keyed locks of one process: the holder of a key is alone until it releases it. */
export function createLocks() {
  const tails = new Map<string, Promise<void>>()
  return {
    /** Runs `work` when all who asked for `key` before have finished. @throws what `recheck` or `work` throws. */
    async run<T>(key: string, recheck: Recheck, work: () => Promise<T>): Promise<T> {
      const before = tails.get(key)
      const { promise, resolve } = Promise.withResolvers<void>()
      tails.set(key, promise)
      await before
      try {
        recheck()
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
 * Lets at most `width` tasks run at once and at most `depth` wait. The function it returns runs a task in its turn,
 * after `recheck`; it returns undefined at once when the queue is full.
 */
export function createGate(width: number, depth: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async function enter<T>(recheck: Recheck, work: () => Promise<T>): Promise<T | undefined> {
    if (running >= width) {
      if (waiting.length >= depth) return undefined
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running++
    }
    try {
      recheck()
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
