import type { AcquireOptions, Semaphore } from './semaphore.ts'

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
