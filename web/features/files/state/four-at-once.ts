/** Concurrent calls, as for uploads; more do not make the disk faster. */
const width = 4

/**
 * Does `task` for each item of `list`, four at a time, and ends when all are done. When a task answers false, no further
 * one begins.
 *
 * @throws what `task` throws; then, too, no further one begins.
 */
export async function fourAtOnce<T>(list: readonly T[], task: (one: T) => Promise<boolean>): Promise<void> {
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
  await Promise.all(Array.from({ length: width }, work))
}

/** Runs tasks one at a time, in order, whether or not the one before failed. */
export function oneByOne() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work)
    last = next
    return next
  }
}
