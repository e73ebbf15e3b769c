import { Problem, type Recheck } from '#src/core/problem.ts'
import { createFairQueue, type FairQueue, type Waiter, waitIn } from './fair-queue.ts'

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
  const { newestFirst = false, each = options.all } = options
  const usage = createUsage({ each, all: options.all })
  // Made for the first request that waits: most permits are granted at once.
  let queue: FairQueue | undefined

  /** Returns the next request whose owner is below the limit. It may still have to wait for the permits of others. */
  const next = () => queue?.next(usage.hasOwnRoom, usage.of)

  /**
   * Grants all requests that fit, in order. A small request never overtakes a large one that waits for the permits of
   * others.
   */
  function grant(): void {
    for (let first = next(); first && usage.hasRoom(first); first = next()) {
      queue?.take(first)
      usage.add(first, first.size)
      first.grant()
    }
  }

  const permitOf = (request: Request) =>
    permit(() => {
      usage.add(request, -request.size)
      grant()
    })

  async function wait(request: Request, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    queue ??= createFairQueue(newestFirst)
    // A large request that has left no longer blocks others.
    await waitIn(queue, request, { ...options, what, signal, onLeft: grant })
  }

  function tryAcquire(owner: string, size = 1): Disposable | undefined {
    const request = usage.bounded(owner, size)
    if (!usage.hasRoom(request) || (queue && next())) return undefined
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
      return queue?.size ?? 0
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

/**
 * The owner of the quota that work counts against: a user, or the network of a share's visitor. Visitors never use up
 * the quota of a user, not even of the user who owns the share.
 */
export interface QuotaOwner {
  readonly key: string
  /** The share that a visitor opened. Undefined for users. */
  readonly share?: string
}

/** Two semaphores: one for users, one for visitors of shares. */
export interface PartitionedSemaphore {
  /** @throws as `Semaphore.acquire`. */
  acquire(owner: QuotaOwner, how: AcquireOptions): Promise<Disposable>
  /** As `Semaphore.tryAcquire`. */
  tryAcquire(owner: QuotaOwner, size?: number): Disposable | undefined
  readonly users: Semaphore
  readonly visitors: Semaphore
  /** Number of requests in the queue now. */
  readonly waiting: number
}

/** Users acquire from `users`, visitors of shares from `visitors`. */
export function partitioned(users: Semaphore, visitors: Semaphore): PartitionedSemaphore {
  const of = ({ share: link }: QuotaOwner) => (link === undefined ? users : visitors)
  return {
    users,
    visitors,
    get waiting() {
      return users.waiting + visitors.waiting
    },
    acquire: (owner, how) => of(owner).acquire(owner.key, how),
    tryAcquire: (owner, size) => of(owner).tryAcquire(owner.key, size),
  }
}

/**
 * Users acquire from `users`. A visitor of a share acquires from `networks`, where the owner is the visitor's network
 * on this share, and then from `links`, where the owner is the share.
 */
export function partitionedByLink(
  users: Semaphore,
  { networks, links }: { networks: Semaphore; links: Semaphore },
): PartitionedSemaphore {
  const ofNetwork = ({ key, share: link }: QuotaOwner) => `${link} ${key}`
  const both = (first: Disposable, second: Disposable): Disposable => {
    const held = new DisposableStack()
    held.use(first)
    held.use(second)
    return held
  }
  return {
    users,
    visitors: links,
    get waiting() {
      return users.waiting + networks.waiting + links.waiting
    },
    async acquire(owner, how) {
      const { share: link } = owner
      if (link === undefined) return users.acquire(owner.key, how)
      const own = await networks.acquire(ofNetwork(owner), how)
      try {
        return both(own, await links.acquire(link, how))
      } catch (error) {
        own[Symbol.dispose]()
        throw error
      }
    },
    tryAcquire(owner, size) {
      const { share: link } = owner
      if (link === undefined) return users.tryAcquire(owner.key, size)
      const own = networks.tryAcquire(ofNetwork(owner), size)
      const shared = own && links.tryAcquire(link, size)
      if (own && shared) return both(own, shared)
      own?.[Symbol.dispose]()
      return undefined
    },
  }
}
