import { threads } from '#src/core/concurrency/quotas.ts'
import { createWorkerPool } from '#src/core/concurrency/worker-pool.ts'
import { type Recheck, unconditional } from '#src/core/recheck.ts'
import type { ListResult, ListTask } from './list-folder.ts'
import { type StatTask, stopHelping } from './stat-names.ts'

/** The threads that read folders. */
export type Lister = ReturnType<typeof createLister>

/** Starts nothing yet: its threads begin when there is a folder to read. A large one is read by two. */
export function createLister() {
  const workers = createWorkerPool<ListTask | StatTask, ListResult | undefined, StatTask>('list', {
    threads: threads.list,
    young: 4,
  })
  // Threads at work, and those of them that only help another.
  let busy = 0
  const helping = new Set<StatTask>()

  /** Has another thread help with a listing, as long as no listing waits for that thread. */
  async function help(part: StatTask, done: AbortSignal): Promise<void> {
    if (busy >= threads.list) return
    helping.add(part)
    busy++
    // Help that finds no thread free is not needed any more once the listing is there.
    await workers.run(part, { recheck: unconditional, untilBegun: done }).catch(() => undefined)
    helping.delete(part)
    busy--
  }

  return {
    /**
     * Reads the folder of `task`.
     *
     * @param how.signal takes the task back as long as no thread has begun with it
     * @throws the system's error when it cannot be read; the signal's reason; what `recheck` throws.
     */
    async list(
      task: ListTask,
      { recheck, signal }: { recheck: Recheck; signal?: () => AbortSignal },
    ): Promise<ListResult> {
      const done = new AbortController()
      const isFull = busy >= threads.list
      if (isFull) for (const part of helping) stopHelping(part)
      busy++
      const run = workers.run(task, {
        recheck,
        ...(isFull && signal && { untilBegun: signal() }),
        onPart: (part) => void help(part, done.signal),
      })
      const result = await run.finally(() => {
        busy--
        done.abort()
      })
      if (!result) throw new Error('the list thread answered another task')
      return result
    },
    /** Ends the threads; what they were doing fails. */
    close: () => workers.close(),
  }
}
