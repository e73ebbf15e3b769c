import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { posix } from 'node:path'
import type { PlacedRule } from '#src/core/access/rules.ts'
import { foldPath } from '#src/core/text/fold.ts'
import { ask } from '#src/files/paths/ask-disk.ts'
import { hasSpelledBytes } from '#src/files/paths/byte-names.ts'
import { lstat, open, readlink } from '#src/files/paths/disk.ts'
import { foldingIn } from '#src/files/paths/folding.ts'
import { isSecret } from '#src/files/paths/reach.ts'
import { everyEntry } from '#src/files/paths/read-folder.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { isTemporary } from '#src/files/paths/temporary.ts'
import { childOf, isWithin, rootPath, type UserPath } from '#src/files/paths/user-path.ts'

/** A file, or a folder with all below it. */
export interface ShownPart {
  path: string
  /** The device and inode number that were checked, as `device:inode`. */
  id: string
  isFolder: boolean
}

/** The part of a person's folder that a command may see, as a list of mounts. */
export interface ShownTree {
  /** Real path of the person's folder. */
  root: string
  /** Whether all of the folder is shown: then it is the only part, and new files may be made in it. */
  isWhole: boolean
  /** What is shown with all below it, by real path. */
  parts: readonly ShownPart[]
  /** Folders of which only parts are shown. */
  folders: readonly string[]
  links: readonly { path: string; target: string }[]
}

/** Who looks: rules, and whether dotfiles are hidden. */
export interface Looker {
  jail: Jail
  rules: readonly PlacedRule[]
  hideDotfiles: boolean
  /** Real paths that are not shown, besides the secret ones of the jail. */
  closed: readonly string[]
}

/** Every part is a mount, and the time to make them grows with the square of their number: 256 take 0.2 s. */
export const mostParts = 256
const mostBytes = 64 * 1024
/** Entries that are read to find hidden ones, and how deep. */
export const mostRead = 20_000
const deepest = 128

const partly = 'Commands cannot run here: rules or your settings hide something in this folder, and'
export const refusals = {
  parts: `${partly} a command can be shown ${mostParts} files and folders beside what is hidden, not more.`,
  read: `${partly} it has too many files to look for it.`,
  bytes: 'Commands cannot run in a folder whose name is not UTF-8.',
  kernel: 'Commands cannot run in a folder of the kernel.',
}

interface Walk extends Looker {
  mayDiffer(path: UserPath): 'by rule' | 'by dotfile' | false
  /** Entries that may still be read. */
  room: number
}

interface Place {
  /** The name for system calls, through the held folder above. */
  address: string
  real: string
  path: UserPath
  level: number
  /** Whether its name has other spellings: a rule that denies one of them denies it. */
  folds: boolean
}

interface Seen extends Pick<ShownTree, 'parts' | 'folders' | 'links'> {
  hasHidden: boolean
}

const nothing: Seen = { parts: [], folders: [], links: [], hasHidden: true }

/**
 * Lists what a command may see of a person's folder. It is a list of what is shown, not of what is hidden: a name that is
 * made later in a folder that is shown in part is not in the list, so it stays hidden as well. A folder is shown in part
 * where a rule, a secret path or a hidden dotfile speaks of something in it. Where a pattern denies, every folder is.
 * Folders are held while they are read, and what is shown is told with its inode, so that the mount can be checked.
 *
 * @returns a sentence when the list would be too long
 */
export async function showTree(given: Looker): Promise<ShownTree | { refused: string }> {
  const { root } = given.jail
  if (hasSpelledBytes(root)) return { refused: refusals.bytes }
  // What lies above is no part of the folder: the folder of a site may lie among the programs of the system.
  const closed = given.closed.filter((path) => path !== root && isWithin(path, root))
  const looker = { ...given, closed }
  const walk: Walk = { ...looker, mayDiffer: differing(looker), room: mostRead }
  try {
    const top = { address: root, real: root, path: rootPath, level: 0, folds: false }
    const { parts, folders, links } = await showFolder(walk, top)
    const all = [
      ...parts.map(({ path }) => path),
      ...folders,
      ...links.flatMap((link) => Object.values(link)),
    ]
    const bytes = all.reduce((sum, path) => sum + Buffer.byteLength(path), 0)
    if (parts.length + folders.length + links.length > mostParts || bytes > mostBytes) {
      return { refused: refusals.parts }
    }
    return { root, isWhole: parts[0]?.path === root, parts, folders, links }
  } catch (error) {
    if (error instanceof TooMuch) return { refused: refusals.read }
    throw error
  }
}

class TooMuch extends Error {}

async function showFolder(walk: Walk, place: Place): Promise<Seen> {
  const { path, real, level, folds } = place
  const isAllowed = walk.jail.allows(path, folds)
  const reason = walk.mayDiffer(path)
  // A rule may show again what is below a hidden folder; nothing else does.
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
    if (level > deepest) throw new TooMuch()
    const seen = await showEntries(walk, { ...place, address: `/proc/self/fd/${handle.fd}` })
    if (isAllowed && reason === 'by dotfile' && !seen.hasHidden) return whole
    const isEmpty = seen.parts.length + seen.folders.length + seen.links.length === 0
    if (isEmpty && !isAllowed) return nothing
    return { ...seen, folders: [real, ...seen.folders], hasHidden: true }
  } finally {
    await handle.close()
  }
}

async function showEntries(walk: Walk, { address, path, real, level }: Place): Promise<Seen> {
  const entries = await everyEntry(address)
  walk.room -= entries.length
  if (walk.room < 0) throw new TooMuch()
  const { any: folds } = await ask(foldingIn(real))
  const seen = { parts: [] as ShownPart[], folders: [] as string[], links: [] as Link[] }
  let hasHidden = false
  for (const entry of entries) {
    const { name } = entry
    if (isTemporary(name)) continue
    // A command is given the names of its files as text, which names that are not UTF-8 are not. So the folder has something
    // that is not shown, and is not shown whole.
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
): Promise<Seen> {
  const { address, path, real, folds } = place
  if (isSecret({ secret: [...walk.jail.secret, ...walk.closed] }, real, folds)) return nothing
  if (entry.isDirectory()) return showFolder(walk, place)
  if (!walk.jail.allows(path, folds)) return nothing
  const clear = { ...nothing, hasHidden: false }
  try {
    if (entry.isSymbolicLink()) return { ...clear, links: linksOf(real, await readlink(address)) }
    const stats = await lstat(address, { bigint: true })
    // Sockets, pipes and devices are no part of somebody's files.
    if (!stats.isFile()) return clear
    return { ...clear, parts: [{ path: real, id: `${stats.dev}:${stats.ino}`, isFolder: false }] }
  } catch {
    return clear // it went away meanwhile
  }
}

function linksOf(path: string, target: string): Link[] {
  return hasSpelledBytes(target) ? [] : [{ path, target }]
}

/** Opens a folder and never follows a link; undefined when it cannot be read, or is gone. */
async function openFolder(address: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  return open(address, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => undefined)
}

async function idOf(handle: FileHandle): Promise<string> {
  const { dev, ino } = await handle.stat({ bigint: true })
  return `${dev}:${ino}`
}

/**
 * Whether something below a path may be hidden although the path is shown, or shown although it is hidden. Spellings that
 * differ only in case or form count as one, for there are disks that treat them so: at worst, more is looked at.
 */
function differing({ jail, rules, hideDotfiles, closed }: Looker): Walk['mayDiffer'] {
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
