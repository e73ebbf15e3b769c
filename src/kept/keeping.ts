import type { Keeping, KeepingSettings } from '#contract/history/kept.ts'
import type { Principal } from '#src/access/principal.ts'
import { onPath } from '#src/core/problem.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { statfs } from '#src/files/paths/disk.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import { isWithin, parentOf, type UserPath } from '#src/files/paths/user-path.ts'

// With less free space, uploads fail and even small changes may.
const fullBytes = 16 * 1024 * 1024

/** Creates the function that says what happens to entries of a folder that are deleted or replaced. */
export function createKeeping({
  stores,
  root,
  settings,
}: {
  stores: Pick<KeptStores, 'storeFor'>
  root: string
  settings(): KeepingSettings
}) {
  /** @throws Problem as `openPath`; `disk.silent`. For a file, the folder that contains it counts. */
  return async (actor: Principal, path: UserPath): Promise<Keeping> => {
    const jail = await actor.jail()
    await using held = await openPath(jail, path)
    const isFolder = held.stats.isDirectory()
    const real = isFolder ? held.real : parentOf(held.real as unknown as UserPath)
    const { trash, versions, withoutVersions, days } = settings()
    const store = await stores.storeFor(real).catch(onPath(path))
    const { bavail, bsize } = await statfs(held.address).catch(onPath(path))
    const served = servedPath(root, held.real)
    return {
      trash: trash && store !== undefined,
      versions:
        versions && store !== undefined && !withoutVersions.some((folder) => isWithin(served, folder)),
      isFull: bavail * bsize < fullBytes,
      days,
    }
  }
}
