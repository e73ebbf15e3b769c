import { errnoOf, ignoreMissing, isDiskFull, lacksHardLinks } from '#src/core/errno.ts'
import type { Located } from '#src/files/jail/locate.ts'
import { link, lstat, rename, renameUnlessTakenSync, unlink } from '#src/files/paths/disk.ts'
import { isLocalDevice } from '#src/files/paths/remote-mounts.ts'
import { callNow, mayCallNow } from '#src/files/paths/warm-files.ts'

/**
 * Gives the file `hidden` a name unless that name exists. Linux has one call for this. Elsewhere, a hard link makes the
 * system itself refuse an existing name. Disks without hard links (FAT, some network disks) check and then rename, and so
 * does a full disk, where a second name may need an inode: there, two programs that create the same name at the same moment
 * can still collide.
 *
 * @param to the path of the name for system calls, and its open folder
 * @throws the system's `EEXIST` when the name exists
 */
export async function renameToFreeName(
  hidden: string,
  to: Pick<Located, 'folder' | 'address'>,
): Promise<void> {
  if (isRenamedNow(hidden, to)) return
  const { address } = to
  try {
    await link(hidden, address)
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV' && !lacksHardLinks(error) && !isDiskFull(error)) throw error
    if (await lstat(address).catch(ignoreMissing)) throw Object.assign(new Error('taken'), { code: 'EEXIST' })
    return rename(hidden, address)
  }
  await unlink(hidden)
}

/**
 * Renames with one call of the system, without the thread pool: a link and its removal would use it twice. Returns
 * false if nothing was renamed. On a network disk, which may hang, nothing is tried.
 */
function isRenamedNow(hidden: string, { folder, address }: Pick<Located, 'folder' | 'address'>): boolean {
  if (!isLocalDevice(folder.stats.dev) || !mayCallNow()) return false
  return callNow(() => renameUnlessTakenSync(hidden, address))
}
