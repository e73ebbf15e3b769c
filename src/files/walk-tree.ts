import { isUtf8 } from 'node:buffer'
import { closeSync, constants, type Dirent, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Rule } from '#contract/users.ts'
import { compileRules } from '#src/core/rules.ts'
import { isSecret } from './reach.ts'
import { isTemporary } from './temporary.ts'
import { childOf, isWithin, type UserPath } from './user-path.ts'

/** A folder to walk, as plain data, so that it can travel to a worker. */
export interface Tree {
  /** The name for system calls of the held folder, and where it really is. */
  address: string
  real: string
  /** The folder's path as its owner asked for it, and with links resolved; rules are asked about the paths below both. */
  path: UserPath
  inside: UserPath
  secret: readonly string[]
  rules: readonly Rule[]
  hideDotfiles: boolean
}

/** Something below the folder. A link is never followed. */
export interface Found {
  path: UserPath
  name: string
  isDir: boolean
  isFile: boolean
  isLink: boolean
  /** The name for system calls, good until the next step of the walk. */
  address: string
}

interface Level {
  fd: number
  address: string
  path: UserPath
  real: string
  entries: Dirent[]
}

/**
 * Walks everything below a folder that may be seen, depth first, each folder before what is in it. Folders are entered
 * by descriptor on Linux, so that one that is swapped for a link meanwhile is not entered. Synchronous: for workers.
 *
 * @param how.onUnreadable told of folders that cannot be read; they are passed over
 * @param how.after goes on behind this path, where an earlier walk has stopped; what has come or gone meanwhile may be met
 * or not
 */
export function* walkTree(
  tree: Tree,
  how: { onUnreadable?: (path: UserPath) => void; after?: UserPath | undefined } = {},
): Generator<Found> {
  const allows = reachIn(tree)
  const turnOf = resuming(how.after)
  // Below a denied folder something may be allowed again, but only if some rule allows anything.
  const mayReappear = tree.rules.some((rule) => rule.allow)
  const levels: Level[] = []
  const enter = (place: Omit<Level, 'fd' | 'entries'>) => {
    const level = openLevel(place)
    if (level) levels.push(level)
    else how.onUnreadable?.(place.path)
  }
  try {
    // The address of something held is itself a link to it; with a closing dot it is the folder.
    enter({ ...tree, address: `${tree.address}/.` })
    for (let step = nextOf(levels); step; step = nextOf(levels)) {
      const { found, real } = step
      const turn = turnOf(found.path)
      if (isPassedOver(tree, step, turn)) continue
      const isAllowed = allows(found.path)
      if (isAllowed && turn === 'come') yield found
      const isOpen = isAllowed || mayReappear
      if (isOpen && found.isDir) enter({ address: found.address, path: found.path, real })
    }
  } finally {
    for (const level of levels) leave(level)
  }
}

type Turn = 'over' | 'inside' | 'come'

/**
 * For a walk that goes on behind `after`: whether it has met a path and all in it (`over`), has met it and stands in it
 * (`inside`), or has come to it now. From the first of these on, all are.
 */
function resuming(after: UserPath | undefined): (path: UserPath) => Turn {
  let last = after?.split('/')
  return (path) => {
    if (last === undefined || after === undefined) return 'come'
    if (isWithin(after, path)) return 'inside'
    const names = path.split('/')
    const at = names.findIndex((name, level) => name !== last?.[level])
    const met = last[at]
    if (met !== undefined && (names[at] ?? '') < met) return 'over'
    last = undefined
    return 'come'
  }
}

function isPassedOver(tree: Tree, { found, real }: Step, turn: Turn): boolean {
  return turn === 'over' || isHidden(tree, found.name, real)
}

/** Asked for through a link, the folder is elsewhere as well, and rules hold there too. */
function reachIn({ path, inside, rules }: Tree): (path: UserPath) => boolean {
  const allows = compileRules(rules)
  if (path === inside || rules.length === 0) return allows
  const skip = path === '/' ? 1 : path.length + 1
  return (found) => allows(found) && allows(childOf(inside, found.slice(skip)))
}

interface Step {
  found: Found
  real: string
}

/** The next entry of the deepest folder that has one left; folders that have none are left. */
function nextOf(levels: Level[]): Step | undefined {
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const entry = level.entries.pop()
    if (entry) return { found: foundOf(entry, level), real: join(level.real, entry.name) }
    levels.pop()
    leave(level)
  }
  return undefined
}

function leave({ fd }: Level): void {
  if (fd >= 0) closeSync(fd)
}

function isHidden(tree: Tree, name: string, real: string): boolean {
  return (
    isTemporary(name) ||
    (tree.hideDotfiles && name.startsWith('.')) ||
    (tree.secret.length > 0 && isSecret(tree, real))
  )
}

function foundOf(entry: Dirent, level: Level): Found {
  return {
    path: childOf(level.path, entry.name),
    name: entry.name,
    isDir: entry.isDirectory(),
    isFile: entry.isFile(),
    isLink: entry.isSymbolicLink(),
    address: `${level.address}/${entry.name}`,
  }
}

/**
 * Opens a folder for walking, its entries last first, so that they can be taken from the end in byte order; undefined
 * when it cannot be read.
 */
function openLevel(place: Pick<Level, 'address' | 'path' | 'real'>): Level | undefined {
  try {
    const held = holdFolder(place.address)
    try {
      const entries = entriesIn(held.address)
      return { ...place, ...held, entries: entries.sort((a, b) => (a.name < b.name ? 1 : -1)) }
    } catch (error) {
      if (held.fd >= 0) closeSync(held.fd)
      throw error
    }
  } catch {
    return undefined // gone, denied or no folder any more: the caller tells of it
  }
}

/** A name that is no UTF-8 cannot travel, and what it is turned into may be another file's: such names are left out. */
function entriesIn(address: string): Dirent[] {
  const entries = readdirSync(address, { withFileTypes: true })
  if (!entries.some(({ name }) => name.includes('\ufffd'))) return entries
  const whole = new Set(readdirSync(address, 'buffer').filter(isUtf8).map(String))
  return entries.filter(({ name }) => whole.delete(name))
}

/**
 * Opens a folder by descriptor, never through a link, and tells the name that leads through it. `fd` is -1 where the
 * system has no such names.
 *
 * @throws the system's error
 */
export function holdFolder<T extends string | Buffer>(address: T): { fd: number; address: T | string } {
  if (process.platform !== 'linux') return { fd: -1, address }
  const fd = openSync(address, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  return { fd, address: `/proc/self/fd/${fd}` }
}
