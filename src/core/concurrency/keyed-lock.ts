import type { Recheck } from '#src/core/problem.ts'

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

/**
 * Runs `work` for a key at most once at a time. A call during a run waits for one more run, which begins after this one
 * and is shared by all calls that wait for it. So each caller gets the result of a run that began after its call.
 */
export function createRunAgain<T>() {
  const locks = createKeyedLock()
  const waiting = new Map<string, Promise<T>>()

  return (key: string, work: () => Promise<T>): Promise<T> => {
    const shared = waiting.get(key)
    if (shared) return shared
    const begin = () => {
      waiting.delete(key)
      return work()
    }
    const next = locks.run(key, () => {}, begin)
    waiting.set(key, next)
    return next
  }
}

interface Shared<T> {
  result: Promise<T>
  callers: number
  controller: AbortController
}

/** Concurrent callers with the same key share one run of `make`. The run is aborted when the last caller aborts. */
export function createSingleFlight<T>() {
  const running = new Map<string, Shared<T>>()

  function begin(key: string, make: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const controller = new AbortController()
    const result = make(controller.signal).finally(() => {
      if (running.get(key)?.controller === controller) running.delete(key)
    })
    result.catch(() => undefined) // all callers may have left
    const shared = { result, callers: 0, controller }
    running.set(key, shared)
    return shared
  }

  /**
   * Returns the result of `make`, shared by all callers with `key`. @throws what `make` throws, or the signal's reason.
   */
  return async function share(
    key: string,
    signal: AbortSignal,
    make: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const shared = running.get(key) ?? begin(key, make)
    shared.callers++
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([shared.result, left])
    } finally {
      signal.removeEventListener('abort', leave)
      if (--shared.callers === 0) {
        // Later callers start a new run.
        if (running.get(key) === shared) running.delete(key)
        shared.controller.abort(signal.reason)
      }
    }
  }
}
