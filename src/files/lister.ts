import { type Recheck, unconditional } from '#src/core/recheck.ts'
import type { ListResult, ListTask } from './list-folder.ts'
import type { StatTask } from './stat-names.ts'
import { createWorkers } from './workers.ts'

/** The threads that read folders. */
export type Lister = ReturnType<typeof createLister>

/** Starts nothing yet: its two threads begin when there is a folder to read. A large one is read by both. */
export function createLister() {
  const workers = createWorkers<ListTask | StatTask, ListResult | undefined, StatTask>('list', {
    threads: 2,
    young: 4,
  })
  return {
    /** Reads the folder of `task`. @throws the system's error when it cannot be read. */
    async list(task: ListTask, recheck: Recheck): Promise<ListResult> {
      const done = new AbortController()
      const share = (part: StatTask) => {
        // Help that finds no thread free is not needed any more once the listing is there.
        workers.run(part, { recheck: unconditional, untilBegun: done.signal }).catch(() => undefined)
      }
      const result = await workers.run(task, { recheck, onPart: share }).finally(() => done.abort())
      if (!result) throw new Error('the list thread answered another task')
      return result
    },
    /** Ends the threads; what they were doing fails. */
    close: () => workers.close(),
  }
}
