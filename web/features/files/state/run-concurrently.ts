import { createSemaphore } from '#web/shared/semaphore.ts'

/** Concurrent tasks. More do not make the disk faster. */
const maxConcurrent = 4

/**
 * Runs `task` for each item of `list`, four at a time, until all are done. Starts no further task when one returns
 * false.
 *
 * @throws the error of a task; then starts no further task.
 */
export async function runConcurrently<T>(
  list: readonly T[],
  task: (one: T) => Promise<boolean>,
): Promise<void> {
  const { acquire } = createSemaphore(maxConcurrent)
  let isStopped = false
  const run = async (one: T) => {
    const release = await acquire()
    try {
      if (!isStopped && !(await task(one))) isStopped = true
    } catch (error) {
      isStopped = true
      throw error
    } finally {
      release()
    }
  }
  await Promise.all(list.map(run))
}

/** Runs tasks one at a time, in order, even after a failure. */
export function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work)
    last = next
    return next
  }
}
