/** What is under way for each id; one thing at a time, and it can be told to end. */
export function createOneAtATime() {
  const underWay = new Map<string, { stop: AbortController; ended: Promise<unknown> }>()
  return {
    isBusy: (id: string) => underWay.has(id),

    /** Runs `work`, which heeds the signal. Nothing may be under way for `id`; ask `isBusy` before, without a pause. */
    run<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const stop = new AbortController()
      const result = work(stop.signal).finally(() => underWay.delete(id))
      underWay.set(id, { stop, ended: result.catch(() => {}) })
      return result
    },

    /** Tells what is under way for `id` to end, for the reason `why`, and waits until nothing is. */
    async interrupt(id: string, why: Error): Promise<void> {
      for (let one = underWay.get(id); one; one = underWay.get(id)) {
        one.stop.abort(why)
        await one.ended
      }
    },
  }
}

export type OneAtATime = ReturnType<typeof createOneAtATime>
