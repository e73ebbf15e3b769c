import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { errnoOf } from '#src/core/errno.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { copyAcl } from './acl.ts'

/**
 * Gives a new file the owner, the group, the access control list and the permission bits of the file that it is to
 * replace, as far as this process may set them. The owner comes last: who has given a file away may change nothing more of
 * it. Where the group or the list could not be kept, the group gets no right that everybody lacks: it would be another group,
 * or the bits of the list's mask. A new file that replaces nothing gets `mode`; undefined leaves it as it is.
 */
export async function keepOwner(
  file: FileHandle,
  target: { replaces: Stats | undefined; folder: OpenPath; address: string },
  mode?: number,
): Promise<void> {
  const { replaces: before, folder, address } = target
  if (!before) {
    if (mode !== undefined) await setMode(file, mode)
    return
  }
  const { uid, gid } = await file.stat()
  const hasGroup = gid === before.gid || (await allowed(file.chown(-1, before.gid)))
  const hasList = process.platform !== 'linux' || copyAcl(address, `/proc/self/fd/${file.fd}`, folder.real)
  const bits = before.mode & 0o777
  await setMode(file, hasGroup && hasList ? bits : bits & ~(0o070 & ~(bits << 3)))
  if (uid !== before.uid) await allowed(file.chown(before.uid, -1))
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

// The process may not, the disk knows no owners or no modes, or the owner has no room left.
const refusals = ['EPERM', 'EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EDQUOT']

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
