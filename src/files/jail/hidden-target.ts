import { Problem } from '#src/core/problem.ts'
import { leadsToRemoteMount } from '#src/files/paths/remote-mounts.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { childOf } from '#src/files/paths/user-path.ts'
import { openIn } from './jail.ts'

/**
 * Refuses a symbolic link whose target a rule denies, or that leads to one of Coffer's own files. Listings hide such a
 * link. Links that are broken or lead out of the scope are listed, so that they can be renamed and deleted.
 *
 * @param link its folder, its name, and its path for system calls
 * @throws Problem `path.forbidden`.
 */
export async function refuseHiddenTarget(
  jail: Jail,
  { folder, name, address }: { folder: OpenPath; name: string; address: string },
): Promise<void> {
  if (leadsElsewhere(address, jail)) return
  const target = await openIn(jail, folder, name).catch((error: unknown): undefined => {
    if (isHidden(error)) throw new Problem('path.forbidden', { path: childOf(folder.asked, name) })
  })
  await target?.close()
}

/** Whether the link leads to a disk that may not respond. It is never followed. */
function leadsElsewhere(address: string, jail: Jail): boolean {
  try {
    return leadsToRemoteMount(address, jail)
  } catch {
    return true // it has just been replaced
  }
}

function isHidden(error: unknown): boolean {
  if (!(error instanceof Problem)) return false
  // A target that exists, but not for users, has no cause in the system.
  return error.code === 'path.forbidden' || (error.code === 'path.unknown' && error.cause === undefined)
}
