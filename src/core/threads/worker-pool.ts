import type { Worker } from 'node:worker_threads'
import { type Recheck, refusalOf } from '#src/core/problem.ts'
import { endThread } from '#src/core/zlib/uninterrupted.ts'
import { limitProcessorTime, type ProcessorTime } from './processor-limit.ts'
import { createThreads, type ThreadOptions } from './threads.ts'

/** Options of a task besides its data. */
export interface TaskOptions<Part> {
  /**
   * Called when a thread is free for the task. When it throws, the run rejects with the error and the task does not
   * start.
   */
  recheck: Recheck
  /** Ends the thread that runs the task. The run then rejects with the signal's reason. */
  signal?: AbortSignal
  /** Removes the task from the queue. Has no effect once a thread has started the task. */
  signalWhileQueued?: AbortSignal
  /** Receives the parts that the task sends before it ends, in order. */
  onPart?: (part: Part) => void
  /**
   * Limit of processor time of the task, in milliseconds. A thread that needs more is ended, even in the middle of a
   * loop, and the run rejects with `ProcessorTimeOver`. Requires a worker with `isTimed` (`serveTasks`).
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
  /** Called when a thread takes the task. From then on the task stays out of the queue. */
  begin(): void
}

/**
 * A pool of threads that run tasks with plain synchronous system calls, off the main thread. Each thread runs one task
 * at a time. At most `threads` threads run. They start when needed, and idle ones end. Further tasks wait in a queue. A
 * thread that dies fails only its own task.
 *
 * @param name the threads run the file `src/workers/<name>-worker.ts`
 */
export function createWorkerPool<Task, Result, Part = never>(name: string, options: ThreadOptions) {
  const queue: Job[] = []
  const threads = createThreads(name, options, next)
  let closed: Error | undefined

  function next(): void {
    for (let [job] = queue; job; [job] = queue) {
      const worker = threads.take()
      if (!worker) return
      queue.shift()
      job.begin()
      const refusal = refusalOf(job.recheck)
      if (refusal === undefined) {
        dispatch(worker, job)
      } else {
        threads.release(worker)
        job.reject(refusal)
      }
    }
  }

  function dispatch(worker: Worker, job: Job): void {
    const { signal } = job
    let reason: unknown
    let stopLimit = () => {}
    // The thread may still complete this task, but then it takes no further one.
    const stop = () => void endThread(worker.removeAllListeners('message'))
    const finish = (settle: () => void, isIdle: boolean) => {
      stopLimit()
      worker.removeAllListeners('message').removeAllListeners('error').off('exit', onDeath)
      signal?.removeEventListener('abort', stop)
      // A thread that is about to end keeps the process alive until then, because a task may wait for its place.
      if (isIdle) threads.release(worker)
      settle()
      next()
    }
    const onDeath = () =>
      finish(() => job.reject(reason ?? signal?.reason ?? new Error(`the ${name} thread ended`)), false)
    /**
     * Frees the memory of the thread before another takes its place, so that all threads together stay below their
     * limit.
     */
    const endAfter = (settle: () => void) => {
      stopLimit()
      worker.off('exit', onDeath).once('exit', () => finish(settle, false))
      stop()
    }
    const limit = (begunAt: ProcessorTime, mostMs: number) => {
      stopLimit = limitProcessorTime(worker, { begunAt, mostMs }, (over) => {
        reason = over
        stop()
      })
    }
    worker.on('message', (answer: WorkerMessage) => {
      if (answer.startedAt && job.processorMs) limit(answer.startedAt, job.processorMs)
      const settle = settlementOf(answer, job)
      if (settle && answer.endsThread) endAfter(settle)
      else if (settle) finish(settle, true)
    })
    // The exit event follows at once, and the memory is freed then.
    worker.once('error', (error) => {
      reason ??= error
    })
    worker.once('exit', onDeath)
    signal?.addEventListener('abort', stop, { once: true })
    worker.ref() // a running task keeps the process alive
    worker.postMessage(job.task)
  }

  return {
    /**
     * Runs `task` in a thread and returns its result. @throws what the task or `recheck` throws; the signal's reason; an
     * error after `close`.
     */
    async run(task: Task, how: TaskOptions<Part>): Promise<Result> {
      if (closed) throw closed
      return new Promise<Result>((resolve, reject) => {
        queue.push(jobOf(task, how, { resolve, reject, queue }))
        next()
      })
    },
    /** Starts a thread for a task that follows soon. Returns whether one is ready. */
    prepare: () => threads.prepare(),
    /** Ends every thread. Running and waiting tasks reject. */
    async close(): Promise<void> {
      closed = new Error(`the ${name} threads ended`)
      for (const job of queue.splice(0)) {
        job.begin()
        job.reject(closed)
      }
      await threads.close()
    },
  }
}

/**
 * Returns the function that settles the job with a message. Undefined for a part, which is passed on, and for a start
 * time.
 */
function settlementOf(
  { startedAt: begunAt, part, result, error }: WorkerMessage,
  job: Job,
): (() => void) | undefined {
  if (error) return () => job.reject(Object.assign(new Error(error.message), error))
  if (part !== undefined) job.onPart?.(part as never)
  const isPartial = part !== undefined || begunAt !== undefined
  return isPartial ? undefined : () => job.resolve(result as never)
}

/** Creates a job that leaves `queue` when its signal aborts before the job starts. */
function jobOf<Part>(
  task: unknown,
  { recheck, signal, signalWhileQueued: untilBegun, onPart, processorMs }: TaskOptions<Part>,
  { resolve, reject, queue }: Pick<Job, 'resolve' | 'reject'> & { queue: Job[] },
): Job {
  const signals = [signal, untilBegun].filter((each) => each !== undefined)
  for (const each of signals) each.throwIfAborted()
  const begin = () => {
    for (const each of signals) each.removeEventListener('abort', onAbort)
  }
  const onAbort = ({ target }: Event) => {
    begin()
    queue.splice(queue.indexOf(job), 1)
    reject((target as AbortSignal).reason) // only signals have this listener
  }
  for (const each of signals) each.addEventListener('abort', onAbort)
  const job: Job = { task, resolve, reject, onPart, signal, recheck, processorMs, begin }
  return job
}

/** A message of a thread: the start time, a part of the result, or the end. */
export interface WorkerMessage {
  part?: unknown
  result?: unknown
  /** Processor time of the thread before the task started. */
  startedAt?: ProcessorTime
  /** Whether the thread ends after this task, because it holds memory that it cannot free otherwise. */
  endsThread?: boolean
  error?: { message: string; code?: string; syscall?: string }
}
