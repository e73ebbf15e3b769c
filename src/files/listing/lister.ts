import { threads } from '#src/core/concurrency/quotas.ts'
import { type Recheck, unconditional } from '#src/core/problem.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import type { ListResult, ListStart } from './list-folder.ts'
import type { ListTask } from './list-task.ts'
import { type StatTask, stopHelper } from './stat-names.ts'

/** The worker threads that read folders. */
export type Lister = ReturnType<typeof createLister>

interface ListerOptions {
  recheck: Recheck
  signal?: () => AbortSignal
  start(start: ListStart): void
}

/** Creates the pool. It starts threads only when there is a folder to read. Two threads read a large folder. */
export function createLister() {
  const workers = createWorkerPool<ListTask | StatTask, ListResult | undefined, StatTask | ListStart>(
    'list',
    {
      threads: threads.list,
      // People open folders again and again, with pauses that are longer than the life of an idle thread.
      spare: 1,
      // A listing of 100,000 entries takes 7 % longer with 4 MiB.
      semiSpaceMb: 8,
    },
  )
  // The number of busy threads. `helping` has the tasks of those that only help another thread.
  let busy = 0
  const helping = new Set<StatTask>()

  /** Lets another thread help with a listing, unless another listing waits for a thread. */
  async function help(part: StatTask, done: AbortSignal): Promise<void> {
    if (busy >= threads.list) return
    helping.add(part)
    busy++
    // A helper task that is still queued is cancelled when the listing is complete.
    await workers.run(part, { recheck: unconditional, signalWhileQueued: done }).catch(() => undefined)
    helping.delete(part)
    busy--
  }

  return {
    /**
     * Reads the folder of `task`.
     *
     * @param how.signal cancels the task while it is queued
     * @param how.start receives the first entries of a large folder; the result then contains only the rest
     * @throws the error of the system when it cannot be read; the reason of the signal; the error of `recheck`.
     */
    async list(task: ListTask, { recheck, signal, start }: ListerOptions): Promise<ListResult> {
      const done = new AbortController()
      const isFull = busy >= threads.list
      if (isFull) for (const part of helping) stopHelper(part)
      busy++
      const run = workers.run(task, {
        recheck,
        ...(isFull && signal && { signalWhileQueued: signal() }),
        onPart: (part) => ('shared' in part ? void help(part, done.signal) : start(part)),
      })
      const result = await run.finally(() => {
        busy--
        done.abort()
      })
      if (!result) throw new Error('the list thread answered another task')
      return result
    },
    /** Stops the threads; their running tasks fail. */
    close: () => workers.close(),
  }
}
