import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { openJail, openPath } from '#src/files/jail/jail.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { normalizePath, rootPath } from '#src/files/paths/user-path.ts'
import type { ShareRecord, State, UserRecord } from '#src/state/state.ts'
import { fileIdentityOf, isThing } from '../share-record.ts'

type Identity = ShareRecord['thing']

/** The outcome for the shares of a state. */
export interface ReboundShares {
  shares: State['shares']
  /** The number of shares that got the file at their path. */
  rebound: number
  /** The number of shares whose file is not at their path. They open nothing. */
  missing: number
}

/**
 * For shares of a state from a backup. A share is bound to one file on one disk. When all files have moved to another
 * disk, it is bound to the file that has its path there.
 *
 * @param options.served real path of the served folder
 * @param options.secret real paths that no user can reach
 */
export function createShareBinding({ served, secret }: { served: string; secret: readonly string[] }) {
  const openScope = (scope: string): Promise<Jail> =>
    openJail(served, normalizePath(scope).path, { allows: () => true, secret })

  const jailOf = async (owner: UserRecord | undefined) =>
    owner && (await orUndefined(() => openScope(owner.scope)))

  return {
    /** The identity of the served folder. */
    async rootIdentity(): Promise<Identity> {
      await using held = await openPath(await openScope('/'), rootPath)
      return fileIdentityOf(held.stats)
    },

    /** Whether the served folder has this identity. */
    async isRoot(thing: Identity): Promise<boolean> {
      await using held = await openPath(await openScope('/'), rootPath)
      return isThing({ thing }, held.stats)
    },

    /** Returns the shares of a state. With `isMoved`, binds each to the file at its path. */
    async bind({ shares, users }: Readonly<State>, isMoved: boolean): Promise<ReboundShares> {
      const result: ReboundShares = { shares: {}, rebound: 0, missing: 0 }
      const jails = new Map<number, Promise<Jail | undefined>>()
      const bound: [string, ShareRecord][] = []
      for (const share of Object.values(shares)) {
        const jail = jails.get(share.userID) ?? jailOf(entryOf(users, share.userID))
        jails.set(share.userID, jail)
        const next = await boundShare(await jail, share, isMoved)
        if (!next) result.missing++
        else if (next !== share) result.rebound++
        bound.push([share.hash, next ?? share])
      }
      return { ...result, shares: Object.fromEntries(bound) }
    },
  }
}

export type ShareBinding = ReturnType<typeof createShareBinding>

/** The share with the identities that it should have: the same share if it has them. Undefined when nothing is there. */
async function boundShare(
  jail: Jail | undefined,
  share: ShareRecord,
  isMoved: boolean,
): Promise<ShareRecord | undefined> {
  const { items } = share
  if (!items) {
    const thing = await identityAt(jail, share, isMoved)
    return thing && (thing === share.thing ? share : { ...share, thing })
  }
  const found = await Promise.all(items.map((item) => identityAt(jail, item, isMoved)))
  const [first] = found.filter((thing) => thing !== undefined)
  if (!first) return undefined
  if (found.every((thing, at) => thing === undefined || thing === items[at]?.thing)) return share
  const rebound = items.map((item, at) => ({ ...item, thing: found[at] ?? item.thing }))
  return { ...share, thing: first, items: rebound }
}

/** The identity that a shared resource should have. Undefined when its file is missing, or is another one. */
async function identityAt(
  jail: Jail | undefined,
  share: Pick<ShareRecord, 'path' | 'thing'>,
  isMoved: boolean,
): Promise<Identity | undefined> {
  if (!jail) return undefined
  return orUndefined(async () => {
    await using held = await openPath(jail, normalizePath(share.path).path)
    const { stats } = held
    if (isThing(share, stats)) return share.thing
    return isMoved && (stats.isFile() || stats.isDirectory()) ? fileIdentityOf(stats) : undefined
  })
}

/** Returns undefined for what a user could not open either. */
async function orUndefined<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
