import { constants, type Stats } from 'node:fs'
import { errnoOf, ignoreMissing, isDiskFull, lacksHardLinks } from '#src/core/problem.ts'
import { link, lstat, open, rename, renameUnlessTakenSync, unlink } from '#src/files/paths/disk.ts'

/**
 * Moves an entry of any kind to a name that must be free, on the same disk. Where neither the system nor the disk can
 * refuse an existing name, two programs that create the same name at the same moment can still collide.
 *
 * @param isRemote whether the disk may hang. Then nothing is called that blocks the main thread
 * @throws the system's error; `EEXIST` when the name is taken
 */
export async function moveToFree(from: string, to: string, isRemote: boolean): Promise<void> {
  const stats = await lstat(from)
  if (await linkAndUnlink(stats, from, to)) return
  await withWritableFolder(from, stats, async () => {
    if (!isRemote && renameUnlessTakenSync(from, to)) return
    if (await lstat(to).catch(ignoreMissing)) throw Object.assign(new Error('taken'), { code: 'EEXIST' })
    await rename(from, to)
  })
}

/**
 * Renames an entry, also a folder that its owner may not write to: a folder that moves gets a new parent, and the
 * system asks for the permission to write that down in it.
 */
export async function renameAnyFolder(from: string, to: string): Promise<void> {
  await withWritableFolder(from, undefined, () => rename(from, to))
}

/** Returns false when the entry cannot have two names. A crash between both calls leaves it with two. */
async function linkAndUnlink(stats: Stats, from: string, to: string): Promise<boolean> {
  // Elsewhere than on Linux, link(2) may follow a symbolic link.
  if (stats.isDirectory() || !(stats.isFile() || process.platform === 'linux')) return false
  try {
    await link(from, to)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' && (await isSameEntry(stats, to))) return unlinked(from)
    // A second name may need an inode or a block on a full disk.
    if (!lacksHardLinks(error) && !isDiskFull(error)) throw error
    return false
  }
  return unlinked(from)
}

async function unlinked(address: string): Promise<true> {
  await unlink(address)
  return true
}

/** Whether a crash has left the entry with both names. On disks without stable inode numbers it has one link. */
async function isSameEntry(stats: Stats, to: string): Promise<boolean> {
  const found = await lstat(to).catch(ignoreMissing)
  return found !== undefined && stats.nlink > 1 && found.ino === stats.ino && found.dev === stats.dev
}

/** Runs `move`. If the system refuses it for a folder of this process without write permission, gives it for the move. */
async function withWritableFolder(
  address: string,
  known: Stats | undefined,
  move: () => Promise<void>,
): Promise<void> {
  try {
    return await move()
  } catch (error) {
    const stats = known ?? (await lstat(address))
    const isOwnReadOnly =
      errnoOf(error) === 'EACCES' &&
      stats.isDirectory() &&
      stats.uid === process.geteuid?.() &&
      (stats.mode & 0o200) === 0
    if (!isOwnReadOnly) throw error
    // The descriptor stays with the folder when it moves.
    const handle = await open(
      address,
      constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0),
    )
    try {
      await handle.chmod((stats.mode & 0o7777) | 0o200)
      await move().finally(() => handle.chmod(stats.mode & 0o7777))
    } finally {
      await handle.close()
    }
  }
}
