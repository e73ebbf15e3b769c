import { basename, join } from 'node:path'
import type { Principal } from '#src/access/principal.ts'
import { pathInJail } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'

type Views = NonNullable<UserRecord['folderViews']>

/**
 * Lets the remembered views of all users follow folders that any user renames or moves. Uses real paths, because a folder
 * may have a different path for each user.
 */
export function createViewTracking(store: Store, personOf: (userId: number) => Principal | undefined) {
  return {
    /** Called after an entry was renamed or moved, with all entries in it. */
    async onMoved(from: string, to: string): Promise<void> {
      const name = basename(from)
      for (const { id, folderViews } of await store.users.list()) {
        // Most moves concern no view. This is seen without disk access.
        if (!folderViews || !Object.keys(folderViews).some((path) => path.split('/').includes(name))) continue
        const jail = await personOf(id)
          ?.jail()
          // If the user's folder is missing, none of its entries can have moved.
          .catch(() => undefined)
        if (!jail || !movedViews(folderViews, jail, from, to)) continue
        await store.change((draft) => {
          const user = draft.users.get(id)
          const views = user?.folderViews && movedViews(user.folderViews, jail, from, to)
          if (views) draft.users.set(id, { ...user, folderViews: views })
        })
      }
    },
  }
}

export type ViewTracking = ReturnType<typeof createViewTracking>

/**
 * The views of a user whose jail this is, after a move. A view of a folder that has left the jail is removed. Undefined if
 * no view changes.
 */
function movedViews(views: Views, { root }: Pick<Jail, 'root'>, from: string, to: string): Views | undefined {
  // The jail itself was moved. Paths inside it stay the same.
  if (isWithin(root, from)) return undefined
  let isChanged = false
  const entries = Object.entries(views).flatMap(([path, view]) => {
    const real = join(root, path)
    const isMoved = isWithin(real, from)
    if (!isMoved && !isWithin(real, to)) return [[path, view]]
    isChanged = true
    const next = to + real.slice(from.length)
    // What was at the new place before is another folder.
    return isMoved && isWithin(next, root) ? [[pathInJail({ root }, next), view]] : []
  })
  return isChanged ? Object.fromEntries(entries) : undefined
}
