import type { Recheck } from '#src/core/recheck.ts'

/** What is under way for each id; one thing at a time, and it can be told to end. */
export function createOneAtATime() {
  const underWay = new Map<string, { stop: AbortController; ended: Promise<unknown> }>()

  /** Runs `work`, which heeds the signal. Nothing may be under way for `id`: ask `isBusy` before, without a pause. */
  function run<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController()
    const result = work(stop.signal).finally(() => underWay.delete(id))
    underWay.set(id, { stop, ended: result.catch(() => {}) })
    return result
  }

  return {
    isBusy: (id: string) => underWay.has(id),
    run,

    /**
     * Tells what is under way for `id` to end, for the reason `why`, and runs `work` when nothing is, after `recheck`.
     */
    async instead<T>(
      id: string,
      { why, recheck }: { why: Error; recheck: Recheck },
      work: () => Promise<T>,
    ): Promise<T> {
      // Whoever waits as well may have been quicker: nothing lies between the last look and `run`.
      for (let one = underWay.get(id); one; one = underWay.get(id)) {
        one.stop.abort(why)
        await one.ended
      }
      recheck()
      return run(id, work)
    },
  }
}

export type OneAtATime = ReturnType<typeof createOneAtATime>
