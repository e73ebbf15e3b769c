/**
 * Backpressure between a worker thread and its reader: two counters in shared memory, of batches sent and received. The
 * thread sleeps while too many batches are unread.
 */
export type FlowControl = SharedArrayBuffer

const sent = 0
const received = 1
const mostUnread = 16
const mostPauseMs = 2000

/** Creates a flow, which is sent to a thread with its task. */
export function createFlowControl(): FlowControl {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)
}

/**
 * Called in the thread after sending a batch: waits until the reader has received enough batches. Returns false if the
 * reader receives nothing for two seconds, because other tasks may need the thread.
 */
export function waitForReader(flow: FlowControl): boolean {
  const counters = new Int32Array(flow)
  const sequence = Atomics.add(counters, sent, 1)
  for (
    let seen = Atomics.load(counters, received);
    sequence - seen >= mostUnread;
    seen = Atomics.load(counters, received)
  ) {
    if (Atomics.wait(counters, received, seen, mostPauseMs) === 'timed-out') return false
  }
  return true
}

/** Called by the reader after it has received a batch. */
export function acknowledgePart(flow: FlowControl): void {
  const counters = new Int32Array(flow)
  Atomics.add(counters, received, 1)
  Atomics.notify(counters, received)
}
