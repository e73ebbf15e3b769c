import { Problem } from '#src/core/problem.ts'
import type { Recheck } from '#src/core/recheck.ts'
import { createFairQueue, type Waiter } from './fair-queue.ts'

/** Limits how much of something runs at once, and queues the rest. A permit lasts until it is disposed of. */
export interface Semaphore {
  /**
   * Waits for a permit for `owner`.
   *
   * @throws Problem `user.busy` when too many requests of this owner wait; `server.busy` when too many wait in all, or
   * when the wait is too long; the signal's reason; what `recheck` throws.
   */
  acquire(owner: string, options: AcquireOptions): Promise<Disposable>
  /** Returns a permit for work that can start at once. Undefined when the request would have to wait. */
  tryAcquire(owner: string, size?: number): Disposable | undefined
  /**
   * Returns a permit for work that can start at once.
   *
   * @throws Problem `user.busy` when this owner has no permit left, `server.busy` when the semaphore has none left.
   */
  acquireNow(owner: string, size?: number): Disposable
  /** Number of requests in the queue now. */
  readonly waiting: number
}

/** Options of a request for a permit. */
export interface AcquireOptions {
  /** Called when the permit is granted, after any wait. */
  recheck: Recheck
  /** Size of the work, at least 1. A size above the limit of one owner counts as that limit. */
  size?: number
  /** Aborting removes the request from the queue. A function is called only when the request has to wait. */
  signal?: AbortSignal | (() => AbortSignal) | undefined
}

/** The limits of a semaphore. A limit that is not given does not apply. */
export interface SemaphoreOptions {
  /** Total size of all permits. */
  all: number
  /** Total size of the permits of one owner. */
  each?: number
  /** Number of waiting requests of one owner. */
  waitingEach?: number
  /** Number of waiting requests in all. */
  waitingAll?: number
  /** Longest wait, in milliseconds. */
  maxWaitMs?: number
  /**
   * Serves the newest request of an owner first. When too many wait, refuses the oldest request of this owner, or of
   * the owner with the most. Without this option, serves the oldest first and refuses the new request.
   */
  newestFirst?: boolean
}

/**
 * A semaphore that is fair between owners: however many requests one owner queues, the first request of another owner
 * is served before the second of the first.
 *
 * @param what what is limited, in the plural, for the text of the problem
 */
export function createSemaphore(what: string, options: SemaphoreOptions): Semaphore {
  const { waitingEach = Number.POSITIVE_INFINITY, waitingAll = Number.POSITIVE_INFINITY } = options
  const { newestFirst = false, each = options.all } = options
  const usage = createUsage({ each, all: options.all })
  const queue = createFairQueue(newestFirst)

  /** Returns the next request whose owner is below the limit. It may still have to wait for the permits of others. */
  const next = () => queue.next(usage.hasOwnRoom, usage.of)

  /**
   * Grants all requests that fit, in order. A small request never overtakes a large one that waits for the permits of
   * others.
   */
  function grant(): void {
    for (let first = next(); first && usage.hasRoom(first); first = next()) {
      queue.take(first)
      usage.add(first, first.size)
      first.grant()
    }
  }

  const permitOf = (request: Request) =>
    permit(() => {
      usage.add(request, -request.size)
      grant()
    })

  function refuseNewcomer({ owner }: Request): void {
    const own = queue.countOf(owner)
    if (own >= waitingEach) throw new Problem('user.busy', { what, most: own })
    if (queue.size >= waitingAll) throw new Problem('server.busy')
  }

  async function wait(request: Request, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (!newestFirst) refuseNewcomer(request)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (reason: unknown) => {
      if (!queue.remove(waiter)) return
      reject(reason)
      grant() // a large request that has left no longer blocks others
    }
    const waiter: Waiter = { ...request, grant: resolve, cancel: leave }
    queue.add(waiter)
    if (newestFirst)
      for (const oldest of queue.surplus(request.owner, waitingEach, waitingAll))
        oldest.cancel(new Problem('server.busy'))
    await untilGranted(promise, { leave, signal, maxWaitMs: options.maxWaitMs })
  }

  function tryAcquire(owner: string, size = 1): Disposable | undefined {
    const request = usage.bounded(owner, size)
    if (!usage.hasRoom(request) || (queue.size > 0 && next())) return undefined
    usage.add(request, request.size)
    return permitOf(request)
  }

  return {
    tryAcquire,
    acquireNow(owner, size = 1) {
      const granted = tryAcquire(owner, size)
      if (granted) return granted
      if (usage.hasOwnRoom(usage.bounded(owner, size))) throw new Problem('server.busy')
      throw new Problem('user.busy', { what, most: each })
    },
    get waiting() {
      return queue.size
    },
    async acquire(owner, { recheck, size = 1, signal }) {
      let granted = tryAcquire(owner, size)
      if (!granted) {
        const request = usage.bounded(owner, size)
        await wait(request, typeof signal === 'function' ? signal() : signal)
        granted = permitOf(request)
      }
      try {
        recheck()
        return granted
      } catch (error) {
        granted[Symbol.dispose]()
        throw error
      }
    },
  }
}

type Request = Pick<Waiter, 'owner' | 'size'>

/** A permit that calls `release` once. */
function permit(release: () => void): Disposable {
  let isHeld = true
  return {
    [Symbol.dispose]() {
      if (!isHeld) return
      isHeld = false
      release()
    },
  }
}

/** The total size of the permits of each owner. */
function createUsage({ each, all }: { each: number; all: number }) {
  const sizes = new Map<string, number>()
  let total = 0
  const of = (owner: string) => sizes.get(owner) ?? 0
  const hasOwnRoom = ({ owner, size }: Request) => of(owner) + size <= each
  return {
    of,
    // At least 1, so that a limit of 0 grants nothing.
    bounded: (owner: string, size: number): Request => ({
      owner,
      size: Math.max(1, Math.min(size, each, all)),
    }),
    hasOwnRoom,
    hasRoom: (request: Request) => hasOwnRoom(request) && total + request.size <= all,
    add({ owner }: Request, size: number): void {
      total += size
      const own = of(owner) + size
      if (own > 0) sizes.set(owner, own)
      else sizes.delete(owner)
    },
  }
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
