import { constants, type Stats } from 'node:fs'
import { ignoreMissing, Problem, type Recheck } from '#src/core/problem.ts'
import type { PlannedStep } from '#src/files/changes/change.ts'
import type { Located } from '#src/files/jail/locate.ts'
import { lstat, open, rename, unlink } from '#src/files/paths/disk.ts'
import { renameToFreeName } from './target.ts'
import { keepOwner } from './temp-file.ts'

/** The target of a move or copy. The entry at the target may change between `locate` and the rename. */
export interface Destination extends Located {
  /** Runs `work` under the lock of the target, after `recheck`. The lock excludes other requests of this process. */
  withLock<T>(recheck: Recheck, work: () => Promise<T>): Promise<T>
  /** Called before the rename. Checks the user's access again. */
  recheck: Recheck
  /** Called before an existing entry is replaced. Throws to refuse. */
  refuse(existing: Stats): void
  /** Real paths of parent folders that were made for it, from top to bottom. */
  made: readonly string[]
  /** Whether the target is the source itself, and only the spelling of its name changes. */
  isRespelled: boolean
}

/**
 * Renames a finished file or folder to its target name. The system call fails when another program has taken the name
 * meanwhile. This is quick: the slow work was done before, under the other name. Keeps a replaced file as a version.
 *
 * @param how.step the recorded step; the caller ends it
 * @param how.isCopy `hidden` is a new copy. It gets the owner, group, access control list and mode of the file that it
 *   replaces. A moved file keeps its own
 * @throws Problem `path.exists`, what `to.recheck` and `to.refuse` throw, or the system's error.
 */
export async function renameIntoPlace(
  hidden: string,
  to: Destination,
  { step, isCopy = false }: { step: PlannedStep; isCopy?: boolean },
): Promise<void> {
  await to.withLock(to.recheck, async () => {
    const stats = await lstat(hidden)
    const existing = await lstat(to.address).catch(ignoreMissing)
    if (existing) {
      to.refuse(existing)
      refuseReplacing(stats, { stats: existing, asked: to.asked })
      // Two names of one file: rename(2) would succeed but keep both names.
      if (isSameFile(stats, existing)) return unlink(hidden)
      if (isCopy) await keepReplacedOwner(hidden, { ...to, replaces: existing })
      await step.keepOld(to.address, existing)
    }
    // rename(2) never replaces a folder that is not empty, nor a file with a folder.
    return existing || stats.isDirectory() ? rename(hidden, to.address) : renameToFreeName(hidden, to)
  })
}

async function keepReplacedOwner(hidden: string, target: Parameters<typeof keepOwner>[1]): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants
  const file = await open(hidden, O_RDONLY | O_NOFOLLOW)
  try {
    await keepOwner(file, target)
  } finally {
    await file.close()
  }
}

/**
 * Only a file can replace a file. So folders are never merged or lost silently (contract/README.md#resources).
 *
 * @throws Problem `path.exists`.
 */
export function refuseReplacing(stats: Stats, to: Pick<Located, 'stats' | 'asked'>): void {
  if (to.stats && !(stats.isFile() && to.stats.isFile())) throw new Problem('path.exists', { path: to.asked })
}

/** Whether both stats belong to the same file, under any names. */
export function isSameFile(a: Stats, b: Stats | undefined): boolean {
  return b !== undefined && a.ino === b.ino && a.dev === b.dev
}

/**
 * Whether both paths are the same entry of the same folder, in any spelling. A second hard link of the same file is
 * another entry, even if its name differs only in case.
 */
export function isOneEntry(from: Located, to: Located): boolean {
  return to.stats !== undefined && from.folder.real === to.folder.real && from.name === to.name
}
