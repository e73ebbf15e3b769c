import { isMainThread, type Worker, workerData } from 'node:worker_threads'

// A worker thread may be ended at any instruction. If that happens between the creation and the initialization of an
// object of `node:zlib`, an assertion of Node ends the whole process: `init_done_ && "close before init"` in
// `node_zlib.cc`. So a thread announces such calls, and is ended before or after one.

/** What the main thread and a worker thread know of each other. */
export interface Guarded {
  /** Two numbers: how many calls are running that must not be interrupted, and whether the thread is being ended. */
  guard: Int32Array<SharedArrayBuffer>
}

const running = 0
const ending = 1
// A thread that has died in a call, for lack of memory, never leaves it.
const mostMs = 5000

const guards = new WeakMap<Worker, Guarded['guard']>()
const own = isMainThread ? undefined : (workerData as Partial<Guarded> | null)?.guard

/** The data for a new thread that `endThread` will end. */
export function guardedData(): Guarded {
  return { guard: new Int32Array(new SharedArrayBuffer(8)) }
}

/** Makes `endThread` wait for the calls of this thread. `data` was given to it when it was started. */
export function registerThread(worker: Worker, { guard }: Guarded): void {
  guards.set(worker, guard)
}

/** Runs a short call that must not be interrupted. In a thread that is being ended, it does not return. */
export function uninterrupted<T>(call: () => T): T {
  if (!own) return call()
  Atomics.add(own, running, 1)
  try {
    if (Atomics.load(own, ending) === 0) return call()
  } finally {
    Atomics.sub(own, running, 1)
    Atomics.notify(own, running)
  }
  // The main thread ends this one now, and with it this wait.
  Atomics.wait(own, ending, 1)
  throw new Error('the thread was not ended')
}

/** Ends a thread, after the call that it must not be interrupted in. It begins no further one. */
export async function endThread(worker: Worker): Promise<void> {
  const guard = guards.get(worker)
  if (guard) {
    // From here on, each such call either is visible below or sees this.
    Atomics.store(guard, ending, 1)
    for (let calls = Atomics.load(guard, running); calls > 0; calls = Atomics.load(guard, running)) {
      if ((await Atomics.waitAsync(guard, running, calls, mostMs).value) === 'timed-out') break
    }
  }
  await worker.terminate()
}
