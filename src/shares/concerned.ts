import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { realForRecord } from '#src/files/paths/path-access.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'

/**
 * Opens the file or folder that a user shares, and notes it for the audit log.
 *
 * @throws Problem `path.special`, and as `openPath` does.
 */
export async function openShared(person: Principal, path: UserPath): Promise<OpenPath> {
  const opened = await openPath(await person.jail(), path)
  person.change.concerns(opened.real)
  if (opened.stats.isFile() || opened.stats.isDirectory()) return opened
  await opened.close()
  throw new Problem('path.special', { path })
}

/**
 * Notes the entry of a share that `person` removes, for the audit log.
 *
 * @param owner undefined: the user does not exist any more
 */
export async function noteShared(
  person: Principal,
  { path }: Pick<ShareRecord, 'path'>,
  owner: Principal | undefined,
): Promise<void> {
  const jail = await owner?.jail().catch(() => undefined) // the folder of the owner may be gone
  if (jail) person.change.concerns(realForRecord(jail, path))
}
