import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { Principal } from '#src/auth/actor.ts'
import { entryOf, removeEntry } from '#src/core/lookup.ts'
import type { ShareRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { pathInJail } from '#src/files/paths/reach.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import { fileIdentityOf, isShareOf } from './shares.ts'

/**
 * Updates shares when any user changes the shared file or folder: a renamed entry keeps its shares, an overwritten file
 * keeps its shares, and deleting an entry deletes its shares (contract/README.md#shares). Uses real paths, because an
 * entry may have a different path for each user.
 */
export function createShareTracking(store: Store, ownerOf: (userId: number) => Principal | undefined) {
  const all = () => Object.values(store.data.shares)

  /** Moves each share to the real path that `newPlaceOf` returns for its real path; undefined deletes the share. */
  async function relocate(newPlaceOf: (real: string) => string | undefined): Promise<void> {
    const changes = new Map<string, string | undefined>()
    // The real path of a user's scope needs disk access, so it is read once for all shares of the user.
    const roots = new Map<number, Promise<SafePath | undefined>>()
    for (const share of all()) {
      const pending = roots.get(share.userID) ?? rootOf(share)
      roots.set(share.userID, pending)
      const root = await pending
      const next = root && newPath(share.path, root, newPlaceOf)
      if (root && next !== share.path) changes.set(share.hash, next)
    }
    if (changes.size === 0) return
    await store.update((draft) => {
      for (const [hash, path] of changes) {
        const share = entryOf(draft.shares, hash)
        if (share && path !== undefined) share.path = path
        else removeEntry(draft.shares, hash)
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
      relocate((real) => (isWithin(real, from) ? to + real.slice(from.length) : real)),

    /** Called after entries were deleted, with all entries in them. */
    onDeleted: (removed: readonly string[]) =>
      relocate((real) => (removed.some((each) => isWithin(real, each)) ? undefined : real)),

    /** Called after a file was overwritten: it has a new inode, but users see it as the same file. */
    async onSaved(before: Stats, after: Stats): Promise<void> {
      if (!all().some((share) => isShareOf(share, before))) return
      await store.update((draft) => {
        for (const share of Object.values(draft.shares)) {
          if (isShareOf(share, before)) share.thing = fileIdentityOf(after)
        }
      })
    },
  }
}

export type ShareTracking = ReturnType<typeof createShareTracking>

/** The new path of a share in its owner's scope; undefined when it is deleted or outside the scope. */
function newPath(
  path: string,
  root: SafePath,
  newPlaceOf: (real: string) => string | undefined,
): string | undefined {
  const next = newPlaceOf(join(root, path === '/' ? '' : path))
  return next !== undefined && isWithin(next, root) ? pathInJail({ root }, next) : undefined
}
