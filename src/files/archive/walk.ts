import { close, constants, fstat } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openCallback as open, stat } from '#src/files/paths/disk.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { childOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { Bounds, Fault, Item } from './formats/entry.ts'
import { isFolder } from './formats/entry.ts'
import type { ListNames, Name, Names } from './list-names.ts'
import { faultOf } from './open-item.ts'

/** Something asked for, and its name in the archive. */
export interface Root {
  /** Holds it when its turn comes: of thousands, only a few are open. Throws `hidden`, or an error whose message says why. */
  hold(): Promise<OpenPath>
  /** As it was asked for: through a link, rules hold there as well as where it is. */
  path: UserPath
  /** Ends with a slash for a folder. */
  entry: string
}

/** How a folder on the way stays open as long as somebody needs names in it. */
export interface Lease {
  keep(): void
  release(): void
}

/** An item and what keeps its address valid; released by whoever is done with it. */
export interface Found {
  item: Item
  lease: Lease
}

export interface WalkOptions {
  bounds: Bounds
  hideDotfiles: boolean
  list(task: ListNames): Promise<Names>
  fault(fault: Fault): void
}

const deepest = 400
// Zip counts the bytes of a name in 16 bits.
const longestEntry = 65_535
// Names are taken from the deepest levels next; of those above, only the first stays open.
const mostOpen = 16

/**
 * Tells the things below `roots` one by one, a folder before what is in it. Links are never walked into, so there are no
 * loops; rules, secrets and, if wished, dotfiles are left out.
 */
export async function* walk(roots: readonly Root[], options: WalkOptions): AsyncGenerator<Found> {
  for (const root of roots) {
    const held = await holdRoot(root, options)
    if (!held) continue
    const { path, entry } = root
    const lease = leaseOn(() => void held.close())
    try {
      const item: Item = { address: held.address, entry, follow: 'held' }
      if (isFolder(entry)) yield* walkFolder({ item, real: held.real, path, lease, depth: 0 }, options)
      else {
        lease.keep()
        yield { item, lease }
      }
    } finally {
      lease.release()
    }
  }
}

async function holdRoot(root: Root, { fault }: WalkOptions): Promise<OpenPath | undefined> {
  try {
    return await root.hold()
  } catch (error) {
    const reason = faultOf(error)
    if (reason) fault({ entry: root.entry, reason })
    return undefined
  }
}

interface Folder {
  item: Item
  real: string
  path: UserPath
  /** Of the folder that holds it. */
  lease: Lease
  depth: number
}

/** A folder whose names were told, and the folders in it that are left, last first. */
interface Level {
  folder: Folder
  /** Its name for system calls. */
  inside: string
  lease: Lease
  left: Name[]
  /** Which folder it is, while it is closed. */
  closed?: { dev: number; ino: number } | undefined
}

/** Goes through everything in a folder with a list of its own, so that no depth is too great. */
async function* walkFolder(top: Folder, options: WalkOptions): AsyncGenerator<Found> {
  const levels: Level[] = []
  try {
    for (let folder: Folder | undefined = top; folder; folder = await nextFolder(levels, options)) {
      folder.lease.keep()
      yield { item: folder.item, lease: folder.lease }
      const names = await listed(folder, options)
      if (!names) continue
      const level = levelOf(folder, names)
      levels.push(level)
      yield* tell(level, names, options)
      await closeFar(levels)
    }
  } finally {
    for (const level of levels) if (!level.closed) level.lease.release()
  }
}

function levelOf(folder: Folder, { fd, folders }: Names): Level {
  const inside = fd === undefined ? folder.item.address : `/proc/self/fd/${fd}`
  return { folder, inside, lease: leaseOf(fd), left: folders.toReversed() }
}

