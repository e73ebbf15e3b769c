import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { Person } from '#src/auth/actor.ts'
import { entryOf, removeEntry } from '#src/core/lookup.ts'
import type { ShareRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { virtual } from '#src/files/paths/reach.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import { isThing, thingOf } from './shares.ts'

/**
 * Keeps links on what they were made for, whoever changes it: renamed, they follow; saved over, they lead to the new
 * content; deleted, they end (contract/README.md#shares). Paths are real ones, for one thing may have a different path for everybody.
 */
export function createShareTracking(store: Store, ownerOf: (userId: number) => Person | undefined) {
  const all = () => Object.values(store.data.shares)

  /** Gives each link the place that `place` answers for its real path; undefined ends it. */
  async function relocate(place: (real: string) => string | undefined): Promise<void> {
    const changes = new Map<string, string | undefined>()
    // Where a person's folder really is costs questions to the disk, which hundreds of links share.
    const roots = new Map<number, Promise<SafePath | undefined>>()
    for (const share of all()) {
      const asked = roots.get(share.userID) ?? rootOf(share)
      roots.set(share.userID, asked)
      const root = await asked
      const next = root && nextPath(share.path, root, place)
      if (root && next !== share.path) changes.set(share.hash, next)
    }
    if (changes.size === 0) return
    await store.change((draft) => {
      for (const [hash, path] of changes) {
        const share = entryOf(draft.shares, hash)
        if (share && path !== undefined) share.path = path
        else removeEntry(draft.shares, hash)
      }
    })
  }

  async function rootOf({ userID }: ShareRecord): Promise<SafePath | undefined> {
    // An owner whose folder is missing has nothing that could be moved.
    return (
      await ownerOf(userID)
        ?.jail()
        .catch(() => undefined)
    )?.root
  }

  return {
    /** Something was renamed, with all in it. */
    moved: (from: string, to: string) =>
      relocate((real) => (isWithin(real, from) ? to + real.slice(from.length) : real)),

    /** Things were deleted, each with all in it. */
    removed: (gone: readonly string[]) =>
      relocate((real) => (gone.some((each) => isWithin(real, each)) ? undefined : real)),

    /** A file was saved over: it is another thing on the disk, and the same for people. */
    async saved(before: Stats, after: Stats): Promise<void> {
      if (!all().some((share) => isThing(share, before))) return
      await store.change((draft) => {
        for (const share of Object.values(draft.shares)) {
          if (isThing(share, before)) share.thing = thingOf(after)
        }
      })
    },
  }
}

export type ShareTracking = ReturnType<typeof createShareTracking>

/** Where a link leads next, as its owner writes it; out of the owner's scope it is no longer theirs to give. */
function nextPath(
  path: string,
  root: SafePath,
  place: (real: string) => string | undefined,
): string | undefined {
  const next = place(join(root, path === '/' ? '' : path))
  return next !== undefined && isWithin(next, root) ? virtual({ root }, next) : undefined
}
