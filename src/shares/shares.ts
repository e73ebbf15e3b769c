import type { Stats } from 'node:fs'
import type { ShareView } from '#contract/shares.ts'
import type { Principal } from '#src/access/principal.ts'
import { mayManage, refusal } from '#src/access/share-rights.ts'
import { hashPassword, isOutdatedHash } from '#src/core/access/passwords.ts'
import type { Clock } from '#src/core/clock.ts'
import { createRateLimiter } from '#src/core/concurrency/rate-limiter.ts'
import { Problem, type Recheck, unconditional } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { noteShared, openShared } from './concerned.ts'

/** The data of a new share. */
export interface NewShare {
  path: UserPath
  /** Seconds since 1970; 0: never expires. */
  expire: number
  /** Empty: none. */
  password: string
}

// Every change of files checks all shares, so their number is limited. Users do not need more.
const mostEach = 1000
// New shares of one user per second. A burst may contain the shares of twenty seconds.
const newPerSecond = 5

interface ShareSources {
  store: Store
  clock: Clock
  /** The user with this id; undefined when it does not exist. */
  ownerOf(userId: number): Principal | undefined
}

/** Manages shares (contract/README.md#shares). The only module that creates and deletes them. */
export function createShares({ store, clock, ownerOf }: ShareSources) {
  const bounds = createBounds(clock)
  const { isExpired, active, end, find, settled } = createDirectory(store, clock)

  return {
    find,

    /** The user's shares, or all shares for an administrator, by owner, then by expiry, permanent shares first. */
    async list(person: Principal): Promise<ShareView[]> {
      permit(person)
      return (await active())
        .filter((share) => mayManage(person.user, share))
        .sort((a, b) => a.userID - b.userID || a.expire - b.expire || a.created - b.created)
        .map(view)
    },

    /** The shares of the file or folder at `path`: the user's shares, or all shares for an administrator. */
    async listOf(person: Principal, path: UserPath): Promise<ShareView[]> {
      permit(person)
      await using opened = await openPath(await person.jail(), path)
      return (await active())
        .filter((share) => mayManage(person.user, share) && isShareOf(share, opened.stats))
        .sort((a, b) => a.expire - b.expire || a.created - b.created)
        .map(view)
    },

    /**
     * Creates a share. Returns the existing share if the user already has a permanent share of this entry without a
     * password and requests the same again.
     *
     * @throws Problem `share.right`, `share.download`; `path.unknown`, `path.special`; `share.many`, `request.limited`
     *   above the limits.
     */
    async create(person: Principal, { path, expire, password }: NewShare): Promise<ShareView> {
      permit(person)
      await using opened = await openShared(person, path)
      const userID = person.user.id
      const isSame = (share: ShareRecord) =>
        share.userID === userID &&
        share.expire === 0 &&
        share.password === '' &&
        isShareOf(share, opened.stats)
      const findSame = (shares: readonly ShareRecord[]) =>
        expire === 0 && !password ? shares.find(isSame) : undefined
      const known = await active()
      const first = findSame(known)
      if (first) return view(first)
      bounds.take(known, userID) // before the expensive hashing of the password
      const share: ShareRecord = {
        hash: randomId(),
        userID,
        path: opened.path,
        expire,
        created: Math.floor(clock() / 1000),
        password: password && (await hashPassword(password)),
        thing: fileIdentityOf(opened.stats),
      }
      return store.change(({ links }) => {
        recheck(person, [path, opened.path])
        const same = findSame(links.list())
        if (same) return view(same)
        for (const old of links.list().filter(isExpired)) links.remove(old.hash)
        bounds.check(links.list(), userID)
        links.set(share.hash, share)
        return view(share)
      })
    },

    /**
     * Deletes a share.
     *
     * @throws Problem `share.unknown`; `auth.forbidden` for a share of another user; `share.right`, `share.download`.
     */
    async remove(person: Principal, hash: string): Promise<void> {
      permit(person)
      const share = find(hash)
      if (!share) throw new Problem('share.unknown')
      if (!mayManage(person.user, share)) throw new Problem('auth.forbidden')
      await noteShared(person, share, ownerOf(share.userID))
      await end(
        (one) => one.hash === hash,
        () => recheck(person, []),
      )
    },

    renewHash: createRenewal(store, find),

    /** Waits until no expired shares are being removed. */
    close: settled,
  }
}

/** Finds and removes shares. Removes expired shares when it finds them, so that no change of the clock revives them. */
function createDirectory(store: Store, clock: Clock) {
  let cleaning: Promise<void> | undefined
  const isExpired = ({ expire }: ShareRecord) => expire !== 0 && expire * 1000 <= clock()

  /** Removes the selected shares and all expired shares. */
  async function end(isRemoved: (share: ShareRecord) => boolean, recheck: Recheck): Promise<void> {
    await store.change(({ links }) => {
      recheck()
      for (const share of links.list()) {
        if (isRemoved(share) || isExpired(share)) links.remove(share.hash)
      }
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

    /** The share with this id; undefined when it does not exist or is expired, or its entry is in the trash. */
    find(hash: string): ShareRecord | undefined {
      const share = store.current.link(hash)
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
function createRenewal(store: Store, find: (hash: string) => ShareRecord | undefined) {
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

function permit(person: Principal): void {
  const code = refusal(person.user.perm)
  if (code) throw new Problem(code)
}

/** Checks that the user may still share these paths, because the request may have waited. */
function recheck(person: Principal, paths: readonly UserPath[]): void {
  person.check(paths)
  permit(person)
}

/** Limits the shares of one user. */
function createBounds(clock: Clock) {
  const rate = createRateLimiter(newPerSecond, clock)
  function check(active: readonly ShareRecord[], userID: number): void {
    const own = active.filter((share) => share.userID === userID).length
    if (own >= mostEach) throw new Problem('share.many', { most: mostEach })
  }
  return {
    /** @throws Problem `share.many` when `active`, the shares that are not expired, has the maximum of this user. */
    check,
    /** Counts a new share. @throws Problem `share.many`, `request.limited`. */
    take(active: readonly ShareRecord[], userID: number): void {
      check(active, userID)
      rate.take(String(userID))
    },
  }
}

export type Shares = ReturnType<typeof createShares>

/** The identity of a file or folder on the disk, independent of its name. */
export function fileIdentityOf({ dev, ino, birthtimeMs }: Stats): ShareRecord['thing'] {
  return { dev, ino, birth: birthtimeMs }
}

/**
 * Whether a share was created for this file or folder. The pair of inode and creation time is unique. The device number
 * may change when disks are found in another order, so it counts only if the creation time is unknown.
 */
export function isShareOf({ thing }: Pick<ShareRecord, 'thing'>, { dev, ino, birthtimeMs }: Stats): boolean {
  return thing.ino === ino && thing.birth === birthtimeMs && (thing.birth !== 0 || thing.dev === dev)
}

function view({ hash, path, userID, expire, created, password: passwordHash }: ShareRecord): ShareView {
  return { hash, path, userID, expire, created, hasPassword: passwordHash !== '' }
}
