import type { GivenReferences, ShareConditions, ShareRights, ShareView } from '#contract/shares.ts'
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
import { noteShared } from './concerned.ts'
import { refuseEmptyTime } from './conditions.ts'
import { createDirectory, createRenewal } from './directory.ts'
import { openPlace, refuseItems } from './items.ts'
import { manageable, permit, permitManaging, recheck } from './permit.ts'
import { checkPolicy } from './policy.ts'
import { resolveReferences, withReferences } from './references.ts'
import { isSameThing, isShareOf, itemsOf, rightsOf, viewOf } from './share-record.ts'
import type { LinkUse } from './use/link-use.ts'

/** The data of a new share. */
export interface NewShare {
  path: UserPath
  /** The shared resources in the folder `path`. Undefined: `path` itself is shared. */
  paths?: UserPath[] | undefined
  /** Seconds since 1970; 0: never expires. */
  expire: number
  /** Empty: none. */
  password: string
  rights?: ShareRights | undefined
  /** Undefined: none. */
  conditions?: ShareConditions | undefined
  references?: GivenReferences | undefined
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
  const view = (share: ShareRecord) =>
    viewOf(share, use.of(share.hash), (id) => store.current.user(id)?.username)

  const create = createShareCreation(sources, { active, isExpired, view })
  const changeShare = createShareChange({ store, clock, ownerOf, find, isExpired, view })

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
      const share = manageable(person, find(hash))
      permitManaging(person, share)
      await noteShared(person, share, ownerOf(share.userID))
      await end(
        (one) => one.hash === share.hash,
        () => {
          person.check([])
          permitManaging(person, share)
        },
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
   *   above the limits; as `openPlace`, `resolveReferences` and `checkPolicy` do.
   */
  return async (
    person: Principal,
    { path, paths, expire, password, rights = 'download', conditions, references = {} }: NewShare,
  ): Promise<ShareView> => {
    permit(person, rights)
    await use.loaded()
    const place = await openPlace(person, { path, paths })
    const userID = person.user.id
    const isSame = (share: ShareRecord) =>
      share.userID === userID &&
      share.expire === 0 &&
      share.password === '' &&
      isPlain(share) &&
      rightsOf(share) === rights &&
      isSameThing(share.thing, place.thing)
    const found = withReferences({}, await resolveReferences(store, person, references))
    const findSame = (shares: readonly ShareRecord[]) =>
      expire === 0 && !password && isPlain({ ...place, ...found, conditions })
        ? shares.find(isSame)
        : undefined
    const known = await active()
    const first = findSame(known)
    if (first) return view(first)
    bounds.take(known, userID) // before the expensive hashing of the password
    const share: ShareRecord = {
      hash: randomId(),
      userID,
      path: place.path,
      expire,
      created: Math.floor(clock() / 1000),
      password: password && (await hashPassword(password)),
      thing: place.thing,
      isFolder: place.isFolder,
      ...(place.items && { items: place.items }),
      ...found,
      ...(rights !== 'download' && { rights }),
      ...(conditions && { conditions }),
    }
    refuseFile(share, { isDirectory: () => place.isFolder })
    refuseItems(share)
    refuseEmptyTime(share)
    return store.change(({ links }) => {
      recheck(person, [path, ...itemsOf(share).map((item) => item.path as UserPath)], rights)
      checkPolicy(store.current.sharing(), person.user, share, clock())
      const same = findSame(links.list())
      if (same) return view(same)
      for (const old of links.list().filter(isExpired)) links.remove(old.hash)
      refuseTakenSlug(links.list(), share)
      bounds.check(links.list(), userID)
      links.set(share.hash, share)
      return view(share)
    })
  }
}

type Extras = { [Name in 'conditions' | 'items' | 'people' | 'cover']?: ShareRecord[Name] | undefined }

/** Whether a share has nothing that another share of the same resource could differ in. */
function isPlain({ conditions, items, people, cover }: Extras): boolean {
  return !conditions && !items && !people && !cover
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
