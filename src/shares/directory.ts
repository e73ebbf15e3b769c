import { hashPassword, isOutdatedHash } from '#src/core/access/passwords.ts'
import type { Clock } from '#src/core/clock.ts'
import { Problem, type Recheck, unconditional } from '#src/core/problem.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { slugKey } from './conditions.ts'

/** Finds and removes shares. Removes expired shares when it finds them, so that no change of the clock revives them. */
export function createDirectory(store: Store, clock: Clock) {
  let cleaning: Promise<void> | undefined
  const isExpired = ({ expire }: ShareRecord) => expire !== 0 && expire * 1000 <= clock()

  /** Removes the selected shares and all expired shares. */
  async function end(isRemoved: (share: ShareRecord) => boolean, recheck: Recheck): Promise<void> {
    await store.change(({ links }) => {
      recheck()
      for (const share of links.list()) if (isRemoved(share) || isExpired(share)) links.remove(share.hash)
    })
  }

  function removeExpired(): void {
    cleaning ??= end(() => false, unconditional)
      .catch(() => {}) // retried when an expired share is noticed again
      .finally(() => {
        cleaning = undefined
      })
  }

  return {
    isExpired,
    end,

    /** All shares that are not expired, and whose entry is not in the trash. */
    async active(): Promise<ShareRecord[]> {
      const all = await store.links.list()
      if (all.some(isExpired)) removeExpired()
      return all.filter((share) => !isExpired(share) && !share.trashed)
    },

    /**
     * The share with this id, or with this name in its address; undefined when it does not exist or is expired, or its
     * entry is in the trash.
     */
    find(hash: string): ShareRecord | undefined {
      const share = store.current.link(hash) ?? store.current.linkBySlug(slugKey(hash))
      if (share && isExpired(share)) removeExpired()
      return share && !isExpired(share) && !share.trashed ? share : undefined
    },

    /** Waits until expired shares have been removed. */
    settled: async (): Promise<void> => cleaning,
  }
}

/**
 * Returns a function that replaces the hash of a password if File Browser made it, after a visitor has entered this
 * password. It returns the current share. A full disk or a busy server is ignored: the next visitor tries again.
 */
export function createRenewal(store: Store, find: (hash: string) => ShareRecord | undefined) {
  return async (share: ShareRecord, password: string): Promise<ShareRecord> => {
    if (!isOutdatedHash(share.password)) return share
    try {
      const hash = await hashPassword(password)
      await store.change(({ links }) => {
        const now = links.get(share.hash)
        if (now?.password === share.password) now.password = hash
      })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
    return find(share.hash) ?? share
  }
}
