import { constants, fstat } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { closeLater, openDescriptor, stat } from '#src/files/paths/disk.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { childOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { ArchiveFault, Bounds, Item } from './formats/entry.ts'
import { isFolder } from './formats/entry.ts'
import type { ListTask, Names } from './list-names.ts'
import { faultOf } from './open-item.ts'
import { countOf, countOn, type ReferenceCount } from './reference-count.ts'

/** A requested file or folder, and its name in the archive. */
export interface Root {
  /** Opens it when the walk reaches it, so that few are open. @throws `hidden`, or an error with the reason. */
  open(): Promise<OpenPath>
  /** The path that the user requested. Rules apply to it and to the real path. */
  path: UserPath
  /** Ends with a slash for a folder. */
  entry: string
}

/** An item, and the count of references that keeps its address valid. The consumer releases its own. */
export interface WalkedItem {
  item: Item
  references: ReferenceCount
}

export interface WalkOptions {
  bounds: Bounds
  hideDotfiles: boolean
  /** Whether Windows must be able to create all names. */
  forWindows: boolean
  list(task: ListTask): Promise<Names>
  fault(fault: ArchiveFault): void
}

const deepest = 400
// Zip stores the length of a name in 16 bits.
const longestEntry = 65_535
// The deepest 16 levels stay open, because they are used next. Of the levels above, only the first stays open.
const mostOpen = 16

/**
 * Yields everything below `roots`, each folder before its contents. Does not follow symbolic links to folders, so there
 * are no loops. Leaves out denied and secret entries and, with `hideDotfiles`, dotfiles.
 */
export async function* walk(roots: readonly Root[], options: WalkOptions): AsyncGenerator<WalkedItem> {
  for (const root of roots) {
    const held = await holdRoot(root, options)
    if (!held) continue
    const { path, entry } = root
    const references = countOn(() => void held.close())
    try {
      const item: Item = { address: held.address, entry, follow: 'held' }
      if (isFolder(entry)) yield* walkFolder({ item, real: held.real, path, references, depth: 0 }, options)
      else {
        references.retain()
        yield { item, references }
      }
    } finally {
      references.release()
    }
  }
}

async function holdRoot(root: Root, { fault }: WalkOptions): Promise<OpenPath | undefined> {
  try {
    return await root.open()
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
  /** The count of its parent folder. */
  references: ReferenceCount
  depth: number
}

/** A folder whose files were yielded, and its subfolders that are still to be walked, in reverse order. */
interface Level {
  folder: Folder
  /** Its path for system calls. */
  inside: string
  references: ReferenceCount
  left: string[]
  renamed: Names['renamed']
  /** Identifies the folder while it is closed. */
  closed?: { dev: number; ino: number } | undefined
}

/** Walks a folder with its own stack instead of recursion, so that any depth works. */
async function* walkFolder(top: Folder, options: WalkOptions): AsyncGenerator<WalkedItem> {
  const levels: Level[] = []
  try {
    for (let folder: Folder | undefined = top; folder; folder = await nextFolder(levels, options)) {
      folder.references.retain()
      yield { item: folder.item, references: folder.references }
      const names = await listed(folder, options)
      if (!names) continue
      const level = levelOf(folder, names)
      levels.push(level)
      yield* filesIn(level, names, options)
      await closeFar(levels)
    }
  } finally {
    for (const level of levels) if (!level.closed) level.references.release()
  }
}

function levelOf(folder: Folder, { fd, folders, renamed }: Names): Level {
  const inside = fd === undefined ? folder.item.address : `/proc/self/fd/${fd}`
  return { folder, inside, references: countOf(fd), left: folders.toReversed(), renamed }
}

/** Yields the files and symbolic links in a folder. */
function* filesIn(
  { folder, inside, references, renamed }: Level,
  names: Names,
  { fault }: WalkOptions,
): Generator<WalkedItem> {
  const { entry } = folder.item
  for (const each of names.faults) fault({ ...each, entry: entry + each.entry })
  for (const [kind, follow] of [
    ['files', 'never'],
    ['links', 'inside'],
  ] as const) {
    for (const name of names[kind]) {
      const item: Item = { address: join(inside, name), entry: entry + (renamed.get(name) ?? name), follow }
      if (isTooLong(item.entry)) fault({ entry: item.entry, reason: tooLong })
      else {
        references.retain()
        yield { item, references }
      }
    }
  }
}

const tooLong = 'its path is too long for an archive'

function isTooLong(entry: string): boolean {
  return 3 * entry.length > longestEntry && Buffer.byteLength(entry) > longestEntry
}

/** Returns the next folder to enter. Leaves the levels that have no more subfolders. */
async function nextFolder(levels: Level[], options: WalkOptions): Promise<Folder | undefined> {
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const next = level.left.pop()
    if (next) return folderIn(level, next)
    levels.pop()
    await reopen(levels, level, options).finally(level.references.release)
  }
  return undefined
}

function folderIn({ folder, inside, references, renamed }: Level, name: string): Folder {
  const { item, real, path, depth } = folder
  return {
    item: {
      address: join(inside, name),
      entry: `${item.entry}${renamed.get(name) ?? name}/`,
      follow: 'never',
    },
    real: join(real, name),
    path: childOf(path, name),
    references,
    depth: depth + 1,
  }
}

/** Releases the level that is now more than 16 above the deepest. It is closed when no names in it are needed. */
async function closeFar(levels: Level[]): Promise<void> {
  const far = levels.length > mostOpen + 1 ? levels.at(-1 - mostOpen) : undefined
  if (!far || far.closed || !far.inside.startsWith('/proc/self/fd/')) return
  const { dev, ino } = await stat(far.inside)
  far.closed = { dev, ino }
  far.references.release()
}

/** Opens the level above `below` again if it is closed, through `..`. The rest of a moved folder is left out. */
async function reopen(levels: Level[], below: Level, { fault }: WalkOptions): Promise<void> {
  const above = levels.at(-1)
  if (!above?.closed) return
  const fd = await openSame(join(below.inside, '..'), above.closed)
  if (fd !== undefined) {
    Object.assign(above, { inside: `/proc/self/fd/${fd}`, references: countOf(fd), closed: undefined })
    return
  }
  for (let level = levels.at(-1); level?.closed; level = levels.at(-1)) {
    levels.pop()
    if (level.left.length > 0)
      fault({ entry: level.folder.item.entry, reason: 'it was moved while it was read' })
  }
}

/** Opens a folder if it has the known device and inode. */
async function openSame(address: string, known: { dev: number; ino: number }): Promise<number | undefined> {
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)
  const fd = await openDescriptor(address, flags).catch(() => undefined) // removed or denied meanwhile
  if (fd === undefined) return undefined
  const { dev, ino } = await statDescriptor(fd)
  if (dev === known.dev && ino === known.ino) return fd
  closeLater(fd)
  return undefined
}

const statDescriptor = promisify(fstat)

async function listed(folder: Folder, options: WalkOptions): Promise<Names | undefined> {
  const { item, real, path, depth } = folder
  const { address, entry } = item
  const { bounds, hideDotfiles, forWindows } = options
  try {
    if (depth > deepest) throw new Error(`more than ${deepest} nested folders`)
    if (isTooLong(entry)) throw new Error(tooLong)
    const isHeld = item.follow === 'held'
    return await options.list({ kind: 'list', address, real, path, isHeld, bounds, hideDotfiles, forWindows })
  } catch (error) {
    const reason = faultOf(error)
    if (reason) options.fault({ entry, reason })
    return undefined
  }
}
