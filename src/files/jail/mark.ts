import { closeSync, fstat, fstatSync, type Stats } from 'node:fs'
import { promisify } from 'node:util'
import { errnoOf } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import {
  lstat,
  openCallback as openFile,
  readlink,
  readlinkSync,
  realpath,
  stat,
} from '#src/files/paths/disk.ts'
import { farMountOf, refuseSilent } from '#src/files/paths/remote-mounts.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'

/** A place that somebody asks for. */
export interface Place {
  /** As it was asked for. */
  path: UserPath
  /** The name for system calls. */
  address: string
  /** Where it is, as far as no link stands on the way. */
  real: string
}

/** A place that is marked by a descriptor, so that nothing else can take its place, as far as the system can. */
interface Mark {
  /** Where it really is. Nobody has asked yet whether it may be reached. */
  real: string
  stats: Stats
  /** The name for system calls, good until `unmark`. */
  address: string
  unmark(): void
}

// open(2): a descriptor that only marks a place. It opens no device, waits for no pipe and needs no right to read.
const O_PATH = 0o10000000

// Between opening a file and asking where it is, another may have taken its name; the one that is there now will do.
const mostTries = 100

// Plain descriptors: every call passes here, and a FileHandle costs twice as much to open and to close.
const openDescriptor = promisify(openFile)
const statDescriptor = promisify(fstat)

/**
 * Marks what is at a place, links followed, and tells where that is.
 *
 * @throws Problem `path.outside` for a link to nowhere, `path.unknown`, `disk.silent`; or the system's own error.
 */
export async function mark(place: Place): Promise<Mark> {
  return process.platform === 'linux' ? markByDescriptor(place) : markByName(place)
}

async function markByDescriptor(place: Place): Promise<Mark> {
  const { path } = place
  await refuseSilent(place.real, path)
  for (let tries = 0; tries < mostTries; tries++) {
    const fd = await openDescriptor(place.address, O_PATH).catch(refuseDangling(place))
    try {
      const address = `/proc/self/fd/${fd}`
      // The kernel's own memory answers both, not a disk, now that the place is open: handing them to a thread would
      // cost more than they take. Only what comes from far may be asked for anew.
      const real = readlinkSync(address)
      const stats = farMountOf(real) === undefined ? fstatSync(fd) : await statFar(fd, { real, path })
      if (await isStillAt(real, stats)) return { real, stats, address, unmark: once(() => closeSync(fd)) }
    } catch (error) {
      closeSync(fd)
      throw error
    }
    closeSync(fd)
  }
  throw new Problem('path.unknown', { path })
}

/** A descriptor is closed at most once: by the next time, the number may be another file's. */
function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

/** A link may have led to where nobody has asked yet whether there are answers. */
async function statFar(fd: number, { real, path }: { real: string; path: UserPath }): Promise<Stats> {
  await refuseSilent(real, path)
  return statDescriptor(fd)
}

/** Linux writes ` (deleted)` after the name of what was unlinked or replaced; a living file may end so as well. */
async function isStillAt(real: string, stats: Stats): Promise<boolean> {
  if (stats.nlink === 0) return false
  if (!real.endsWith(' (deleted)')) return true
  const there = await lstat(real).catch(() => undefined)
  return there?.ino === stats.ino && there.dev === stats.dev
}

async function markByName(place: Place): Promise<Mark> {
  const real = await realpath(place.address).catch(refuseDangling(place))
  return { real, stats: await stat(real), address: real, unmark() {} }
}

/** A link to nowhere is no free name: writing "through" it would create its target, wherever that is. */
function refuseDangling({ path, address }: Place) {
  return async (error: unknown): Promise<never> => {
    const isLink = errnoOf(error) === 'ENOENT' && (await readlink(address).catch(() => undefined))
    throw isLink ? new Problem('path.outside', { path }, { cause: error }) : error
  }
}
