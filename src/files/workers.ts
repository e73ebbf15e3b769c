import type { Worker } from 'node:worker_threads'
import { createThreads, type ThreadOptions } from './threads.ts'

/** What a task may be given besides its data. */
export interface Run<Part> {
  /** Ends the thread that works on the task; the run then fails with the signal's reason. */
  signal?: AbortSignal
  /** Takes the task back as long as no thread has begun with it; one that has begun is done to its end. */
  untilBegun?: AbortSignal
  /** Gets what the task tells before it is done, in order. */
  onPart?: (part: Part) => void
}

interface Job {
  task: unknown
  resolve(result: never): void
  reject(error: unknown): void
  onPart: ((part: never) => void) | undefined
  signal: AbortSignal | undefined
  /** Told when a thread takes the task: from now on it cannot be taken back. */
  begin(): void
}

/**
 * Threads that each do one task at a time with plain synchronous system calls, off the main thread. At most `threads`
 * of them run, started when needed and kept for the next task, for ever or for `idleMs`; further tasks wait their turn.
 * `name` is a file `<name>-worker.ts` of this folder. A thread that dies fails its task and nothing else.
 */
export function createWorkers<Task, Result, Part = never>(name: string, options: ThreadOptions) {
  const queue: Job[] = []
  const threads = createThreads(name, options, next)

  function next(): void {
    const job = queue[0]
    if (!job) return
    const worker = threads.take()
    if (!worker) return
    queue.shift()
    job.begin()
    give(worker, job)
  }

  function give(worker: Worker, job: Job): void {
    const { signal } = job
    const stop = () => void worker.terminate()
    const finish = (settle: () => void, isIdle: boolean) => {
      worker.removeAllListeners('message').removeAllListeners('error').off('exit', died)
      signal?.removeEventListener('abort', stop)
      // One that is about to end holds the program until it has, for somebody may wait for its place.
      if (isIdle) {
        worker.unref()
        threads.rest(worker)
      }
      settle()
      next()
    }
    const died = () =>
      finish(() => job.reject(signal?.reason ?? new Error(`the ${name} thread ended`)), false)
    worker.on('message', ({ part, result, error, isLast }: Answer) => {
      if (part !== undefined) job.onPart?.(part as never)
      else if (error) finish(() => job.reject(Object.assign(new Error(error.message), error)), true)
      else {
        if (isLast) void worker.terminate()
        finish(() => job.resolve(result as never), !isLast)
      }
    })
    worker.once('error', (error) => finish(() => job.reject(error), false))
    worker.once('exit', died)
    signal?.addEventListener('abort', stop, { once: true })
    worker.ref() // while somebody waits for it, the program goes on
    worker.postMessage(job.task)
  }

  return {
    /** Hands `task` to a thread and waits for its result. @throws what the task throws, or the signal's reason. */
    run(task: Task, how: Run<Part> = {}): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        queue.push(jobOf(task, how, { resolve, reject, queue }))
        next()
      })
    },
    /** Ends every thread; what they were doing fails. */
    async close(): Promise<void> {
      const ended = new Error(`the ${name} threads ended`)
      for (const job of queue.splice(0)) {
        job.begin()
        job.reject(ended)
      }
      await threads.close()
    },
  }
}

/** A job that leaves `queue` by itself when it is called off before it begins. */
function jobOf<Part>(
  task: unknown,
  { signal, untilBegun, onPart }: Run<Part>,
  { resolve, reject, queue }: Pick<Job, 'resolve' | 'reject'> & { queue: Job[] },
): Job {
  const signals = [signal, untilBegun].filter((each) => each !== undefined)
  for (const each of signals) each.throwIfAborted()
  const begin = () => {
    for (const each of signals) each.removeEventListener('abort', takeBack)
  }
  const takeBack = ({ target }: Event) => {
    begin()
    queue.splice(queue.indexOf(job), 1)
    reject((target as AbortSignal).reason) // only signals are listened to
  }
  for (const each of signals) each.addEventListener('abort', takeBack)
  const job: Job = { task, resolve, reject, onPart, signal, begin }
  return job
}

/** What a thread says: something on the way, or the end. */
export interface Answer {
  part?: unknown
  result?: unknown
  /** The thread is to end: it holds memory that it cannot give back otherwise. */
  isLast?: boolean
  error?: { message: string; code?: string; syscall?: string }
}
