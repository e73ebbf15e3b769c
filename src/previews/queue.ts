interface Waiting {
  begin(): void
  fail(reason: unknown): void
}

/**
 * Runs at most `width` tasks at once and keeps at most `depth` waiting. The one that asked last goes first, for it is
 * what somebody looks at now, and when too many wait the one that asked first is turned away with `refusal`.
 */
export function createQueue(width: number, depth: number, refusal: () => Error) {
  const waiting: Waiting[] = []
  let running = 0

  function turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(one), 1)
        reject(signal.reason)
      }
      const one: Waiting = {
        begin() {
          signal.removeEventListener('abort', leave)
          resolve()
        },
        fail(reason) {
          signal.removeEventListener('abort', leave)
          reject(reason)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.push(one)
      if (waiting.length > depth) waiting.shift()?.fail(refusal())
    })
  }

  /** Runs `work` when it is its turn. @throws the signal's reason when it aborts before that, or the refusal. */
  return async function run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    if (running >= width) await turn(signal)
    else running++
    try {
      return await work()
    } finally {
      // The place goes on to the next one without ever being free, so that nobody gets in between.
      const next = waiting.pop()
      if (next) next.begin()
      else running--
    }
  }
}
