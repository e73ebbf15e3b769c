import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { embeddedFile } from '#src/core/embedded.ts'
import { endThread, type Guarded, guardedData, registerThread } from '#src/core/zlib/uninterrupted.ts'

/** Number and lifetime of the threads. */
export interface ThreadOptions {
  /** Maximum number of threads. */
  threads: number
  /** An idle thread ends after this time, in milliseconds, and frees its memory. Undefined: 30 s. */
  idleMs?: number
  /** The number of idle threads that stay, so that the next task does not wait for a new one. Undefined: none. */
  spare?: number
  /**
   * Size of V8's semi-space in MiB; the young generation takes three times as much. Undefined: 1. Threads that create
   * many short-lived objects need more.
   */
  semiSpaceMb?: number
  /**
   * Mebibytes of JavaScript objects that a thread may use. A thread that needs more ends, and its task fails. Array
   * buffers and WebAssembly do not count: tasks limit those themselves. Undefined: 1024.
   */
  heapMb?: number
}

/** The threads that run `<name>-worker.ts`. Calls `onRoom` when a thread has ended, because another can start. */
export function createThreads(name: string, options: ThreadOptions, onExit: () => void) {
  const { threads, idleMs = 30_000, spare = 0, semiSpaceMb = 1, heapMb = 1024 } = options
  const all = new Set<Worker>()
  const idle = new Map<Worker, NodeJS.Timeout>()
  let isStarting = false
  let isClosing = false

  function add(): Worker {
    const worker = start(name, { semiSpaceMb, heapMb })
    worker.unref() // an idle thread does not keep the process alive
    worker.once('exit', () => {
      all.delete(worker)
      clearIdle(worker)
      onExit()
    })
    all.add(worker)
    return worker
  }

  function clearIdle(worker: Worker): Worker {
    clearTimeout(idle.get(worker))
    idle.delete(worker)
    return worker
  }

  function release(worker: Worker): void {
    // The process lives until all threads have ended: what follows the close must not be lost.
    if (isClosing) return
    worker.unref()
    const end = () => {
      if (all.size > spare) void endThread(clearIdle(worker))
    }
    idle.set(worker, setTimeout(end, idleMs).unref())
  }

  return {
    /** Whether a thread is idle. If none is, starts one as far as there is room, for a task that follows soon. */
    prepare(): boolean {
      if (idle.size > 0) return true
      if (isClosing || isStarting || all.size >= threads) return false
      isStarting = true
      const started = Promise.withResolvers<boolean>()
      const worker = add()
        .once('online', () => started.resolve(true))
        .once('error', () => started.resolve(false)) // it has ended
        .once('exit', () => started.resolve(false))
      void started.promise.then((isReady) => {
        isStarting = false
        if (isReady && all.has(worker)) release(worker)
      })
      return false
    },
    /** Returns the thread that became idle last, or a new one. Undefined when all are busy. */
    take(): Worker | undefined {
      const last = [...idle.keys()].at(-1)
      if (last) return clearIdle(last)
      return all.size < threads ? add() : undefined
    },
    /** Marks `worker` as idle. Then it does not keep the process alive. */
    release,
    /** Ends all threads. */
    async close(): Promise<void> {
      isClosing = true
      await Promise.all([...all].map((worker) => endThread(clearIdle(worker))))
    },
  }
}

// A worker transfers ownership of its descriptors to the main thread, which closes them. When the thread ends, the
// number may already belong to another file, so that Node must not close it.
// The flags of the process are not passed on: threads would load the test runner, which takes seconds.
// A limit to the heap, far above the need of any task, makes V8 collect garbage sooner: this saves 20 MB for two
// threads.
function limited(heap: number, workerData: Guarded) {
  const resourceLimits = { maxOldGenerationSizeMb: heap }
  return { trackUnmanagedFds: false, resourceLimits, execArgv: [], workerData }
}

function start(
  name: string,
  { semiSpaceMb, heapMb }: Required<Pick<ThreadOptions, 'semiSpaceMb' | 'heapMb'>>,
): Worker {
  // V8 prefers this flag to the limit of the thread, and reads it when it creates a heap. The heap of the main thread
  // does not change.
  setFlagsFromString(`--max-semi-space-size=${semiSpaceMb}`)
  const code = embeddedFile(`workers/${name}.js`)
  const data = guardedData()
  const worker = code
    ? new Worker(code.toString(), { ...limited(heapMb, data), eval: true })
    : new Worker(new URL(`../../workers/${name}-worker.ts`, import.meta.url), limited(heapMb, data))
  registerThread(worker, data)
  return worker
}
