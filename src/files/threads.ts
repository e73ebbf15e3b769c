import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { embedded } from '#src/core/embedded.ts'

/** How many threads there are, and how long. */
export interface ThreadOptions {
  /** At most so many run at once. */
  threads: number
  /** An idle thread ends after so long, and its memory goes back to the system; undefined: it stays. */
  idleMs?: number
  /** Room for young objects in steps of 3 MiB; undefined: one. Threads that make many small ones for a while need more. */
  young?: number
  /**
   * Mebibytes of JavaScript objects that a thread may hold; one that needs more is ended and its task fails. Array buffers
   * and WebAssembly are not counted: tasks bound those themselves. Undefined: 1024.
   */
  heap?: number
}

/**
 * The threads that run `<name>-worker.ts`. `onRoom` is told when one has ended, for another may be started in its place.
 */
export function createThreads(name: string, options: ThreadOptions, onRoom: () => void) {
  const { threads, idleMs, young = 1, heap = 1024 } = options
  const all = new Set<Worker>()
  const idle = new Map<Worker, NodeJS.Timeout | undefined>()

  function add(): Worker {
    const worker = start(name, { young, heap })
    worker.unref() // an idle thread keeps no program alive
    worker.once('exit', () => {
      all.delete(worker)
      wake(worker)
      onRoom()
    })
    all.add(worker)
    return worker
  }

  function wake(worker: Worker): Worker {
    clearTimeout(idle.get(worker))
    idle.delete(worker)
    return worker
  }

  return {
    /** The thread that rested last, or a new one; undefined when all are at work. */
    take(): Worker | undefined {
      const last = [...idle.keys()].at(-1)
      if (last) return wake(last)
      return all.size < threads ? add() : undefined
    },
    /** Has `worker` wait for its next task. */
    rest(worker: Worker): void {
      const end = () => void wake(worker).terminate()
      idle.set(worker, idleMs === undefined ? undefined : setTimeout(end, idleMs).unref())
    },
    /** Ends them all. */
    async close(): Promise<void> {
      await Promise.all([...all].map((worker) => wake(worker).terminate()))
    },
  }
}

// A descriptor that a thread hands over is the main thread's to close: by the time the thread ends, its number may
// belong to another file.
// A limit to the heap, far above what any task needs, has V8 collect garbage sooner: 20 MB less for two threads.
function limited(heap: number) {
  return { trackUnmanagedFds: false, resourceLimits: { maxOldGenerationSizeMb: heap } }
}

function start(name: string, { young, heap }: Required<Pick<ThreadOptions, 'young' | 'heap'>>): Worker {
  // V8 takes this flag over a limit of the thread's own, and reads it when a heap is made: the main thread's stays as it
  // is.
  setFlagsFromString(`--max-semi-space-size=${young}`)
  const code = embedded(`workers/${name}.js`)
  return code
    ? new Worker(code.toString(), { ...limited(heap), eval: true })
    : new Worker(new URL(`./${name}-worker.ts`, import.meta.url), limited(heap))
}
