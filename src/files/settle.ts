import type { Stats } from 'node:fs'
import { link, lstat, readdir, rename, unlink } from 'node:fs/promises'
import { cannotLink, errnoOf, ignoreMissing, isFull } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { type Located, present } from './locate.ts'

/** The name that something is to get. What was there when it was chosen may not be what is there when it is taken. */
export interface Landing extends Located {
  /** Does something in the folder while nobody else of this process takes a name there. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Asked about what is there when the name is taken: refuses by throwing. */
  refuse(there: Stats): void
}

/**
 * Gives what is under another name its name; the system itself refuses one that another program took meanwhile. It is
 * quick: whatever takes long was done before, under the other name.
 *
 * @throws Problem `path.exists`, what `to.refuse` throws, or the system's error.
 */
export async function settle(hidden: string, to: Landing): Promise<void> {
  await to.alone(async () => {
    const stats = await lstat(hidden)
    const there = await lstat(to.address).catch(ignoreMissing)
    if (there) {
      to.refuse(there)
      refuseReplacing(stats, { stats: there, path: to.path })
      // Two names of one file: rename(2) would leave both, and say that it is done.
      if (isSameFile(stats, there)) return unlink(hidden)
    }
    // rename(2) never replaces a folder that has anything in it, nor a file by a folder.
    return there || stats.isDirectory() ? rename(hidden, to.address) : take(hidden, to.address)
  })
}

async function take(hidden: string, address: string): Promise<void> {
  try {
    await link(hidden, address)
  } catch (error) {
    // A second name needs room, on some disks an inode of its own; a full disk still renames.
    if (errnoOf(error) !== 'EXDEV' && !cannotLink(error) && !isFull(error)) throw error
    return rename(hidden, address)
  }
  await unlink(hidden)
}

/**
 * A folder is never replaced, nor anything by a folder: nothing is merged or lost in silence (contract W5).
 *
 * @throws Problem `path.exists`.
 */
export function refuseReplacing(stats: Stats, to: Pick<Located, 'stats' | 'path'>): void {
  if (to.stats && !(stats.isFile() && to.stats.isFile())) throw new Problem('path.exists', { path: to.path })
}

/** Whether two looks saw one thing, under whatever names. */
export function isSameFile(a: Stats, b: Stats | undefined): boolean {
  return b !== undefined && a.ino === b.ino && a.dev === b.dev
}

/**
 * Whether two names are two spellings of one entry, on a disk that takes no notice of case or Unicode forms. Another hard
 * link of the same file is another entry, also when it is called alike.
 */
export async function isOneEntry(from: Located, to: Located): Promise<boolean> {
  if (!isSameFile(present(from), to.stats) || from.folder.real !== to.folder.real) return false
  if (from.name === to.name) return true
  if (folded(from.name) !== folded(to.name)) return false
  const names = await readdir(from.folder.address)
  return !(names.includes(from.name) && names.includes(to.name))
}

function folded(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}
