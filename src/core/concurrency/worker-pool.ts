import type { Worker } from 'node:worker_threads'
import { type Recheck, refusalOf } from '#src/core/recheck.ts'
import { limitProcessor, type ProcessorTime } from './processor-limit.ts'
import { createThreads, type ThreadOptions } from './threads.ts'

/** What a task is given besides its data. */
export interface Run<Part> {
  /** Called when a thread is free for the task; what it throws fails the task, which is then not done. */
  recheck: Recheck
  /** Ends the thread that works on the task; the run then fails with the signal's reason. */
  signal?: AbortSignal
  /** Takes the task back as long as no thread has begun with it; one that has begun is done to its end. */
  untilBegun?: AbortSignal
  /** Gets what the task tells before it is done, in order. */
  onPart?: (part: Part) => void
  /**
   * Processor time that the task may take, in milliseconds; a thread that needs more is ended, also in the middle of a
   * loop, and the run fails with `ProcessorTimeOver`. Only for threads that say when they begin (`serveTasks`, `isTimed`).
   */
  processorMs?: number
}

interface Job {
  task: unknown
  resolve(result: never): void
  reject(error: unknown): void
  onPart: ((part: never) => void) | undefined
  signal: AbortSignal | undefined
  recheck: Recheck
  processorMs: number | undefined
  /** Told when a thread takes the task: from now on it cannot be taken back. */
  begin(): void
}

/**
 * Threads that each do one task at a time with plain synchronous system calls, off the main thread. At most `threads`
 * of them run, started when needed and kept for the next task, for ever or for `idleMs`; further tasks wait their turn.
 * `name` is a file `<name>-worker.ts` of this folder. A thread that dies fails its task and nothing else.
 */
export function createWorkerPool<Task, Result, Part = never>(name: string, options: ThreadOptions) {
  const queue: Job[] = []
  const threads = createThreads(name, options, next)

  function next(): void {
    for (let [job] = queue; job; [job] = queue) {
      const worker = threads.take()
      if (!worker) return
      queue.shift()
      job.begin()
      const refusal = refusalOf(job.recheck)
      if (refusal === undefined) {
        give(worker, job)
      } else {
        threads.rest(worker)
        job.reject(refusal)
      }
    }
  }

  function give(worker: Worker, job: Job): void {
    const { signal } = job
    let reason: unknown
    let unlimit = () => {}
    const stop = () => void worker.terminate()
    const finish = (settle: () => void, isIdle: boolean) => {
      unlimit()
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
      finish(() => job.reject(reason ?? signal?.reason ?? new Error(`the ${name} thread ended`)), false)
    /** Gives its memory back before anybody takes its place, so that all threads together stay below their bound. */
    const end = (settle: () => void) => {
      unlimit()
      worker.off('exit', died).once('exit', () => finish(settle, false))
      stop()
    }
    const limit = (begunAt: ProcessorTime, mostMs: number) => {
      unlimit = limitProcessor(worker, { begunAt, mostMs }, (over) => {
        reason = over
        stop()
      })
    }
    worker.on('message', (answer: Answer) => {
      if (answer.begunAt && job.processorMs) limit(answer.begunAt, job.processorMs)
      const settle = settlement(answer, job)
      if (settle && answer.isLast) end(settle)
      else if (settle) finish(settle, true)
    })
    // The exit follows at once, and with it the memory is given back.
    worker.once('error', (error) => {
      reason ??= error
    })
    worker.once('exit', died)
    signal?.addEventListener('abort', stop, { once: true })
    worker.ref() // while somebody waits for it, the program goes on
    worker.postMessage(job.task)
  }

  return {
    /** Gives `task` to a thread and waits for its result. @throws what the task or `recheck` throws; the signal's reason. */
    run(task: Task, how: Run<Part>): Promise<Result> {
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

/** How an answer settles its job; undefined for one on the way, which is passed on. */
function settlement({ begunAt, part, result, error }: Answer, job: Job): (() => void) | undefined {
  if (error) return () => job.reject(Object.assign(new Error(error.message), error))
  if (part !== undefined) job.onPart?.(part as never)
  const isOnTheWay = part !== undefined || begunAt !== undefined
  return isOnTheWay ? undefined : () => job.resolve(result as never)
}

/** A job that leaves `queue` by itself when it is called off before it begins. */
function jobOf<Part>(
  task: unknown,
  { recheck, signal, untilBegun, onPart, processorMs }: Run<Part>,
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
  const job: Job = { task, resolve, reject, onPart, signal, recheck, processorMs, begin }
  return job
}

/** What a thread says: something on the way, or the end. */
export interface Answer {
  part?: unknown
  result?: unknown
  /** What the thread had used when it began with the task. */
  begunAt?: ProcessorTime
  /** The thread is to end: it holds memory that it cannot give back otherwise. */
  isLast?: boolean
  error?: { message: string; code?: string; syscall?: string }
}
