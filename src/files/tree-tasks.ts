import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Rule } from '#contract/users.ts'
import { errnoOf } from '#src/core/errno.ts'
import { compileRules } from '#src/core/rules.ts'
import { type CopyRoom, createCopyRoom } from './copy-room.ts'
import { typeByName } from './media-type.ts'
import { childOf, type UserPath } from './user-path.ts'
import { holdFolder } from './walk-tree.ts'

/** Work on a whole tree, done in a worker. Addresses are names for system calls, whose last part is never followed. */
export type TreeTask =
  | { kind: 'check'; address: string; path: UserPath; rules: readonly Rule[] }
  // `within`: where others may reach the tree meanwhile, rules are asked about each thing right before it is removed.
  | { kind: 'remove'; address: string; within?: { path: UserPath; rules: readonly Rule[] } }
  | {
      kind: 'copy'
      from: string
      fromPath: UserPath
      to: string
      toPath: UserPath
      rules: readonly Rule[]
      most: MostModes
    }

/** The permission bits that a copy may have of those of its original. */
export interface MostModes {
  file: number
  dir: number
}

/** A refusal in a worker, told by its code and path. */
export interface TreeResult {
  refused?: { code: 'path.forbidden' | 'path.special' | 'disk.full'; path: string }
  /** What pictures were when they were removed, the first thousands of them. */
  gone?: readonly FileState[]
}

/** What tells one state of one file from every other. */
export type FileState = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>

const mostGone = 10_000

/** Does one task. @throws the system's error, with `code`. */
export function workOnTree(task: TreeTask): TreeResult {
  if (task.kind === 'remove') {
    const { address, within } = task
    const gone: FileState[] = []
    const refused = remove(address, gone, within && { path: within.path, allows: compileRules(within.rules) })
    return refused ? { refused } : { gone }
  }
  const allows = compileRules(task.rules)
  const refused =
    task.kind === 'check'
      ? check(task.address, task.path, allows)
      : copy(task.from, task.to, {
          from: task.fromPath,
          to: task.toPath,
          allows,
          most: task.most,
          takesRoom: createCopyRoom(dirname(task.to)),
        })
  return refused ? { refused } : {}
}

type Refused = TreeResult['refused']

/** Bytes below the top: names on the disk need not be UTF-8, and as text they might be another file's. */
type Address = string | Buffer

function below(folder: Address, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(folder), Buffer.from('/'), name])
}

/** The first path in the tree that rules deny. */
function check(address: Address, path: UserPath, allows: (path: string) => boolean): Refused {
  if (!allows(path)) return { code: 'path.forbidden', path }
  if (!lstatSync(address).isDirectory()) return undefined
  return inside(address, (name, child) => check(child, childOf(path, name.toString()), allows))
}

function remove(address: Address, gone: FileState[], within: Within | undefined): Refused {
  if (within && !within.allows(within.path)) return { code: 'path.forbidden', path: within.path }
  const stats = lstatSync(address)
  if (!stats.isDirectory()) {
    unlinkSync(address)
    const isPicture = typeByName(address.toString()) === 'image'
    if (isPicture && stats.isFile() && gone.length < mostGone) gone.push(stateOf(stats))
    return undefined
  }
  const refused = inside(address, (name, child) =>
    remove(child, gone, within && { ...within, path: childOf(within.path, name.toString()) }),
  )
  if (!refused) rmdirSync(address)
  return refused
}

interface Within {
  path: UserPath
  allows: (path: string) => boolean
}

function stateOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): FileState {
  return { dev, ino, size, mtimeMs, ctimeMs }
}

interface CopyPaths {
  from: UserPath
  to: UserPath
  allows: (path: string) => boolean
  most: MostModes
  takesRoom: CopyRoom
}

/** Copies a file, a link as a link, or a folder with all in it, to a name that is free. */
function copy(from: Address, to: Address, about: CopyPaths): Refused {
  const { from: path, to: target, allows } = about
  for (const each of [path, target]) if (!allows(each)) return { code: 'path.forbidden', path: each }
  const stats = lstatSync(from)
  const refused = copyEntry(from, to, { ...about, stats })
  if (!refused && !stats.isSymbolicLink()) utimesSync(to, stats.atime, stats.mtime)
  return refused
}

function copyEntry(from: Address, to: Address, { stats, ...about }: CopyPaths & { stats: Stats }): Refused {
  const { from: path, to: target, most, takesRoom } = about
  const full = { code: 'disk.full', path: target } as const
  if (stats.isFile()) {
    const isCopied = copyFile(from, to, { most: most.file, hasRoom: takesRoom(stats.size) })
    return isCopied ? undefined : full
  }
  if (!stats.isDirectory() && !stats.isSymbolicLink()) return { code: 'path.special', path }
  if (!takesRoom(0)) return full
  return stats.isDirectory() ? copyFolder(from, to, { ...about, stats }) : copyLink(from, to)
}

function copyLink(from: Address, to: Address): undefined {
  symlinkSync(readlinkSync(from), to)
}

function copyFolder(from: Address, to: Address, { stats, ...about }: CopyPaths & { stats: Stats }): Refused {
  mkdirSync(to, 0o700)
  const refused = inside(from, (name, child) =>
    copy(child, below(to, name), {
      ...about,
      from: childOf(about.from, name.toString()),
      to: childOf(about.to, name.toString()),
    }),
  )
  if (!refused) chmodSync(to, stats.mode & about.most.dir)
  return refused
}

/** Answers false when there is no room for the bytes, and the disk cannot let both files share them either. */
function copyFile(
  from: Address,
  to: Address,
  { most, hasRoom }: { most: number; hasRoom: boolean },
): boolean {
  // Held first: a link that takes its place meanwhile is not followed.
  const fd = openSync(from, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const { mode } = fstatSync(fd)
    const source = process.platform === 'linux' ? `/proc/self/fd/${fd}` : from
    // The system's call gives the copy every bit of the original from the start: what would run as its owner, who is
    // another one now, or could be written by everybody, must not be there for a moment.
    const isPlain = (mode & openToAll) === 0
    if (!hasRoom) {
      if (!(isPlain && isCloned(source, to))) return false
    } else if (isPlain) copyFileSync(source, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    else copyBytes(fd, to)
    const own = mode & most
    if (own !== (mode & 0o7777)) chmodSync(to, own)
    return true
  } finally {
    closeSync(fd)
  }
}

/** Whether the disk made a copy that shares the bytes of the original, as btrfs and XFS can: that takes no room. */
function isCloned(from: Address, to: Address): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false
  }
}

// setuid, setgid, sticky, and writable by group or others.
const openToAll = 0o7022

function copyBytes(from: number, to: Address): void {
  const target = openSync(to, 'wx', 0o600)
  try {
    const buffer = Buffer.allocUnsafeSlow(256 * 1024)
    for (;;) {
      const length = readSync(from, buffer, 0, buffer.length, null)
      if (length === 0) return
      for (let at = 0; at < length; ) at += writeSync(target, buffer, at, length - at)
    }
  } finally {
    closeSync(target)
  }
}

/** Calls `visit` for each name in a folder that is held meanwhile, until one is refused. */
function inside(address: Address, visit: (name: Buffer, child: Buffer) => Refused): Refused {
  const held = holdFolder(address)
  try {
    for (const name of readdirSync(held.address, 'buffer')) {
      const refused = visit(name, below(held.address, name))
      if (refused) return refused
    }
    return undefined
  } finally {
    if (held.fd >= 0) closeSync(held.fd)
  }
}
