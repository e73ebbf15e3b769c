/**
 * Keeps a thread from telling faster than its listener can take: two counters in shared memory, what was told and what
 * was taken. The thread sleeps while too much is under way.
 */
export type Flow = SharedArrayBuffer

const told = 0
const taken = 1
const mostUnderWay = 16
const mostStillMs = 2000

/** A new flow, to be sent to a thread with its task. */
export function createFlow(): Flow {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)
}

/**
 * In the thread, after telling a part: waits until the listener has taken enough. Answers whether it did; one who takes
 * nothing for two seconds is not waited for any longer, since others may need the thread.
 */
export function waitToTell(flow: Flow): boolean {
  const counters = new Int32Array(flow)
  const mine = Atomics.add(counters, told, 1)
  for (
    let seen = Atomics.load(counters, taken);
    mine - seen >= mostUnderWay;
    seen = Atomics.load(counters, taken)
  ) {
    if (Atomics.wait(counters, taken, seen, mostStillMs) === 'timed-out') return false
  }
  return true
}

/** In the listener, when it has taken a part. */
export function tookPart(flow: Flow): void {
  const counters = new Int32Array(flow)
  Atomics.add(counters, taken, 1)
  Atomics.notify(counters, taken)
}
