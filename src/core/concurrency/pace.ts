import { once } from 'node:events'
import { setTimeout as timeout } from 'node:timers/promises'

/** Waits until this number of bytes may be transferred. @throws the reason of the signal. */
export type Pace = (bytes: number, signal?: AbortSignal) => Promise<void>

/** Transfers take turns after a tenth of a second of bytes, so that many advance evenly. */
const partSeconds = 0.1
const [smallestPart, largestPart] = [1024, 64 * 1024]

/** The number of bytes after which another transfer gets its turn. */
export function partBytes(bytesPerSecond: number): number {
  return Math.min(largestPart, Math.max(smallestPart, Math.floor(bytesPerSecond * partSeconds)))
}

interface Timing {
  /** Milliseconds, monotonic. */
  now(): number
  wait(delayMs: number, signal: AbortSignal | undefined): Promise<unknown>
}

const realTiming: Timing = {
  now: () => performance.now(),
  wait: (delayMs, signal) => timeout(delayMs, undefined, { signal, ref: false }),
}

/**
 * Limits the rate of transfers that share it, in bytes a second. They take turns in the order in which they ask. One that is
 * aborted gives up its turn. Unused time is lost, so that there is no burst after a pause.
 */
export function createPace(bytesPerSecond: number, { now, wait }: Timing = realTiming): Pace {
  const largest = partBytes(bytesPerSecond)
  let free = 0
  let last: Promise<void> = Promise.resolve()

  async function part(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    const before = last
    const { promise, resolve: release } = Promise.withResolvers<void>()
    last = promise
    try {
      await untilDone(before, signal)
    } catch (error) {
      void before.then(release)
      throw error
    }
    try {
      const start = Math.max(free, now())
      const end = start + (bytes / bytesPerSecond) * 1000
      const delay = end - now()
      if (delay >= 1) await wait(delay, signal)
      free = end
    } finally {
      release()
    }
  }

  return async (bytes, signal) => {
    for (let left = bytes; left > 0; left -= largest) await part(Math.min(left, largest), signal)
  }
}

/** Waits for `before`. @throws the reason of the signal. */
async function untilDone(before: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  if (!signal) return before
  const settled = new AbortController()
  const aborted = once(signal, 'abort', { signal: settled.signal }).then(() => signal.throwIfAborted())
  try {
    await Promise.race([before, aborted])
  } finally {
    aborted.catch(() => {})
    settled.abort()
  }
}
