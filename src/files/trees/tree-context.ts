import { constants } from 'node:fs'
import { join } from 'node:path'
import { flushFolder } from '#src/core/flush-folder.ts'
import { errnoOf, Problem } from '#src/core/problem.ts'
import type { Change } from '#src/files/changes/change.ts'
import type { Located } from '#src/files/jail/locate.ts'
import { open } from '#src/files/paths/disk.ts'
import { isInside } from '#src/files/paths/path-access.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import type { CheckContext } from './tree-checks.ts'

/** What an operation on a whole tree needs. */
export interface TreeContext extends CheckContext {
  tempFiles: TempFileJournal
  /** The permission bits of new files and folders. */
  modes: { fileMode: number; dirMode: number }
  /** Drops cached data of file states that no longer exist. May be called some time later. */
  dropCached(states: readonly FileState[]): void
  /** The operation that changes the trees. */
  change: Change
  /** Deleted entries do not go to the trash. */
  isPermanent?: boolean | undefined
  /** A folder that cannot go to the trash is only deleted when it is empty. */
  keepsContent?: boolean | undefined
}

/** Refuses to move, delete or write a path that contains one of Coffer's own files, existing or planned. */
export function refuseSecret({ jail }: Pick<TreeContext, 'jail'>, place: Located): void {
  const holdsSecret = jail.secret.some((secret) => isInside(secret, realOf(place)))
  if (holdsSecret) throw new Problem('path.forbidden', { path: place.asked })
}

/** The real path of a located entry. */
export function realOf({ folder, name }: Located): string {
  return join(folder.real, name)
}

/** Flushes a file or folder to the disk, as far as it can be opened. */
export async function flush(address: string): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants
  const isHeldName = /^\/proc\/self\/fd\/\d+$/.test(address)
  const flags = isHeldName ? O_RDONLY : O_RDONLY | O_NOFOLLOW
  await flushFolder(() => open(address, flags).catch(ignoreUnopenable))
}

function ignoreUnopenable(error: unknown): undefined {
  // Symbolic links, files that cannot be read, and devices cannot be opened, and have nothing to flush.
  if (!['ELOOP', 'EACCES', 'ENXIO'].includes(errnoOf(error) ?? '')) throw error
}
