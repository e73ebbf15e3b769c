import { Worker } from 'node:worker_threads'
import { embedded } from '#src/core/embedded.ts'

/** What a task may be given besides its data. */
export interface Run<Part> {
  /** Ends the thread that works on the task; the run then fails with the signal's reason. */
  signal?: AbortSignal
  /** Gets what the task tells before it is done, in order. */
  onPart?: (part: Part) => void
}

interface Job {
  task: unknown
  resolve(result: never): void
  reject(error: unknown): void
  onPart: ((part: never) => void) | undefined
  signal: AbortSignal | undefined
}

/**
 * Threads that each do one task at a time with plain synchronous system calls, off the main thread. At most `threads`
 * of them run, started when needed and kept for the next task; further tasks wait their turn. `name` is a file
 * `<name>-worker.ts` of this folder. A thread that dies fails its task and nothing else.
 */
export function createWorkers<Task, Result, Part = never>(name: string, { threads }: { threads: number }) {
  const all = new Set<Worker>()
  const idle: Worker[] = []
  const queue: Job[] = []

  function next(): void {
    const job = queue[0]
    if (!job) return
    const worker = idle.pop() ?? (all.size < threads ? add() : undefined)
    if (!worker) return
    queue.shift()
    give(worker, job)
  }

  function add(): Worker {
    const worker = start(name)
    worker.unref() // an idle thread keeps no program alive
    worker.once('exit', () => {
      all.delete(worker)
      const at = idle.indexOf(worker)
      if (at >= 0) idle.splice(at, 1)
      next()
    })
    all.add(worker)
    return worker
  }

  function give(worker: Worker, job: Job): void {
    const { signal } = job
    const stop = () => void worker.terminate()
    const finish = (settle: () => void, isIdle: boolean) => {
      worker.removeAllListeners('message').removeAllListeners('error').off('exit', died)
      signal?.removeEventListener('abort', stop)
      worker.unref()
      if (isIdle) idle.push(worker)
      settle()
      next()
    }
    const died = () =>
      finish(() => job.reject(signal?.reason ?? new Error(`the ${name} thread ended`)), false)
    worker.on('message', ({ part, result, error }: Answer) => {
      if (part !== undefined) job.onPart?.(part as never)
      else if (error) finish(() => job.reject(Object.assign(new Error(error.message), error)), true)
      else finish(() => job.resolve(result as never), true)
    })
    worker.once('error', (error) => finish(() => job.reject(error), false))
    worker.once('exit', died)
    signal?.addEventListener('abort', stop, { once: true })
    worker.ref() // while somebody waits for it, the program goes on
    worker.postMessage(job.task)
  }

  return {
    /** Hands `task` to a thread and waits for its result. @throws what the task throws, or the signal's reason. */
    run(task: Task, { signal, onPart }: Run<Part> = {}): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        signal?.throwIfAborted()
        const job: Job = { task, resolve, reject, onPart, signal }
        queue.push(job)
        signal?.addEventListener('abort', () => {
          const at = queue.indexOf(job)
          if (at < 0) return
          queue.splice(at, 1)
          reject(signal.reason)
        })
        next()
      })
    },
    /** Ends every thread; what they were doing fails. */
    async close(): Promise<void> {
      const ended = new Error(`the ${name} threads ended`)
      for (const job of queue.splice(0)) job.reject(ended)
      await Promise.all([...all].map((worker) => worker.terminate()))
    },
  }
}

/** What a thread says: something on the way, or the end. */
export interface Answer {
  part?: unknown
  result?: unknown
  error?: { message: string; code?: string }
}

// A descriptor that a thread hands over is the main thread's to close: by the time the thread ends, its number may
// belong to another file.
const options = { trackUnmanagedFds: false }

function start(name: string): Worker {
  const code = embedded(`workers/${name}.js`)
  return code
    ? new Worker(code.toString(), { ...options, eval: true })
    : new Worker(new URL(`./${name}-worker.ts`, import.meta.url), options)
}
