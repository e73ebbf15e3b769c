import type { ShareConditions, ShareRights, ShareView } from '#contract/shares.ts'
import type { Principal } from '#src/access/principal.ts'
import { mayManage } from '#src/access/share-rights.ts'
import { hashPassword } from '#src/core/access/passwords.ts'
import type { Clock } from '#src/core/clock.ts'
import { createRateLimiter } from '#src/core/concurrency/rate-limiter.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { createShareChange, refuseFile, refuseTakenSlug, type ShareChange } from './change-share.ts'
import { noteShared, openShared } from './concerned.ts'
import { createDirectory, createRenewal } from './directory.ts'
import { manageable, permit, recheck } from './permit.ts'
import { fileIdentityOf, isShareOf, rightsOf, viewOf } from './share-record.ts'
import type { LinkUse } from './use/link-use.ts'

/** The data of a new share. */
export interface NewShare {
  path: UserPath
  /** Seconds since 1970; 0: never expires. */
  expire: number
  /** Empty: none. */
  password: string
  rights?: ShareRights | undefined
  /** Undefined: none. */
  conditions?: ShareConditions | undefined
}

// Every change of files checks all shares, so their number is limited. Users do not need more.
const mostEach = 1000
// New shares of one user per second. A burst may contain the shares of twenty seconds.
const newPerSecond = 5

interface ShareSources {
  store: Store
  clock: Clock
  use: Pick<LinkUse, 'loaded' | 'of'>
  /** The user with this id; undefined when it does not exist. */
  ownerOf(userId: number): Principal | undefined
}

/** Manages shares (contract/README.md#shares). Others remove those whose owner or file is gone. */
export function createShares(sources: ShareSources) {
  const { store, clock, use, ownerOf } = sources
  const { isExpired, active, end, find, settled } = createDirectory(store, clock)
  const view = (share: ShareRecord) => viewOf(share, use.of(share.hash))

  const create = createShareCreation(sources, { active, isExpired, view })
  const changeShare = createShareChange({ store, ownerOf, find, view })

  return {
    find,

    /** The user's shares, or all shares for an administrator, by owner, then by expiry, permanent shares first. */
    async list(person: Principal): Promise<ShareView[]> {
      permit(person)
      await use.loaded()
      return (await active())
        .filter((share) => mayManage(person.user, share))
        .sort((a, b) => a.userID - b.userID || a.expire - b.expire || a.created - b.created)
        .map(view)
    },

    /** The shares of the file or folder at `path`: the user's shares, or all shares for an administrator. */
    async listOf(person: Principal, path: UserPath): Promise<ShareView[]> {
      permit(person)
      await use.loaded()
      await using opened = await openPath(await person.jail(), path)
      return (await active())
        .filter((share) => mayManage(person.user, share) && isShareOf(share, opened.stats))
        .sort((a, b) => a.expire - b.expire || a.created - b.created)
        .map(view)
    },

    create,

    /**
     * The share with this id, for its owner or an administrator.
     *
     * @throws Problem `share.unknown`; `auth.forbidden` for a share of another user; `share.right`, `share.download`.
     */
    managed(person: Principal, hash: string): ShareRecord {
      permit(person)
      return manageable(person, find(hash))
    },

    async update(person: Principal, hash: string, change: ShareChange): Promise<ShareView> {
      await use.loaded()
      return changeShare(person, hash, change)
    },

    /**
     * Deletes a share.
     *
     * @throws Problem `share.unknown`; `auth.forbidden` for a share of another user; `share.right`, `share.download`.
     */
    async remove(person: Principal, hash: string): Promise<void> {
      permit(person)
      const share = manageable(person, find(hash))
      await noteShared(person, share, ownerOf(share.userID))
      await end(
        (one) => one.hash === share.hash,
        () => recheck(person, []),
      )
    },

    renewHash: createRenewal(store, find),

    /** Waits until no expired shares are being removed. */
    close: settled,
  }
}

/** Creates the function that creates shares. */
function createShareCreation(
  { store, clock, use }: ShareSources,
  { active, isExpired, view }: CreationTools,
) {
  const bounds = createBounds(clock)

  /**
   * Creates a share. Returns the existing share if the user already has a permanent share of this entry without a
   * password and requests the same again.
   *
   * @throws Problem `share.right`, `share.download`; `path.unknown`, `path.special`; `share.many`, `request.limited`
   *   above the limits.
   */
  return async (
    person: Principal,
    { path, expire, password, rights = 'download', conditions }: NewShare,
  ): Promise<ShareView> => {
    permit(person, rights)
    await use.loaded()
    await using opened = await openShared(person, path)
    const userID = person.user.id
    const isSame = (share: ShareRecord) =>
      share.userID === userID &&
      share.expire === 0 &&
      share.password === '' &&
      !share.conditions &&
      rightsOf(share) === rights &&
      isShareOf(share, opened.stats)
    const findSame = (shares: readonly ShareRecord[]) =>
      expire === 0 && !password && !conditions ? shares.find(isSame) : undefined
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
      ...(rights !== 'download' && { rights }),
      ...(conditions && { conditions }),
    }
    refuseFile(share, opened.stats)
    return store.change(({ links }) => {
      recheck(person, [path, opened.path], rights)
      refuseTakenSlug(links.list(), share)
      const same = findSame(links.list())
      if (same) return view(same)
      for (const old of links.list().filter(isExpired)) links.remove(old.hash)
      bounds.check(links.list(), userID)
      links.set(share.hash, share)
      return view(share)
    })
  }
}

interface CreationTools {
  active(): Promise<readonly ShareRecord[]>
  isExpired(share: ShareRecord): boolean
  view(share: ShareRecord): ShareView
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
