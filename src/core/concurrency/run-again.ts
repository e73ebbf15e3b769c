import { createKeyedLock } from './keyed-lock.ts'

/**
 * Runs `work` for a key at most once at a time. A call during a run waits for one more run, which begins after this one
 * and is shared by all calls that wait for it. So each caller gets the result of a run that began after its call.
 */
export function createRunAgain<T>() {
  const locks = createKeyedLock()
  const waiting = new Map<string, Promise<T>>()

  return (key: string, work: () => Promise<T>): Promise<T> => {
    const shared = waiting.get(key)
    if (shared) return shared
    const begin = () => {
      waiting.delete(key)
      return work()
    }
    const next = locks.run(key, () => {}, begin)
    waiting.set(key, next)
    return next
  }
}
