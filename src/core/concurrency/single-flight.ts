interface Shared<T> {
  result: Promise<T>
  asking: number
  controller: AbortController
}

/** Lets all who want the same thing at the same time share one making of it, which is given up when the last one leaves. */
export function createSingleFlight<T>() {
  const making = new Map<string, Shared<T>>()

  function begin(key: string, make: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const controller = new AbortController()
    const result = make(controller.signal).finally(() => {
      if (making.get(key)?.controller === controller) making.delete(key)
    })
    result.catch(() => undefined) // nobody may be left to hear of it
    const shared = { result, asking: 0, controller }
    making.set(key, shared)
    return shared
  }

  /** What `make` answers, for this asker and all others of `key`. @throws what it throws, or the signal's reason. */
  return async function share(
    key: string,
    signal: AbortSignal,
    make: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const shared = making.get(key) ?? begin(key, make)
    shared.asking++
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([shared.result, left])
    } finally {
      signal.removeEventListener('abort', leave)
      if (--shared.asking === 0) {
        // Whoever asks from now on has it made anew.
        if (making.get(key) === shared) making.delete(key)
        shared.controller.abort(signal.reason)
      }
    }
  }
}
