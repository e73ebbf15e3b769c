import { constants, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lazyLibc } from '#src/core/libc.ts'
import { errnoOf, ignoreMissing, onPath } from '#src/core/problem.ts'
import { nulTerminated } from '#src/files/paths/byte-names.ts'
import { open, rm, rmdir } from '#src/files/paths/disk.ts'
import { isOpenAndBeingWritten, statOpen } from '#src/files/paths/local-calls.ts'
import { isLocalDevice, remoteMountOf } from '#src/files/paths/remote-mounts.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { isTemporary } from '#src/files/paths/user-path.ts'
import { isSmall } from '#src/files/receiving/receive.ts'
import { openWritable, type WritableFile } from '#src/files/receiving/writable-file.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants

/**
 * Creates the empty temporary file `name` in the folder of the target. The caller closes it.
 *
 * @param mode permission bits of a new file. A file that will replace another has 0600 until `keepOwner` copies the
 *   owner and mode of that file.
 * @param size the number of bytes that will be written, if it is known
 */
export async function createTempFile(
  { folder, replaces }: { folder: OpenPath; replaces: Stats | undefined },
  { name, mode, path, size }: { name: string; mode: number; path: string; size?: number | undefined },
): Promise<WritableFile> {
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
  const first = replaces ? 0o600 : mode
  const how = {
    mode: first,
    isOnLocalDisk: isLocalDevice(folder.stats.dev),
    isQuick: isOpenAndBeingWritten(folder),
    isWrittenAtOnce: isSmall(size),
  }
  const file = await openWritable(join(folder.address, name), flags, how).catch(onPath(path))
  try {
    await setMode(modeOf(file), first)
    return file
  } catch (error) {
    await file.close()
    await rm(join(folder.address, name), { force: true }).catch(() => {}) // report the first failure
    return onPath(path)(error)
  }
}

/**
 * Opens a temporary file again, to continue at `offset`. Truncates bytes beyond it, which were never acknowledged. The
 * caller closes it. Returns undefined when the file does not exist or is shorter than `offset`.
 */
export async function openTempFile(
  { folder }: { folder: OpenPath },
  { name, offset, path }: { name: string; offset: number; path: string },
): Promise<WritableFile | undefined> {
  const how = { isOnLocalDisk: isLocalDevice(folder.stats.dev) }
  const file = await openWritable(join(folder.address, name), O_WRONLY | O_NOFOLLOW, how)
    .catch(ignoreMissing)
    .catch(onPath(path))
  if (!file) return undefined
  try {
    const stats = await file.stat()
    if (stats.isFile() && stats.size >= offset) {
      if (stats.size > offset) await file.truncate(offset)
      return file
    }
  } catch (error) {
    await file.close()
    return onPath(path)(error)
  }
  await file.close()
  return undefined
}

/** Opens a temporary file for reading, never through a link. The caller closes it. @throws the error of the system. */
export function readTempFile(address: string): Promise<FileHandle> {
  return open(address, constants.O_RDONLY | O_NOFOLLOW)
}

/** Removes the last `count` folders of a real path, as far as they are empty. Those that others use stay. */
export async function removeEmpty(folder: string, count: number): Promise<void> {
  let path = folder
  for (let left = count; left > 0; left--) {
    const isRemoved = await rmdir(path).then(
      () => true,
      () => false,
    )
    if (!isRemoved) return
    path = dirname(path)
  }
}

/** Removes a temporary file, if it exists. `folder` is a real path. Does nothing if `name` is not a temporary name. */
export async function removeTempFile(folder: string, name: string): Promise<void> {
  if (isTemporary(name)) await rm(join(folder, name), { force: true })
}

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

// Linux stores access control lists in extended attributes (acl(5)). Node has no API for them, so these are calls
// into libc.
const load = lazyLibc({
  lgetxattr: { arguments: ['pointer', 'pointer', 'pointer', 'uint64'], return: 'int64' },
  setxattr: { arguments: ['pointer', 'pointer', 'pointer', 'uint64', 'int32'], return: 'int32' },
  removexattr: { arguments: ['pointer', 'pointer'], return: 'int32' },
})

const attribute = Buffer.from('system.posix_acl_access\0')
// The maximum size of an attribute value (xattr(7)).
const largest = 64 * 1024

/**
 * Copies the access control list of `from` to `to`. If `from` has none, removes the one that `to` may have inherited
 * from its folder. Changes nothing where the disk or the permissions of this process do not allow it. Does not follow
 * a symbolic link as `from`.
 *
 * @param real the real path of `from`. On a network disk, which may hang, nothing is read or changed
 * @returns false when `from` has a list that could not be set on `to`; true also where lists are not supported
 */
export function copyAcl(from: string | Buffer, to: string | Buffer, real: string): boolean {
  const libc = remoteMountOf(real) === undefined ? load() : undefined
  if (!libc) return true
  const value = Buffer.alloc(largest)
  const [source, target] = [nulTerminated(from), nulTerminated(to)]
  const length = Number(libc.lgetxattr(source, attribute, value, BigInt(largest)))
  if (length > 0) return libc.setxattr(target, attribute, value, BigInt(length), 0) === 0
  libc.removexattr(target, attribute)
  return true
}

// The process may not set times, or the disk cannot store them.
const timeRefusals = ['EPERM', 'EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EOVERFLOW']

/**
 * Gives a file that is still open for writing the modification time of its source. It must not be written to afterwards.
 * Where the disk refuses, the file keeps the time of the upload.
 *
 * @param mtime milliseconds since 1970; undefined: changes nothing
 */
export async function setModified(file: WritableFile, mtime: number | undefined): Promise<void> {
  if (mtime === undefined) return
  try {
    await file.utimes(Date.now() / 1000, mtime / 1000)
  } catch (error) {
    if (!timeRefusals.includes(errnoOf(error) ?? '')) throw error
  }
}
