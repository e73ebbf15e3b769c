import type { Recheck } from '#src/core/recheck.ts'

/** Locks by key within this process. One task at a time holds a key. */
export interface KeyedLock {
  /** Whether a task holds `key` or waits for it. */
  isHeld(key: string): boolean
  /**
   * Runs `work` when all tasks that requested `key` before have ended. The signal of `work` aborts when another task
   * takes over the key.
   *
   * @throws what `recheck` or `work` throws, or the reason `why` of another task that took over before `work` started.
   */
  run<T>(key: string, recheck: Recheck, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /**
   * Aborts the task that holds `key`, with the reason `why`, and runs `work` when that task has ended. Of several tasks
   * that take over, the last one wins.
   *
   * @throws what `recheck` or `work` throws.
   */
  takeOver<T>(key: string, options: { why: Error; recheck: Recheck }, work: () => Promise<T>): Promise<T>
}

/** Creates a lock without holders. */
export function createKeyedLock(): KeyedLock {
  // The last task that requested each key.
  const last = new Map<string, { ended: Promise<void>; stop: AbortController }>()

  async function run<T>(
    key: string,
    recheck: Recheck,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const previous = last.get(key)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const stop = new AbortController()
    const own = { ended, stop }
    last.set(key, own)
    await previous?.ended
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
      // Another task may have taken over during the wait. Nothing runs between the last check and `run`.
      for (let holder = last.get(key); holder; holder = last.get(key)) {
        holder.stop.abort(why)
        await holder.ended
      }
      return run(key, recheck, work)
    },
  }
}
