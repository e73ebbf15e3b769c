import { constants, type Stats } from 'node:fs'
import { ignoreMissing } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import type { Recheck } from '#src/core/recheck.ts'
import type { Located } from '#src/files/jail/locate.ts'
import { lstat, open, rename, unlink } from '#src/files/paths/disk.ts'
import { keepOwner } from './keep-owner.ts'
import { renameToFreeName } from './rename-to-free-name.ts'

/** The name that something is to get. What was there when it was chosen may not be what is there when it is taken. */
export interface Destination extends Located {
  /** Does something in the folder while nobody else of this process takes a name there, after `recheck`. */
  alone<T>(recheck: Recheck, work: () => Promise<T>): Promise<T>
  /** Called before the name is taken. */
  recheck: Recheck
  /** Asked about what is there when the name is taken: refuses by throwing. */
  refuse(there: Stats): void
  /** Whether this is the entry itself that is to be renamed, and only the spelling of its name changes. */
  isRespelled: boolean
}

/**
 * Gives what is under another name its name; the system itself refuses one that another program took meanwhile. It is
 * quick: whatever takes long was done before, under the other name.
 *
 * @param isCopy `hidden` is a new copy: it gets the owner, group, access list and mode of the file that it replaces. A moved file
 *   keeps its own
 * @throws Problem `path.exists`, what `to.recheck` and `to.refuse` throw, or the system's error.
 */
export async function renameIntoPlace(hidden: string, to: Destination, isCopy = false): Promise<void> {
  await to.alone(to.recheck, async () => {
    const stats = await lstat(hidden)
    const there = await lstat(to.address).catch(ignoreMissing)
    if (there) {
      to.refuse(there)
      refuseReplacing(stats, { stats: there, asked: to.asked })
      // Two names of one file: rename(2) would leave both, and say that it is done.
      if (isSameFile(stats, there)) return unlink(hidden)
      if (isCopy) await keepReplacedOwner(hidden, { ...to, replaces: there })
    }
    // rename(2) never replaces a folder that has anything in it, nor a file by a folder.
    return there || stats.isDirectory() ? rename(hidden, to.address) : renameToFreeName(hidden, to.address)
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
 * A folder is never replaced, nor anything by a folder: nothing is merged or lost in silence (contract/README.md#resources).
 *
 * @throws Problem `path.exists`.
 */
export function refuseReplacing(stats: Stats, to: Pick<Located, 'stats' | 'asked'>): void {
  if (to.stats && !(stats.isFile() && to.stats.isFile())) throw new Problem('path.exists', { path: to.asked })
}

/** Whether two looks saw one thing, under whatever names. */
export function isSameFile(a: Stats, b: Stats | undefined): boolean {
  return b !== undefined && a.ino === b.ino && a.dev === b.dev
}

/**
 * Whether two names are one entry of one folder, in whatever spelling. Another hard link of the same file is another
 * entry, also when it is called alike.
 */
export function isOneEntry(from: Located, to: Located): boolean {
  return to.stats !== undefined && from.folder.real === to.folder.real && from.name === to.name
}
