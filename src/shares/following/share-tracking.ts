import type { Stats } from 'node:fs'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { fileIdentityOf, isShareOf, isThing, type SharedItem } from '../share-record.ts'
import { createRelocation, type NewPlace } from './relocation.ts'

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

  const relocate = createRelocation(store, ownerOf)

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

/** The share whose file or folder has another identity now. */
function withThing(share: ShareRecord, before: Stats, thing: ShareRecord['thing']): ShareRecord {
  const renewed = <T extends SharedItem>(item: T): T => (isThing(item, before) ? { ...item, thing } : item)
  return { ...renewed(share), ...(share.items && { items: share.items.map(renewed) }) }
}
