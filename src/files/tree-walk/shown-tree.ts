import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { posix } from 'node:path'
import type { ScopedRule } from '#src/core/access/rules.ts'
import { foldPath } from '#src/core/text/fold.ts'
import { runTask } from '#src/files/paths/ask-disk.ts'
import { hasEscapedBytes } from '#src/files/paths/byte-names.ts'
import { lstat, open, readlink } from '#src/files/paths/disk.ts'
import { foldingIn } from '#src/files/paths/folding.ts'
import { isSecret } from '#src/files/paths/path-access.ts'
import { everyEntry } from '#src/files/paths/read-folder.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { childOf, isReserved, isWithin, rootPath, type UserPath } from '#src/files/paths/user-path.ts'

/** A file, or a folder with everything below it. */
export interface ShownPart {
  path: string
  /** The device and inode number that were checked, as `device:inode`. */
  id: string
  isFolder: boolean
  /** Whether the program may write to it. Undefined: as the other parts. */
  isWritable?: boolean
}

/** The part of a user's folder that a command may see, as a list of mounts. */
export interface ShownTree {
  /** Real path of the user's folder. */
  root: string
  /** Whether the whole folder is shown. Then it is the only part, and the command may create files in it. */
  isWhole: boolean
  /** Files and folders that are shown with everything below them, by real path. */
  parts: readonly ShownPart[]
  /** Folders of which only parts are shown. */
  folders: readonly string[]
  links: readonly { path: string; target: string }[]
}

/** What limits the view of a user: rules, hidden dotfiles and closed paths. */
export interface ShownTreeOptions {
  jail: Jail
  rules: readonly ScopedRule[]
  hideDotfiles: boolean
  /** Real paths that are not shown, besides the secret ones of the jail. */
  closed: readonly string[]
}

/** Each part is a mount. The time to mount them grows with the square of their number: 256 take 0.2 s. */
export const maxParts = 256
const mostBytes = 64 * 1024
/** How many entries are read to find hidden ones; `deepest` is the limit on levels. */
export const maxEntriesRead = 20_000
const deepest = 128

const partly = 'Commands cannot run here: rules or your settings hide entries of this folder, and'
export const refusals = {
  parts: `${partly} there are more than ${maxParts} files and folders beside the hidden ones.`,
  read: `${partly} the folder has too many files to find them.`,
  bytes: 'Commands cannot run in a folder whose name is not UTF-8.',
  kernel: 'Commands cannot run in a file system of the kernel.',
}

interface Walk extends ShownTreeOptions {
  mayDiffer(path: UserPath): 'by rule' | 'by dotfile' | false
  /** Entries that may still be read. */
  room: number
}

interface Place {
  /** The path for system calls, through the open descriptor of the folder above. */
  address: string
  real: string
  path: UserPath
  level: number
  /** Whether the disk accepts other spellings of its name. A rule that denies one spelling then denies all. */
  folds: boolean
}

interface Shown extends Pick<ShownTree, 'parts' | 'folders' | 'links'> {
  hasHidden: boolean
}

const nothing: Shown = { parts: [], folders: [], links: [], hasHidden: true }

/**
 * Lists what a command may see of a user's folder. The list names what is shown, not what is hidden. So a file that
 * is created later in a partly shown folder stays hidden too. A folder is shown partly when a rule, a secret path or
 * a hidden dotfile applies to something in it. When a pattern rule denies, every folder is shown partly. Folders stay
 * open while they are read. Each part carries its inode, so that the mount can be checked.
 *
 * @returns `refused`, a sentence for the user, when the list would be too long
 */
export async function listShownTree(given: ShownTreeOptions): Promise<ShownTree | { refused: string }> {
  const { root } = given.jail
  if (hasEscapedBytes(root)) return { refused: refusals.bytes }
  // Closed paths above the folder do not count: a site's folder may be inside a folder of system programs.
  const closed = given.closed.filter((path) => path !== root && isWithin(path, root))
  const looker = { ...given, closed }
  const walk: Walk = { ...looker, mayDiffer: differing(looker), room: maxEntriesRead }
  try {
    const top = { address: root, real: root, path: rootPath, level: 0, folds: false }
    const { parts, folders, links } = await showFolder(walk, top)
    const all = [
      ...parts.map(({ path }) => path),
      ...folders,
      ...links.flatMap((link) => Object.values(link)),
    ]
    const bytes = all.reduce((sum, path) => sum + Buffer.byteLength(path), 0)
    if (parts.length + folders.length + links.length > maxParts || bytes > mostBytes) {
      return { refused: refusals.parts }
    }
    return { root, isWhole: parts[0]?.path === root, parts, folders, links }
  } catch (error) {
    if (error instanceof TooManyEntries) return { refused: refusals.read }
    throw error
  }
}

