import type { Recheck } from '#src/core/recheck.ts'

/** Locks by key within this process: one task at a time holds a key. */
export interface KeyedLock {
  /** Whether a task holds `key`, or waits for it. */
  isHeld(key: string): boolean
  /**
   * Runs `work` when all tasks that asked for `key` before have ended. Its signal aborts when another task takes the key over.
   *
   * @throws what `recheck` or `work` throws; the reason of the other task when it took over before `work` began.
   */
  run<T>(key: string, recheck: Recheck, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /**
   * Aborts the task that holds `key`, with the reason `why`, and runs `work` when it has ended. Of several tasks that take
   * over, the last one wins.
   *
   * @throws what `recheck` or `work` throws.
   */
  takeOver<T>(key: string, options: { why: Error; recheck: Recheck }, work: () => Promise<T>): Promise<T>
}

/** A lock that nobody holds. */
export function createKeyedLock(): KeyedLock {
  // The last task that asked for each key.
  const last = new Map<string, { ended: Promise<void>; stop: AbortController }>()

  async function run<T>(
    key: string,
    recheck: Recheck,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const before = last.get(key)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const stop = new AbortController()
    const own = { ended, stop }
    last.set(key, own)
    await before?.ended
    try {
      stop.signal.throwIfAborted()
      recheck()
      return await work(stop.signal)
    } finally {
      resolve()
      if (last.get(key) === own) last.delete(key)
    }
  }

  return {
    isHeld: (key) => last.has(key),
    run,
    async takeOver(key, { why, recheck }, work) {
      // Another task may have taken over during the wait. Nothing lies between the last check and `run`.
      for (let holder = last.get(key); holder; holder = last.get(key)) {
        holder.stop.abort(why)
        await holder.ended
      }
      return run(key, recheck, work)
    },
  }
}
