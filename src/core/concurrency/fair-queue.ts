import { Problem } from '#src/core/problem.ts'

/** A request in the queue. */
export interface Waiter {
  owner: string
  size: number
  grant(): void
  /** Removes the request from the queue and rejects it with `reason`. */
  cancel(reason: unknown): void
}

interface OwnerQueue {
  waiters: Waiter[]
  /** Virtual time at which the owner's next request is due. */
  due: number
}

/**
 * The waiting requests by owner, in the order of start-time fair queuing (Goyal, Vin and Cheng 1996). Each owner has a
 * virtual time, which advances by the size of each granted request. The owner with the earliest virtual time is next.
 * Of two owners with the same time, the one with less running is next.
 *
 * @param newestFirst whether the newest request of an owner is next, instead of the oldest
 */
export function createFairQueue(newestFirst: boolean) {
  // By owner, in the order in which the owners began to wait.
  const queues = new Map<string, OwnerQueue>()
  // The virtual time at which the last granted request of each owner ends.
  const ends = new Map<string, number>()
  let now = 0
  let size = 0

  const headOf = ({ waiters }: OwnerQueue) => waiters.at(newestFirst ? -1 : 0)

  function remove(waiter: Waiter): boolean {
    const ownerQueue = queues.get(waiter.owner)
    const at = ownerQueue?.waiters.indexOf(waiter) ?? -1
    if (!ownerQueue || at < 0) return false
    ownerQueue.waiters.splice(at, 1)
    size--
    if (ownerQueue.waiters.length === 0) queues.delete(waiter.owner)
    if (size === 0) {
      // The queue is empty: all owners are equal again.
      now = 0
      ends.clear()
    }
    return true
  }

  return {
    get size() {
      return size
    },
    countOf: (owner: string) => queues.get(owner)?.waiters.length ?? 0,
    add(waiter: Waiter): void {
      const { owner } = waiter
      const ownerQueue = queues.get(owner) ?? { waiters: [], due: Math.max(now, ends.get(owner) ?? 0) }
      queues.set(owner, ownerQueue)
      ownerQueue.waiters.push(waiter)
      size++
    },
    /** Removes a request without granting it. Returns whether it was in the queue. */
    remove,
    /** Removes a request because it is granted. */
    take(waiter: Waiter): void {
      const ownerQueue = queues.get(waiter.owner)
      if (!ownerQueue) return
      now = Math.max(now, ownerQueue.due)
      ownerQueue.due += waiter.size
      ends.set(waiter.owner, ownerQueue.due)
      remove(waiter)
    },
    /**
     * Returns the next request for which `isAllowed` is true. `running` returns the size of what an owner has running.
     */
    next(isAllowed: (waiter: Waiter) => boolean, running: (owner: string) => number): Waiter | undefined {
      let best: { head: Waiter; due: number } | undefined
      for (const ownerQueue of queues.values()) {
        const head = headOf(ownerQueue)
        if (!head || !isAllowed(head)) continue
        const isEarlier =
          !best ||
          ownerQueue.due < best.due ||
          (ownerQueue.due === best.due && running(head.owner) < running(best.head.owner))
        if (isEarlier) best = { head, due: ownerQueue.due }
      }
      return best?.head
    },
    /**
     * Returns the requests above the limit `each` of `owner` and above the limit `all`: the oldest of `owner`, then the
     * oldest of the owner with the most. Does not remove them.
     */
    surplus(owner: string, each: number, all: number): Waiter[] {
      const own = queues.get(owner)?.waiters ?? []
      const found = own.slice(0, Math.max(0, own.length - each))
      if (size - found.length > all) {
        const most = [...queues.values()].reduce((a, b) => (b.waiters.length > a.waiters.length ? b : a))
        const rest = most.waiters.filter((waiter) => !found.includes(waiter))
        found.push(...rest.slice(0, size - found.length - all))
      }
      return found
    },
  }
}

export type FairQueue = ReturnType<typeof createFairQueue>

/** How a request waits. */
interface Waiting {
  /** What is limited, in the plural, for the text of the problem. */
  what: string
  signal: AbortSignal | undefined
  /** As in `SemaphoreOptions`. */
  waitingEach?: number
  waitingAll?: number
  maxWaitMs?: number
  newestFirst?: boolean
  /** Called when the request has left the queue without being granted. */
  onLeft(): void
}

/**
 * Waits in the queue until a request is granted.
 *
 * @throws Problem `user.busy`, `server.busy`; the reason of the signal.
 */
export async function waitIn(
  queue: FairQueue,
  request: Pick<Waiter, 'owner' | 'size'>,
  how: Waiting,
): Promise<void> {
  const { what, signal, maxWaitMs, newestFirst, onLeft } = how
  const { waitingEach = Number.POSITIVE_INFINITY, waitingAll = Number.POSITIVE_INFINITY } = how
  const { owner } = request
  const own = queue.countOf(owner)
  if (!newestFirst && own >= waitingEach) throw new Problem('user.busy', { what, most: own })
  if (!newestFirst && queue.size >= waitingAll) throw new Problem('server.busy')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const leave = (reason: unknown) => {
    if (!queue.remove(waiter)) return
    reject(reason)
    onLeft()
  }
  const waiter: Waiter = { ...request, grant: resolve, cancel: leave }
  queue.add(waiter)
  if (newestFirst)
    for (const oldest of queue.surplus(owner, waitingEach, waitingAll))
      oldest.cancel(new Problem('server.busy'))
  await untilGranted(promise, { leave, signal, maxWaitMs })
}

/** Waits for `promise`. Calls `leave` with the reason when the signal aborts or the wait is too long. */
async function untilGranted(
  promise: Promise<void>,
  how: { leave(reason: unknown): void; signal: AbortSignal | undefined; maxWaitMs: number | undefined },
): Promise<void> {
  const { leave, signal, maxWaitMs } = how
  const onAbort = () => leave(signal?.reason)
  const timer =
    maxWaitMs === undefined ? undefined : setTimeout(() => leave(new Problem('server.busy')), maxWaitMs)
  signal?.addEventListener('abort', onAbort)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
