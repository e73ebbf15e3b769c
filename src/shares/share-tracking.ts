import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import { pathInJail } from '#src/files/paths/path-access.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { fileIdentityOf, isShareOf } from './share-record.ts'

/** Where a shared entry is now: a real path, or a path in an item of the trash. Undefined: it was deleted. */
type NewPlace = { real: string } | NonNullable<ShareRecord['trashed']> | undefined

/** An entry that was deleted: its real path, and the id of its item in the trash; undefined: it is not there. */
export interface DeletedEntry {
  path: string
  item?: string | undefined
}

/**
 * Updates shares when any user changes the shared file or folder: a renamed entry keeps its shares, an overwritten file
 * keeps its shares, and deleting an entry deletes its shares (contract/README.md#shares). When an entry is restored from
 * the trash, its shares are restored, too. Uses real paths, because an entry may have a different path for each user.
 */
export function createShareTracking(store: Store, ownerOf: (userId: number) => Principal | undefined) {
  const all = store.links.list

  /**
   * Moves each chosen share to the place that `newPlaceOf` returns for its real path. By default, those that are not in
   * the trash.
   */
  async function relocate(
    newPlaceOf: (real: string, share: ShareRecord) => NewPlace,
    chosen: Promise<readonly ShareRecord[]> = all().then((all) => all.filter((share) => !share.trashed)),
  ): Promise<void> {
    const changes = new Map<string, Pick<ShareRecord, 'path' | 'trashed'> | undefined>()
    // The real path of a user's scope needs disk access, so it is read once for all shares of the user.
    const roots = new Map<number, Promise<SafePath | undefined>>()
    for (const share of await chosen) {
      const pending = roots.get(share.userID) ?? rootOf(share)
      roots.set(share.userID, pending)
      const root = await pending
      if (!root) continue
      const next = newPlace(share, root, newPlaceOf)
      if (next?.path !== share.path || next.trashed !== share.trashed) changes.set(share.hash, next)
    }
    if (changes.size === 0) return
    await store.change(({ links }) => {
      for (const [hash, next] of changes) {
        const share = links.get(hash)
        if (!share || !next) links.remove(hash)
        else links.set(hash, { ...withoutTrash(share), ...next })
      }
    })
  }

  async function rootOf({ userID }: ShareRecord): Promise<SafePath | undefined> {
    // If the owner's folder is missing, none of its entries can have moved.
    return (
      await ownerOf(userID)
        ?.jail()
        .catch(() => undefined)
    )?.root
  }

  return {
    /** Called after an entry was renamed, with all entries in it. */
    onMoved: (from: string, to: string) =>
      relocate((real) => ({ real: isWithin(real, from) ? to + real.slice(from.length) : real })),

    /** Called after entries were deleted, with all entries in them. */
    async onDeleted(removed: readonly DeletedEntry[]): Promise<void> {
      const relocateAs = (placeIn: (gone: DeletedEntry, real: string) => NewPlace) =>
        relocate((real) => {
          const gone = removed.find(({ path }) => isWithin(real, path))
          return gone ? placeIn(gone, real) : { real }
        })
      try {
        await relocateAs(({ item, path }, real) =>
          item === undefined ? undefined : { item, rest: real.slice(path.length) },
        )
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 507) throw error
        // On a full disk the state can only become smaller.
        await relocateAs(() => undefined)
      }
    },

    /** Called after an item of the trash was restored. `to`: its real path. */
    async onRestored(item: string, to: string): Promise<void> {
      const own = all().then((all) => all.filter(({ trashed }) => trashed?.item === item))
      await relocate((_real, { trashed }) => ({ real: to + (trashed?.rest ?? '') }), own)
    },

    /** Called after items of the trash were deleted permanently. */
    async onDestroyed(items: readonly string[]): Promise<void> {
      const isGone = ({ trashed }: ShareRecord) => trashed !== undefined && items.includes(trashed.item)
      if (!(await all()).some(isGone)) return
      await store.change(({ links }) => {
        for (const share of links.list()) {
          if (isGone(share)) links.remove(share.hash)
        }
      })
    },

    /**
     * Called after a file was overwritten: it has a new inode, but users see it as the same file.
     *
     * @param owner only the shares of this user stay at the place. Undefined: those of all users
     */
    async onSaved(before: Stats, after: Stats, owner?: number): Promise<void> {
      const isThere = (share: ShareRecord) =>
        isShareOf(share, before) && (owner === undefined || share.userID === owner)
      if (!(await all()).some(isThere)) return
      await store.change(({ links }) => {
        for (const share of links.list()) {
          if (isThere(share)) share.thing = fileIdentityOf(after)
        }
      })
    },
  }
}

export type ShareTracking = ReturnType<typeof createShareTracking>

function withoutTrash({ trashed: _, ...share }: ShareRecord): ShareRecord {
  return share
}

/** Where a share of a user with this scope is now; undefined when its entry is deleted or outside the scope. */
function newPlace(
  share: ShareRecord,
  root: SafePath,
  newPlaceOf: (real: string, share: ShareRecord) => NewPlace,
): Pick<ShareRecord, 'path' | 'trashed'> | undefined {
  const { path } = share
  const next = newPlaceOf(join(root, path === '/' ? '' : path), share)
  if (next && 'item' in next) return { path, trashed: next }
  return next && isWithin(next.real, root) ? { path: pathInJail({ root }, next.real) } : undefined
}
