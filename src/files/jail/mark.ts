import { closeSync, constants, fstat, fstatSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { errnoOf } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import {
  lstat,
  lstatSync,
  openDescriptor,
  openSync,
  readlinkSync,
  realpath,
  stat,
} from '#src/files/paths/disk.ts'
import { isKnownLink } from '#src/files/paths/local-calls.ts'
import { isLocal, rejectUnresponsive, remoteMountOf } from '#src/files/paths/remote-mounts.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { callNow, isBeingWritten, isWarmFolder, isWarmName, noteFolder } from '#src/files/paths/warm-files.ts'

/** A requested place. */
export interface Place {
  /** The requested path. */
  path: UserPath
  /** The path for system calls. */
  address: string
  /** The absolute path, as long as no symbolic link is on it. */
  real: string
}

/** An open descriptor of an entry, so that the entry cannot be replaced, as far as the system supports it. */
interface Mark {
  /** The real path. Access to it is not checked yet. */
  real: string
  stats: Stats
  /** The path for system calls, valid until `unmark`. */
  address: string
  /** See `OpenPath`. After that, `unmark` does nothing. */
  takeReadable(): number | undefined
  unmark(): void
}

// open(2): a descriptor that only refers to a path. It opens no device, waits for no pipe and needs no read permission.
const O_PATH = 0o10000000

// What was a file just now may be something else: this follows no link and waits for no pipe.
const forReadingNow = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

// Nothing but a folder, and no link to one: a link may lead to a disk that does not answer.
const { O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants
const folderNow = O_PATH | O_DIRECTORY | O_NOFOLLOW

// Between opening a file and reading its path, another file may replace it. Then opens the new file, this many times
// at most.
const maxTries = 100

const statDescriptor = promisify(fstat)

const quietly = { throwIfNoEntry: false } as const

/** No entry has the name, not even a symbolic link. Collects no stack trace, which is slow: callers always catch it. */
class MissingEntry extends Error {
  readonly code = 'ENOENT'

  constructor() {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super('the entry does not exist')
    Error.stackTraceLimit = stackTraceLimit
  }
}

/**
 * Opens a descriptor for the entry at a place, symbolic links followed, and returns its real path and stats.
 *
 * @throws Problem `path.outside` for a link to a missing target, `path.unknown`, `disk.silent`; or the error of the
 * system.
 */
export async function mark(place: Place): Promise<Mark> {
  return process.platform === 'linux' ? markByDescriptor(place) : markByName(place)
}

async function markByDescriptor(place: Place): Promise<Mark> {
  const { path } = place
  await rejectUnresponsive(place.real, path)
  for (let tries = 0; tries < maxTries; tries++) {
    const { fd, isReadable } = await lookUp(place).catch(refuseDangling(place))
    try {
      const address = `/proc/self/fd/${fd}`
      // The kernel answers both from memory now that the place is open: sending them to the thread pool would cost more
      // than they take. Only a remote file system may be queried again.
      const real = readlinkSync(address)
      const stats = remoteMountOf(real) === undefined ? fstatSync(fd) : await statRemote(fd, { real, path })
      if (stats.isDirectory() && real === place.real) noteFolder(real)
      if (await isStillAt(real, stats)) return { real, stats, address, ...ownerOf(fd, isReadable) }
    } catch (error) {
      closeSync(fd)
      throw error
    }
    closeSync(fd)
  }
  throw new Problem('path.unknown', { path })
}

/**
 * Opens the place. A file that was read just now is opened for reading, without the thread pool. A folder that was
 * opened just now, and a name in a folder that is being written, do not need the thread pool either.
 */
async function lookUp({ address, real }: Place): Promise<{ fd: number; isReadable: boolean }> {
  const isReadable = isWarmName(real)
  if ((isReadable || isWarmFolder(real)) && isLocal(real)) {
    try {
      return { fd: callNow(() => openSync(address, isReadable ? forReadingNow : folderNow)), isReadable }
    } catch {
      // It has become a symbolic link, or this process may not read it: only its path is opened.
    }
  }
  if (isBeingWritten(dirname(real))) {
    // Most names are new. For them, this call needs no exception, which would take longer than the call itself.
    if (!callNow(() => lstatSync(address, quietly))) throw new MissingEntry()
    const fd = callNow(() => openSync(address, O_PATH | O_NOFOLLOW))
    if (!fstatSync(fd).isSymbolicLink()) return { fd, isReadable: false }
    closeSync(fd)
  }
  return { fd: await openDescriptor(address, O_PATH), isReadable: false }
}

/** The owner of a descriptor closes it at most once: after that, its number may belong to another file. */
function ownerOf(fd: number, isReadable: boolean): Pick<Mark, 'takeReadable' | 'unmark'> {
  let isOwned = true
  return {
    takeReadable() {
      if (!isOwned || !isReadable) return undefined
      isOwned = false
      return fd
    },
    unmark() {
      if (isOwned) closeSync(fd)
      isOwned = false
    },
  }
}

/** A symbolic link may have led to a remote file system that was not checked yet. */
async function statRemote(fd: number, { real, path }: { real: string; path: UserPath }): Promise<Stats> {
  await rejectUnresponsive(real, path)
  return statDescriptor(fd)
}

/**
 * Linux appends ` (deleted)` to the path of an unlinked or replaced file. The name of an existing file may end so
 * too.
 */
async function isStillAt(real: string, stats: Stats): Promise<boolean> {
  if (stats.nlink === 0) return false
  if (!real.endsWith(' (deleted)')) return true
  const there = await lstat(real).catch(() => undefined)
  return there?.ino === stats.ino && there.dev === stats.dev
}

async function markByName(place: Place): Promise<Mark> {
  const real = await realpath(place.address).catch(refuseDangling(place))
  return { real, stats: await stat(real), address: real, takeReadable: () => undefined, unmark() {} }
}

/** A link to a missing target is not a free name: writing through it would create the target, wherever it is. */
function refuseDangling({ path, address, real }: Place) {
  return async (error: unknown): Promise<never> => {
    if (error instanceof MissingEntry) throw error
    const isLink = errnoOf(error) === 'ENOENT' && (await isKnownLink(address, real))
    throw isLink ? new Problem('path.outside', { path }, { cause: error }) : error
  }
}
