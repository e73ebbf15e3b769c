import { closeSync, fstat, fstatSync, type Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { errnoOf, Problem } from '#src/core/problem.ts'
import { lstat, lstatSync, openDescriptor, readlinkSync, realpath, stat } from '#src/files/paths/disk.ts'
import { identityOf, isKnownLink } from '#src/files/paths/local-calls.ts'
import { ownNamesSync } from '#src/files/paths/read-folder.ts'
import { rejectUnresponsive, remoteMountOf } from '#src/files/paths/remote-mounts.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'

/** A requested entry. */
export interface Target {
  /** The requested path. */
  path: UserPath
  /** The path for system calls. */
  address: string
  /** The absolute path, as long as no symbolic link is on it. */
  real: string
}

/** An open descriptor of an entry, so that the entry cannot be replaced, as far as the system supports it. */
export interface HeldDescriptor {
  /** The real path. Access to it is not checked yet. */
  real: string
  stats: Stats
  /** The path for system calls, valid until `close`. */
  address: string
  close(): void
}

// open(2): a descriptor that only refers to a path. It opens no device, waits for no pipe and needs no read permission.
const O_PATH = 0o10000000

// Between opening a file and reading its path, another file may replace it. Then opens the new file, this many times
// at most.
const maxTries = 100

const statDescriptor = promisify(fstat)

/**
 * Opens a descriptor for the entry at a target, symbolic links followed, and returns its real path and stats.
 *
 * @throws Problem `path.outside` for a link to a missing target, `path.unknown`, `disk.silent`; or the error of the
 * system.
 */
export async function openDescriptorAt(target: Target): Promise<HeldDescriptor> {
  return process.platform === 'linux' ? openByDescriptor(target) : openByName(target)
}

async function openByDescriptor(target: Target): Promise<HeldDescriptor> {
  const { path } = target
  await rejectUnresponsive(target.real, path)
  for (let tries = 0; tries < maxTries; tries++) {
    const fd = await openDescriptor(target.address, O_PATH).catch(refuseDangling(target))
    try {
      const address = `/proc/self/fd/${fd}`
      // The kernel answers both from memory now that the target is open: sending them to the thread pool would cost more
      // than they take. Only a remote file system may be queried again.
      const real = readlinkSync(address)
      const stats = remoteMountOf(real) === undefined ? fstatSync(fd) : await statRemote(fd, { real, path })
      if (await isStillAt(real, stats)) return { real, stats, address, close: closeOnce(fd) }
    } catch (error) {
      closeSync(fd)
      throw error
    }
    closeSync(fd)
  }
  throw new Problem('path.unknown', { path })
}

/** The owner of a descriptor closes it once: after that, its number may belong to another file. */
function closeOnce(fd: number): () => void {
  let isOpen = true
  return () => {
    if (isOpen) closeSync(fd)
    isOpen = false
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

async function openByName(target: Target): Promise<HeldDescriptor> {
  const real = await realpath(target.address).catch(refuseDangling(target))
  return { real, stats: await stat(real), address: real, close() {} }
}

/** A link to a missing target is not a free name: writing through it would create the target, wherever it is. */
function refuseDangling({ path, address, real }: Target) {
  return async (error: unknown): Promise<never> => {
    const isLink = errnoOf(error) === 'ENOENT' && (await isKnownLink(address, real))
    throw isLink ? new Problem('path.outside', { path }, { cause: error }) : error
  }
}

// A hard link is another name of the same file, and a check of paths does not find it. Coffer's own files are
// recognized by device and inode too.

/** How long the identities of Coffer's own files are remembered, in milliseconds: some are replaced by each write. */
const rememberedMs = 1000
/** Entries that are examined at most, those of the upper levels first, and names in each folder. */
const most = { entries: 2000, names: 500 }
/** Folders of Coffer that hold contents of users: they may have other names among the files of users. */
const contentFolders = ['kept', 'cache']

const remembered = new WeakMap<readonly string[], { at: number; identities: ReadonlySet<string> }>()
/** Own files that had a name elsewhere when they were seen. They still exist after Coffer has replaced them. */
const linked = new Set<string>()
const mostLinked = 10_000

/**
 * Whether a file is one of Coffer's own, by another name, or was one until Coffer has replaced it. Costs nothing for files
 * with one name. Synchronous, also for worker threads.
 *
 * @param secret as in a jail
 */
export function isOwnFile(stats: Stats, secret: readonly string[]): boolean {
  if (!stats.isFile() || (stats.nlink < 2 && linked.size === 0)) return false
  return linked.has(originOf(stats)) || (stats.nlink > 1 && ownIdentities(secret).has(identityOf(stats)))
}

/** Unlike the inode alone, it is never that of a later file. */
const originOf = (stats: Stats) => `${identityOf(stats)} ${stats.birthtimeMs}`

function ownIdentities(secret: readonly string[]): ReadonlySet<string> {
  const known = remembered.get(secret)
  if (known && performance.now() - known.at < rememberedMs) return known.identities
  const identities = identitiesOf(secret)
  remembered.set(secret, { at: performance.now(), identities })
  return identities
}

function identitiesOf(secret: readonly string[]): ReadonlySet<string> {
  const found = new Map<string, { names: number; stats: Stats }>()
  const paths = [...new Set(secret)]
  // The loop also reaches what is added to the list.
  for (const path of paths) {
    const stats = statOwn(path)
    if (!stats) continue
    if (stats.isFile()) {
      const identity = identityOf(stats)
      found.set(identity, { names: (found.get(identity)?.names ?? 0) + 1, stats })
    }
    if (stats.isDirectory()) paths.push(...namesIn(path, most.entries - paths.length))
  }
  for (const { names, stats } of found.values())
    if (stats.nlink > names && linked.size < mostLinked) linked.add(originOf(stats))
  return new Set(found.keys())
}

/** The paths in a folder of Coffer, at most `room`. */
function namesIn(folder: string, room: number): string[] {
  if (contentFolders.includes(basename(folder))) return []
  return ownNamesSync(folder, Math.max(0, Math.min(most.names, room))).map((name) => join(folder, name))
}

/** Undefined also on a remote disk: it may not respond, and these calls cannot be cancelled. */
function statOwn(path: string): Stats | undefined {
  if (remoteMountOf(path) !== undefined) return undefined
  try {
    return lstatSync(path)
  } catch {
    return undefined // most of the paths are those of files that do not exist yet
  }
}
