import { close, closeSync, constants, fstat, fstatSync, fsync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { flushFolder } from '#src/core/flush-folder.ts'
import { errnoOf, ignoreMissing } from '#src/core/problem.ts'
import {
  access,
  accessSync,
  chmod,
  lstat,
  mkdir,
  open,
  openDescriptor,
  openSync,
  rmdir,
} from '#src/files/paths/disk.ts'
import { isLocal } from '#src/files/paths/remote-mounts.ts'
import { keptName, temporaryName } from '#src/files/paths/user-path.ts'

// The folder holds what users have deleted, also files that only some of them could read. So it must belong to the
// user of this process, and other users of the system must have no access to it. If there is a link, a file or the
// folder of another user in its store, the folder gets the next name.

/** Where the folder of a store is. */
export interface FolderSite {
  /** Real path of the folder that contains it. */
  top: string
  /** The names it may have, the preferred one first. */
  names: readonly string[]
}

/** The folder of a store, held open, so that it cannot be replaced between the check and its use. */
export interface KeptFolder extends AsyncDisposable {
  /** The path for system calls, through the open descriptor on Linux. */
  readonly address: string
  /** The real path. It is only as safe as the folder that contains it. */
  readonly real: string
  /** Flushes the names in it to the disk. */
  flush(): Promise<void>
}

/** The names of the folder at the top of a disk. */
export const namesAtTop: readonly string[] = [
  keptName,
  ...Array.from({ length: 8 }, (_, n) => `${keptName}-${n + 2}`),
]

const { O_RDONLY, W_OK, X_OK } = constants
const forOthers = 0o077

/**
 * Opens the folder of a store.
 *
 * @param how.creates makes it when there is none, and checks that entries can be made in it
 * @returns undefined when there is none, or when nothing can be kept here: the disk is read-only or full, this process
 *   may not write to it, or others occupy every name
 * @throws the system's error for a disk that fails
 */
export async function openKeptFolder(
  { top, names }: FolderSite,
  { creates }: { creates: boolean },
): Promise<KeptFolder | undefined> {
  const free: string[] = []
  for (const name of names) {
    const found = await openOwn(top, name)
    if (found === 'missing') free.push(name)
    else if (found !== 'foreign') return creates ? whenWritable(found) : found
  }
  const [name] = free
  if (!creates || name === undefined || !(await isMade(join(top, name)))) return undefined
  // A power failure must not take the folder away with what is moved into it.
  await flushFolder(() => open(top, O_RDONLY)).catch(ignoreUnflushable)
  const made = await openOwn(top, name)
  return typeof made === 'string' ? undefined : whenWritable(made)
}

/** Opens the folder `name`, if it is a folder of this process that is closed for others. */
async function openOwn(top: string, name: string): Promise<KeptFolder | 'missing' | 'foreign'> {
  const real = join(top, name)
  if (process.platform !== 'linux') return openByPath(real)
  let folder: HeldFolder
  try {
    folder = await holdFolder(real)
  } catch (error) {
    return unusableAs(error)
  }
  try {
    if (await isOwn(folder, top)) return { ...folder, flush: () => folder.flush().catch(ignoreUnflushable) }
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    throw error
  }
  await folder[Symbol.asyncDispose]()
  return 'foreign'
}

/** For systems without `/proc/self/fd`: a race between this check and later calls remains. */
async function openByPath(real: string): Promise<KeptFolder | 'missing' | 'foreign'> {
  const stats = await lstat(real).catch(ignoreMissing)
  if (!stats) return 'missing'
  const uid = process.geteuid?.()
  if (!stats.isDirectory() || (uid !== undefined && stats.uid !== uid)) return 'foreign'
  return { address: real, real, flush: async () => {}, async [Symbol.asyncDispose]() {} }
}

function unusableAs(error: unknown): 'missing' | 'foreign' {
  const errno = errnoOf(error) ?? ''
  if (errno === 'ENOENT') return 'missing'
  // A link, another kind of entry, or a folder that this process cannot read.
  if (['ELOOP', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errno)) return 'foreign'
  throw error
}

async function isOwn({ stats, address }: HeldFolder, top: string): Promise<boolean> {
  if (stats.uid !== process.geteuid?.() && stats.uid !== (await newFolderOwner(top))) return false
  // A recursive chmod of the served folder would open it to others. Disks without modes ignore this.
  if ((stats.mode & forOthers) !== 0) await chmod(address, 0o700).catch(ignoreRefused)
  return true
}

/**
 * The owner that the disk gives to new folders of this process: on disks without owners (FAT) that of the mount, on
 * network disks that of the server's choice. Undefined when no folder can be made.
 */
async function newFolderOwner(top: string): Promise<number | undefined> {
  const probe = join(top, temporaryName())
  try {
    await mkdir(probe, { mode: 0o700 })
  } catch {
    return undefined
  }
  try {
    const stats: Stats = await lstat(probe)
    return stats.uid
  } finally {
    await rmdir(probe).catch(() => {}) // an empty hidden folder does no harm
  }
}

/** Closes the folder and returns undefined when nothing can be created in it. */
async function whenWritable(folder: KeptFolder): Promise<KeptFolder | undefined> {
  try {
    await accessHeld(folder, W_OK | X_OK)
    return folder
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    ignoreUnable(error)
    return undefined
  }
}

async function isMade(real: string): Promise<boolean> {
  try {
    await mkdir(real, { mode: 0o700 })
    return true
  } catch (error) {
    // Another process of this user may have made it just now. It is checked like any other.
    if (errnoOf(error) === 'EEXIST') return true
    ignoreUnable(error)
    return false
  }
}

function ignoreUnable(error: unknown): void {
  const unable = ['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'ENOENT', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']
  if (!unable.includes(errnoOf(error) ?? '')) throw error
}

function ignoreRefused(error: unknown): void {
  if (!['EPERM', 'EROFS', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'].includes(errnoOf(error) ?? ''))
    throw error
}

function ignoreUnflushable(error: unknown): void {
  // Some file systems that run as programs cannot flush a folder.
  if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error
}

const statDescriptor = promisify(fstat)
const flushDescriptor = promisify(fsync)
const closeDescriptor = promisify(close)

/** An open folder. Disposing closes it. */
interface HeldFolder extends AsyncDisposable {
  /** The real path when it was opened. */
  real: string
  /** The path for system calls. */
  address: string
  stats: Stats
  /** Flushes the names in it to the disk. */
  flush(): Promise<void>
}

/** Opens a folder, never through a link. Linux only. @throws the error of the system. */
async function holdFolder(real: string): Promise<HeldFolder> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
  const isQuick = isLocal(real)
  const fd = isQuick ? openSync(real, flags) : await openDescriptor(real, flags)
  const end = async () => (isQuick ? closeSync(fd) : closeDescriptor(fd))
  try {
    const stats = isQuick ? fstatSync(fd) : await statDescriptor(fd)
    const flush = () => flushDescriptor(fd)
    return { real, address: `/proc/self/fd/${fd}`, stats, flush, [Symbol.asyncDispose]: end }
  } catch (error) {
    await end()
    throw error
  }
}

/** Checks the permissions of this process for an open folder. @throws the error of the system. */
async function accessHeld(
  { real, address }: Pick<HeldFolder, 'real' | 'address'>,
  mode: number,
): Promise<void> {
  if (isLocal(real)) accessSync(address, mode)
  else await access(address, mode)
}
