import type { Stats } from 'node:fs'
import { errnoOf } from '#src/core/errno.ts'
import { statOpen } from '#src/files/paths/local-calls.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import type { WritableFile } from '#src/files/receiving/writable-file.ts'
import { copyAcl } from './acl.ts'

/**
 * Gives a new file the owner, group, access control list and permission bits of the file that it will replace, as far
 * as this process may set them. The owner is set last, because a process that gives a file away cannot change it any
 * more. If the group or the list could not be set, the group bits are limited to the bits of others: the bits would
 * apply to another group, or come from the mask of the list. A file that replaces nothing gets `mode`; undefined
 * changes nothing.
 */
export async function keepOwner(
  file: WritableFile,
  target: { replaces: Stats | undefined; folder: OpenPath; address: string },
  mode?: number,
): Promise<void> {
  const { replaces: before, folder, address } = target
  if (!before) {
    if (mode !== undefined) await setMode(modeOf(file), mode)
    return
  }
  const { uid, gid } = await statOpen(file)
  const hasGroup = gid === before.gid || (await allowed(file.chown(-1, before.gid)))
  const hasList = process.platform !== 'linux' || copyAcl(address, `/proc/self/fd/${file.fd}`, folder.real)
  const bits = before.mode & 0o777
  await setMode(modeOf(file), hasGroup && hasList ? bits : bits & ~(0o070 & ~(bits << 3)))
  if (uid !== before.uid) await allowed(file.chown(before.uid, -1))
}

/** The mode of an open file, for `setMode`. */
export function modeOf(file: WritableFile): Parameters<typeof setMode>[0] {
  return { stat: () => statOpen(file), chmod: (bits) => file.chmod(bits) }
}

/** Sets the permission bits of a file if they differ, on disks that support them. */
export async function setMode(
  file: { stat(): Promise<Stats>; chmod(mode: number): Promise<void> },
  mode: number,
): Promise<void> {
  const now = (await file.stat()).mode & 0o7777
  // Keeps the setgid bit of a folder, by which new entries inherit its group.
  const bits = mode | (now & 0o7000)
  if (now !== bits) await allowed(file.chmod(bits))
}

// The process has no permission, the disk has no owners or modes, or the owner's quota is used up.
const refusals = ['EPERM', 'EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EDQUOT']

/** Returns whether a change was made. It is not an error when the disk or the system does not allow it. */
async function allowed(change: Promise<void>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if (!refusals.includes(errnoOf(error) ?? '')) throw error
    return false
  }
}
