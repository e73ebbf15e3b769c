import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { errnoOf } from '#src/core/errno.ts'
import { copyAcl } from './acl.ts'
import type { Target } from './target.ts'

/**
 * Gives a new file the owner, the group, the access control list and the permission bits of the file that it is to
 * replace, as far as this process may set them. Without the right to set the owner, the group alone is tried. A new file
 * that replaces nothing stays as it is.
 */
export async function keepOwner(file: FileHandle, target: Target): Promise<void> {
  const { replaces: before, folder, address } = target
  if (!before) return
  const { uid, gid } = await file.stat()
  if (uid !== before.uid || gid !== before.gid) {
    const isSet = await allowed(file.chown(before.uid, before.gid))
    if (!isSet && gid !== before.gid) await allowed(file.chown(-1, before.gid))
  }
  if (process.platform === 'linux') copyAcl(address, `/proc/self/fd/${file.fd}`, folder.real)
  await setMode(file, before.mode & 0o777)
}

/** Gives a file these permission bits, if it has others, on disks that have such bits. */
export async function setMode(
  file: { stat(): Promise<Stats>; chmod(mode: number): Promise<void> },
  mode: number,
): Promise<void> {
  const now = (await file.stat()).mode & 0o7777
  // A folder hands its group on to what is made in it by a bit of its own, which stays.
  const wanted = mode | (now & 0o7000)
  if (now !== wanted) await allowed(file.chmod(wanted))
}

// The process may not, or the disk knows no owners or no modes.
const refusals = ['EPERM', 'EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']

/** Whether a change was made. A disk or a system that does not allow it is no failure. */
async function allowed(change: Promise<void>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if (!refusals.includes(errnoOf(error) ?? '')) throw error
    return false
  }
}
