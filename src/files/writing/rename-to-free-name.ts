import { errnoOf, ignoreMissing, isDiskFull, lacksHardLinks } from '#src/core/errno.ts'
import { link, lstat, rename, unlink } from '#src/files/paths/disk.ts'

/**
 * Gives the file `hidden` the name `address` unless that name exists. A hard link makes the system itself refuse an existing
 * name. Disks without hard links (FAT, some network disks) check and then rename, and so does a full disk, where a second name may
 * need an inode: there, two programs that create the same name at the same moment can still collide.
 *
 * @throws the system's `EEXIST` when the name exists
 */
export async function renameToFreeName(hidden: string, address: string): Promise<void> {
  try {
    await link(hidden, address)
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV' && !lacksHardLinks(error) && !isDiskFull(error)) throw error
    if (await lstat(address).catch(ignoreMissing)) throw Object.assign(new Error('taken'), { code: 'EEXIST' })
    return rename(hidden, address)
  }
  await unlink(hidden)
}
