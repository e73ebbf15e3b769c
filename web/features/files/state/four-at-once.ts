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
  const waiting = [...list]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        if (!(await task(next))) waiting.length = 0
      } catch (error) {
        waiting.length = 0
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: maxConcurrent }, work))
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
