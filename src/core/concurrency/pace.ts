import { setTimeout as timeout } from 'node:timers/promises'

/** Waits until this number of bytes may be transferred. @throws the reason of the signal. */
export type Pace = (bytes: number, signal?: AbortSignal) => Promise<void>

/** What is transferred at once: a tenth of a second, so that many transfers advance evenly. */
const partSeconds = 0.1
const [smallestPart, largestPart] = [1024, 64 * 1024]

/** The number of bytes that a transfer asks for at once. */
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
 * Limits the rate of transfers that share it, in bytes a second. Each part gets the next free time, in the order of the
 * calls. Unused time is lost, so that there is no burst after a pause.
 */
export function createPace(bytesPerSecond: number, { now, wait }: Timing = realTiming): Pace {
  const largest = partBytes(bytesPerSecond)
  let free = 0

  async function part(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    const start = Math.max(free, now())
    free = start + (bytes / bytesPerSecond) * 1000
    const delay = free - now()
    if (delay >= 1) await wait(delay, signal)
    signal?.throwIfAborted()
  }

  return async (bytes, signal) => {
    for (let left = bytes; left > 0; left -= largest) await part(Math.min(left, largest), signal)
  }
}
