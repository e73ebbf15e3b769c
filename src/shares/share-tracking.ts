import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import { pathInJail } from '#src/files/paths/path-access.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { commonFolder } from './items.ts'
import { fileIdentityOf, isShareOf, isThing, itemsOf, type SharedItem } from './share-record.ts'

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

  /** Moves what is shared, and of which `isConcerned` is true, to the place that `newPlaceOf` returns for its real path. */
  async function relocate(
    newPlaceOf: (real: string, item: SharedItem) => NewPlace,
    isConcerned: (item: SharedItem) => boolean = (item) => !item.trashed,
  ): Promise<void> {
    const changes = new Map<string, ShareRecord | undefined>()
    const rootOf = createRoots()
    for (const share of await all()) {
      const root = itemsOf(share).some(isConcerned) ? await rootOf(share) : undefined
      if (!root) continue
      const next = relocated(share, (item) => (isConcerned(item) ? newPlace(item, root, newPlaceOf) : item))
      if (next !== share) changes.set(share.hash, next)
    }
    if (changes.size > 0) await apply(changes)
  }

  /** Stores new places of shares by their id. Undefined: nothing of the share is left. */
  async function apply(changes: ReadonlyMap<string, ShareRecord | undefined>): Promise<void> {
    await store.change(({ links }) => {
      for (const [hash, next] of changes) {
        const share = next && links.get(hash)
        if (share) links.set(hash, { ...withoutPlace(share), ...placeOf(next) })
        else links.remove(hash)
      }
    })
  }

  /** The real path of a user's scope needs disk access, so it is read once for all shares of the user. */
  function createRoots() {
    const roots = new Map<number, Promise<SafePath | undefined>>()
    return ({ userID }: ShareRecord): Promise<SafePath | undefined> => {
      const known = roots.get(userID) ?? readRoot(userID)
      roots.set(userID, known)
      return known
    }
  }

  async function readRoot(userId: number): Promise<SafePath | undefined> {
    // If the owner's folder is missing, none of its entries can have moved.
    const jail = await ownerOf(userId)
      ?.jail()
      .catch(() => undefined)
    return jail?.root
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
      await relocate(
        (_real, { trashed }) => ({ real: to + (trashed?.rest ?? '') }),
        ({ trashed }) => trashed?.item === item,
      )
    },

    /** Called after items of the trash were deleted permanently. */
    async onDestroyed(items: readonly string[]): Promise<void> {
      await relocate(
        () => undefined,
        ({ trashed }) => trashed !== undefined && items.includes(trashed.item),
      )
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
          if (isThere(share)) links.set(share.hash, withThing(share, before, fileIdentityOf(after)))
        }
      })
    },
  }
}

export type ShareTracking = ReturnType<typeof createShareTracking>

/** What says where a share is. The identity of a single file may have changed meanwhile, so it is not part of it. */
function placeOf({ path, thing, trashed, items }: ShareRecord): Partial<ShareRecord> {
  return items ? { path, thing, items } : { path, ...(trashed && { trashed }) }
}

function withoutPlace({ trashed: _, items: __, ...share }: ShareRecord): ShareRecord {
  return share
}

/** The share whose file or folder has another identity now. */
function withThing(share: ShareRecord, before: Stats, thing: ShareRecord['thing']): ShareRecord {
  const renewed = <T extends SharedItem>(item: T): T => (isThing(item, before) ? { ...item, thing } : item)
  return { ...renewed(share), ...(share.items && { items: share.items.map(renewed) }) }
}

/**
 * The share after its resource, or each of its several resources, got the place that `placeIn` returns. Those without a
 * place are not shared any more. Undefined: nothing is left. The same share: nothing has changed.
 */
function relocated(
  share: ShareRecord,
  placeIn: (item: SharedItem) => SharedItem | undefined,
): ShareRecord | undefined {
  const before = itemsOf(share)
  const after = before.flatMap((item) => placeIn(item) ?? [])
  const [first] = after
  if (!first) return undefined
  const isSame = ({ path, trashed }: SharedItem, at: number) =>
    path === before[at]?.path && trashed === before[at]?.trashed
  if (after.length === before.length && after.every(isSame)) return share
  if (!share.items) return { ...withoutPlace(share), ...first }
  const items = after.map(({ path, thing, trashed }) => ({ path, thing, ...(trashed && { trashed }) }))
  const present = items.filter(({ trashed }) => !trashed)
  const path = commonFolder(present.length > 0 ? present : items)
  return { ...withoutPlace(share), path, thing: first.thing, items }
}

/** Where an item of a user with this scope is now; undefined when it is deleted or outside the scope. */
function newPlace(
  item: SharedItem,
  root: SafePath,
  newPlaceOf: (real: string, item: SharedItem) => NewPlace,
): SharedItem | undefined {
  const { path, thing, trashed } = item
  const next = newPlaceOf(join(root, path === '/' ? '' : path), item)
  if (next && 'item' in next) return { path, thing, trashed: next }
  if (!next || !isWithin(next.real, root)) return undefined
  const moved = pathInJail({ root }, next.real)
  return moved === path && !trashed ? item : { path: moved, thing }
}
