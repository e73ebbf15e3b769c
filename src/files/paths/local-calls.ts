import { close, closeSync, constants, fstat, fstatSync, fsync, type Stats } from 'node:fs'
import { promisify } from 'node:util'
import { createRunAgain } from '#src/core/concurrency/run-again.ts'
import { errnoOf, ignoreMissing } from '#src/core/errno.ts'
import { flushFolder } from '#src/core/flush-folder.ts'
import {
  access,
  accessSync,
  lstat,
  lstatSync,
  open,
  openDescriptor,
  openSync,
  readlink,
  readlinkSync,
} from './disk.ts'
import { hasRemoteMounts, isLocal } from './remote-mounts.ts'
import type { OpenPath } from './scope.ts'

// Calls about entries that were used just now. On a local disk the kernel answers them from memory: sending them to the
// thread pool would cost ten times what they take. On a remote file system they may block, so they use the thread pool.

const statDescriptor = promisify(fstat)
const flushDescriptor = promisify(fsync)
const closeDescriptor = promisify(close)
const flushes = createRunAgain<void>()

/** An open file, such as a `FileHandle`. */
export interface OpenedFile {
  readonly fd: number
  /** Undefined: not known. */
  readonly isOnLocalDisk?: boolean
  stat(): Promise<Stats>
}

const identities = new WeakMap<OpenedFile, Pick<Stats, 'dev' | 'ino'>>()

/** Returns the stats of an open file. */
export async function statOpen(file: OpenedFile): Promise<Stats> {
  const stats = (file.isOnLocalDisk ?? !hasRemoteMounts()) ? fstatSync(file.fd) : await file.stat()
  const { dev, ino } = stats
  identities.set(file, { dev, ino })
  return stats
}

/** Returns the device and the inode of an open file. They never change, so the system is asked only once. */
export async function identifyOpen(file: OpenedFile): Promise<Pick<Stats, 'dev' | 'ino'>> {
  return identities.get(file) ?? statOpen(file)
}

/**
 * Returns the stats of an entry whose name was looked up or created just now, symbolic links not followed. Undefined when
 * there is none.
 *
 * @param folder the open folder that contains it
 */
export async function lstatKnown(
  folder: Pick<OpenPath, 'real'>,
  address: string,
): Promise<Stats | undefined> {
  return isLocal(folder.real) ? lstatSync(address, quietly) : lstat(address).catch(ignoreMissing)
}

const quietly = { throwIfNoEntry: false } as const

/** Whether `address`, which was looked up just now, is a symbolic link. `real` is its real path. */
export async function isKnownLink(address: string, real: string): Promise<boolean> {
  try {
    await (isLocal(real) ? readlinkSync(address) : readlink(address))
    return true
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false
  }
}

/**
 * Flushes an open folder to the disk, so that names that were created or removed in it before survive a power cut. Calls
 * during a flush of the same folder share the next one.
 */
export async function flushOpenFolder({ address, real, stats }: OpenPath): Promise<void> {
  await flushes(`${stats.dev} ${stats.ino}`, async () => {
    if (!isLocal(real)) return flushFolder(() => open(address, constants.O_RDONLY))
    const fd = openSync(address, constants.O_RDONLY)
    try {
      await flushDescriptor(fd)
    } finally {
      closeSync(fd)
    }
  })
}

/** An open folder. Disposing closes it. */
export interface HeldFolder extends AsyncDisposable {
  /** The real path when it was opened. */
  real: string
  /** The path for system calls. */
  address: string
  stats: Stats
  /** Flushes the names in it to the disk. */
  flush(): Promise<void>
}

/** Opens a folder, never through a link. Linux only. @throws the error of the system. */
export async function holdFolder(real: string): Promise<HeldFolder> {
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
export async function accessHeld(
  { real, address }: Pick<HeldFolder, 'real' | 'address'>,
  mode: number,
): Promise<void> {
  if (isLocal(real)) accessSync(address, mode)
  else await access(address, mode)
}
