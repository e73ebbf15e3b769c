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