/** Tells of the files and links in a folder. */
function* tell({ folder, inside, lease }: Level, names: Names, { fault }: WalkOptions): Generator<Found> {
  const { entry } = folder.item
  for (const each of names.faults) fault({ ...each, entry: entry + each.entry })
  for (const [kind, follow] of [
    ['files', 'never'],
    ['links', 'inside'],
  ] as const) {
    for (const [name, plain] of names[kind]) {
      const item: Item = { address: join(inside, name), entry: entry + plain, follow }
      if (isTooLong(item.entry)) fault({ entry: item.entry, reason: tooLong })
      else {
        lease.keep()
        yield { item, lease }
      }
    }
  }
}

const tooLong = 'its path is too long for an archive'

function isTooLong(entry: string): boolean {
  return 3 * entry.length > longestEntry && Buffer.byteLength(entry) > longestEntry
}

/** The next folder to go into; levels that have none left are left. */
async function nextFolder(levels: Level[], options: WalkOptions): Promise<Folder | undefined> {
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const next = level.left.pop()
    if (next) return folderIn(level, next)
    levels.pop()
    await reopen(levels, level, options).finally(level.lease.release)
  }
  return undefined
}

function folderIn({ folder, inside, lease }: Level, [name, plain]: Name): Folder {
  const { item, real, path, depth } = folder
  return {
    item: { address: join(inside, name), entry: `${item.entry}${plain}/`, follow: 'never' },
    real: join(real, name),
    path: childOf(path, name),
    lease,
    depth: depth + 1,
  }
}

/** Closes the level that has become too far away, once nobody needs names in it any more. */
async function closeFar(levels: Level[]): Promise<void> {
  const far = levels.length > mostOpen + 1 ? levels.at(-1 - mostOpen) : undefined
  if (!far || far.closed || !far.inside.startsWith('/proc/self/fd/')) return
  const { dev, ino } = await stat(far.inside)
  far.closed = { dev, ino }
  far.lease.release()
}

/** Opens the level above `below` again, through it, if it is closed. One that was moved away meanwhile is left out. */
async function reopen(levels: Level[], below: Level, { fault }: WalkOptions): Promise<void> {
  const above = levels.at(-1)
  if (!above?.closed) return
  const fd = await openSame(join(below.inside, '..'), above.closed)
  if (fd !== undefined) {
    Object.assign(above, { inside: `/proc/self/fd/${fd}`, lease: leaseOf(fd), closed: undefined })
    return
  }
  for (let level = levels.at(-1); level?.closed; level = levels.at(-1)) {
    levels.pop()
    if (level.left.length > 0) fault({ entry: level.folder.item.entry, reason: 'it was moved meanwhile' })
  }
}

/** Opens a folder if it is the one that is meant. */
async function openSame(address: string, meant: { dev: number; ino: number }): Promise<number | undefined> {
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)
  const fd = await openDescriptor(address, flags).catch(() => undefined) // gone, or denied by now
  if (fd === undefined) return undefined
  const { dev, ino } = await statDescriptor(fd)
  if (dev === meant.dev && ino === meant.ino) return fd
  close(fd)
  return undefined
}

const openDescriptor = promisify(open)
const statDescriptor = promisify(fstat)

async function listed(folder: Folder, options: WalkOptions): Promise<Names | undefined> {
  const { item, real, path, depth } = folder
  const { address, entry } = item
  const { bounds, hideDotfiles } = options
  try {
    if (depth > deepest) throw new Error(`more than ${deepest} folders in one another`)
    if (isTooLong(entry)) throw new Error(tooLong)
    const isHeld = item.follow === 'held'
    return await options.list({ kind: 'list', address, real, path, isHeld, bounds, hideDotfiles })
  } catch (error) {
    const reason = faultOf(error)
    if (reason) options.fault({ entry, reason })
    return undefined
  }
}

/** Begins with one user; closes the descriptor after the last. */
function leaseOf(fd: number | undefined): Lease {
  return leaseOn(() => fd !== undefined && close(fd))
}

/** Begins with one user; calls `end` after the last. */
function leaseOn(end: () => void): Lease {
  let users = 1
  return {
    keep() {
      users++
    },
    release() {
      users--
      if (users === 0) end()
    },
  }
}
