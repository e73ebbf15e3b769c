import { closeSync, constants, fstatSync, readSync, type Stats, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Rule } from '#contract/users.ts'
import { errnoOf } from '#src/core/problem.ts'
import { isOwnFile } from '#src/files/jail/open-descriptor.ts'
import { decodeName } from '#src/files/paths/byte-names.ts'
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
} from '#src/files/paths/disk.ts'
import { copiedNames, type SecretsBelow, secretsIn, secretsUnder } from '#src/files/paths/read-folder.ts'
import { childOf, depthOf, maxDepth, parentOf, type UserPath } from '#src/files/paths/user-path.ts'
import { createCopyReservation, type ReserveCopySpace } from '#src/files/space/copy-room.ts'
import { type Address, createDescent, pathIn } from './descent.ts'
import { createTreeRules } from './tree-rules.ts'
import { type Refusal, visitTree } from './visit-tree.ts'

/** A task to copy a whole tree. `from` and `to` are paths for system calls. Links at their end are not followed. */
export interface CopyTask {
  from: string
  /** `fromReal` is the real path on the disk, `fromPath` the path as the user writes it. */
  fromReal: string
  fromPath: UserPath
  /** `to` is a free (temporary) name. `toPath` is the final path of the copy. */
  to: string
  toPath: UserPath
  rules: readonly Rule[]
  /** Real paths that no user may read. The copy leaves them out. */
  secret: readonly string[]
  most: ModeMasks
}

/** Masks of permission bits: a copy keeps only those bits of its original that are in the mask. */
export interface ModeMasks {
  file: number
  dir: number
}

/**
 * Copies a file, a symbolic link (as a link), or a folder to a free name. Leaves out Coffer's own files.
 *
 * @returns the reason of a refusal. A part of the copy may exist then
 * @throws the system's error
 */
export function copyTree(task: CopyTask): Refusal | undefined {
  const { from, to, fromPath, toPath, most } = task
  const takesRoom = createCopyReservation(dirname(to))
  // Everything below the copy is on the same disk as the copy, so names fold there in the same way.
  const rules = { source: createTreeRules(task.rules, from), target: createTreeRules(task.rules, to) }
  if (!rules.source.allows(fromPath)) return { code: 'path.forbidden', path: parentOf(fromPath) }
  if (!rules.target.allows(toPath)) return { code: 'path.forbidden', path: parentOf(toPath) }
  const stats = lstatSync(from)
  const full = { code: 'disk.full', path: toPath } as const
  const limits = { most, takesRoom, full, secret: task.secret }
  if (!stats.isDirectory()) return copyEntry({ from, to, path: fromPath }, stats, limits)
  if (!takesRoom(0)) return limits.full
  mkdirSync(to, 0o700)
  const refused = copyInside(task, { stats, rules, limits })
  if (!refused) applyModeAndTimes(to, stats, most.dir)
  return refused
}

/** A folder that is being copied: `path` is its source, `target` its copy. */
interface Folder {
  path: UserPath
  target: UserPath
  stats: Stats
  secrets: SecretsBelow
}

/** The limits of a copy: permission masks, free disk space, the refusal when the disk is full, and what is left out. */
interface CopyLimits {
  secret: readonly string[]
  most: ModeMasks
  takesRoom: ReserveCopySpace
  full: Refusal
}

interface CopyStart {
  stats: Stats
  rules: Record<'source' | 'target', ReturnType<typeof createTreeRules>>
  limits: CopyLimits
}

function copyInside(task: CopyTask, { stats, rules, limits }: CopyStart): Refusal | undefined {
  const { from, to, fromPath, toPath, most } = task
  const into = createDescent()
  const top: Folder = {
    path: fromPath,
    target: toPath,
    stats,
    secrets: secretsIn(task.fromReal, task.secret),
  }
  const folders: Folder[] = []
  const currentFolder = () => folders.at(-1) ?? top
  try {
    into.down(to)
    return visitTree<Refusal>(from, {
      names: (address) => rules.source.enter(address, copiedNames(address, currentFolder().secrets)),
      visitEntry(name, address) {
        const { path: above, target: over, secrets } = currentFolder()
        const text = decodeName(name)
        const [path, target] = [childOf(above, text), childOf(over, text)]
        if (!rules.source.allows(path)) return { code: 'path.forbidden', path: above }
        if (!rules.target.allows(target)) return { code: 'path.forbidden', path: over }
        if (depthOf(target) > maxDepth) return { code: 'path.deep', path: toPath }
        const stats = lstatSync(address)
        const copy = pathIn(into.address(), name)
        if (!stats.isDirectory()) return copyEntry({ from: address, to: copy, path }, stats, limits)
        if (!limits.takesRoom(0)) return limits.full
        mkdirSync(copy, 0o700)
        into.down(copy)
        folders.push({ path, target, stats, secrets: secretsUnder(secrets, text) })
        return 'inside'
      },
      leaveFolder(name) {
        into.up()
        rules.source.leave()
        const folder = folders.pop()
        if (folder) applyModeAndTimes(pathIn(into.address(), name), folder.stats, most.dir)
      },
    })
  } finally {
    into.close()
  }
}

function applyModeAndTimes(copy: Address, { mode, atime, mtime }: Stats, most: number): void {
  chmodSync(copy, mode & most)
  utimesSync(copy, atime, mtime)
}

function copyEntry(
  { from, to, path }: { from: Address; to: Address; path: UserPath },
  stats: Stats,
  { most, takesRoom, full, secret }: CopyLimits,
): Refusal | undefined {
  if (stats.isSymbolicLink()) {
    if (!takesRoom(0)) return full
    symlinkSync(readlinkSync(from), to)
    return undefined
  }
  if (!stats.isFile()) return { code: 'path.special', path }
  if (isOwnFile(stats, secret)) return undefined
  if (!copyFile(from, to, { most: most.file, hasRoom: takesRoom(stats.size) })) return full
  utimesSync(to, stats.atime, stats.mtime)
  return undefined
}

/** Returns false when the disk has no space for the bytes and cannot share them between both files (reflink). */
function copyFile(
  from: Address,
  to: Address,
  { most, hasRoom }: { most: number; hasRoom: boolean },
): boolean {
  // Opened first with O_NOFOLLOW, so that a link that replaces the file meanwhile is not followed.
  const fd = openSync(from, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const { mode } = fstatSync(fd)
    const source = process.platform === 'linux' ? `/proc/self/fd/${fd}` : from
    // copyFile gives the copy all permission bits of the original from the start. The copy has another owner, so
    // setuid, setgid and world-writable bits must not be set even for a moment. Such files are copied byte by byte.
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

/** Tries to make a copy that shares the bytes of the original (reflink; btrfs and XFS). Returns whether it did. */
function isCloned(from: Address, to: Address): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false
  }
}

// setuid, setgid, sticky, group-writable and world-writable.
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