class TooManyEntries extends Error {}

async function showFolder(walk: Walk, place: Place): Promise<Shown> {
  const { path, real, level, folds } = place
  const isAllowed = walk.jail.allows(path, folds)
  const reason = walk.mayDiffer(path)
  // Only a rule can show something below a hidden folder.
  if (reason !== 'by rule' && !isAllowed) return nothing
  const handle = await openFolder(place.address)
  if (!handle) return nothing
  try {
    const whole = {
      ...nothing,
      parts: [{ path: real, id: await idOf(handle), isFolder: true }],
      hasHidden: false,
    }
    if (!reason) return whole
    if (level > deepest) throw new TooManyEntries()
    const seen = await showEntries(walk, { ...place, address: `/proc/self/fd/${handle.fd}` })
    if (isAllowed && reason === 'by dotfile' && !seen.hasHidden) return whole
    const isEmpty = seen.parts.length + seen.folders.length + seen.links.length === 0
    if (isEmpty && !isAllowed) return nothing
    return { ...seen, folders: [real, ...seen.folders], hasHidden: true }
  } finally {
    await handle.close()
  }
}

async function showEntries(walk: Walk, { address, path, real, level }: Place): Promise<Shown> {
  const entries = await everyEntry(address)
  walk.room -= entries.length
  if (walk.room < 0) throw new TooManyEntries()
  const { any: folds } = await runTask(foldingIn(real))
  const seen = { parts: [] as ShownPart[], folders: [] as string[], links: [] as Link[] }
  let hasHidden = false
  for (const entry of entries) {
    const { name } = entry
    if (isReserved(name)) continue
    // Commands receive file names as text. A name that is not UTF-8 cannot be shown, so the folder is shown partly.
    if (name.includes('\ufffd')) {
      hasHidden = true
      continue
    }
    const at: Place = {
      address: `${address}/${name}`,
      real: posix.join(real, name),
      path: childOf(path, name),
      level: level + 1,
      folds,
    }
    const one = await showEntry(walk, at, entry)
    hasHidden ||= one.hasHidden
    seen.parts.push(...one.parts)
    seen.folders.push(...one.folders)
    seen.links.push(...one.links)
  }
  return { ...seen, hasHidden }
}

type Link = { path: string; target: string }

async function showEntry(
  walk: Walk,
  place: Place,
  entry: { isDirectory(): boolean; isFile(): boolean; isSymbolicLink(): boolean },
): Promise<Shown> {
  const { address, path, real, folds } = place
  if (isSecret({ secret: [...walk.jail.secret, ...walk.closed] }, real, folds)) return nothing
  if (entry.isDirectory()) return showFolder(walk, place)
  if (!walk.jail.allows(path, folds)) return nothing
  const clear = { ...nothing, hasHidden: false }
  try {
    if (entry.isSymbolicLink()) return { ...clear, links: linksOf(real, await readlink(address)) }
    const stats = await lstat(address, { bigint: true })
    // Sockets, pipes and devices are not shown, and do not count as hidden.
    if (!stats.isFile()) return clear
    return { ...clear, parts: [{ path: real, id: `${stats.dev}:${stats.ino}`, isFolder: false }] }
  } catch {
    return clear // it was removed meanwhile
  }
}

function linksOf(path: string, target: string): Link[] {
  return hasEscapedBytes(target) ? [] : [{ path, target }]
}

/** Opens a folder without following a link. Returns undefined when it cannot be read or does not exist. */
async function openFolder(address: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  return open(address, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => undefined)
}

async function idOf(handle: FileHandle): Promise<string> {
  const { dev, ino } = await handle.stat({ bigint: true })
  return `${dev}:${ino}`
}

/**
 * Returns a function that says whether entries below a path may be hidden while the path is shown, or the reverse.
 * Spellings that differ only in case or Unicode form count as equal, as on some disks. At worst, more entries are read.
 */
function differing({ jail, rules, hideDotfiles, closed }: ShownTreeOptions): Walk['mayDiffer'] {
  const denies = rules.some(({ allow }) => !allow)
  const isPattern = denies && rules.some(({ regex, base }) => regex || base !== undefined)
  const plain = denies
    ? rules.map(({ path }) => foldPath(posix.normalize(path).replace(/\/+$/, '') || '/'))
    : []
  const real = [...jail.secret, ...closed].map(foldPath)
  return (path) => {
    const here = foldPath(path)
    const at = foldPath(path === rootPath ? jail.root : posix.join(jail.root, path))
    const isNamed =
      plain.some((rule) => rule !== here && isWithin(rule, here)) ||
      real.some((secret) => secret !== at && isWithin(secret, at))
    if (isPattern || isNamed) return 'by rule'
    return hideDotfiles && 'by dotfile'
  }
}
