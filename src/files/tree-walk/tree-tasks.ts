import { constants, type Stats } from 'node:fs'
import type { Rule } from '#contract/users.ts'
import { spaceOf, typeByName } from '#src/files/listing/entry.ts'
import { decodeName } from '#src/files/paths/byte-names.ts'
import { accessSync, chmodSync, lstatSync, rmdirSync, unlinkSync } from '#src/files/paths/disk.ts'
import {
  copiedNames,
  everyName,
  type SecretsBelow,
  secretsIn,
  secretsUnder,
} from '#src/files/paths/read-folder.ts'
import { childOf, parentOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { type CopyTask, copyTree } from './copy-tree.ts'
import { flushDisk, flushEntry } from './flush-disk.ts'
import { createTreeRules } from './tree-rules.ts'
import { type Refusal, visitTree } from './visit-tree.ts'

/** A task on a whole tree, for a worker. Addresses are paths for system calls. Links at their end are not followed. */
export type TreeTask = CheckTask | RemoveTask | MeasureTask | FlushTask | ({ kind: 'copy' } & CopyTask)

/**
 * Removes a tree. With `within`, checks the rules for each entry right before removing it. This is needed where other
 * requests can reach the tree meanwhile.
 */
interface RemoveTask {
  kind: 'remove'
  address: string
  checkRules?: { path: UserPath; rules: readonly Rule[] }
  /** Gives folders of this process that lack the permissions those that the removal needs. */
  isForced?: boolean
}

/** Adds up the sizes of the files in a tree. */
interface MeasureTask {
  kind: 'measure'
  address: string
}

/** Flushes a tree to the disk. */
interface FlushTask {
  kind: 'flush'
  address: string
  /** Whether the disk belongs to this machine. A flush of a whole remote disk may leave data on its server unflushed. */
  isLocal: boolean
}

/** Checks the rules for every entry of a tree. */
interface CheckTask {
  kind: 'check'
  address: string
  path: UserPath
  rules: readonly Rule[]
  /** Skips Coffer's own files, which a copy leaves out. `secret` holds their real paths, `real` is that of the tree. */
  copied?: { real: string; secret: readonly string[] }
}

/** The result of a task. */
export interface TreeResult {
  refused?: Refusal
  /** The states of removed pictures, at most 10 000. Used to drop their cached thumbnails. */
  gone?: readonly FileState[]
  /** Bytes of a measured tree. */
  bytes?: number
}

/** Identifies one version of one file. */
export type FileState = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>

const mostGone = 10_000
/** How many files with several names are remembered while a tree is measured. */
const mostLinked = 100_000

/** Runs one task. @throws the system's error, with `code`. */
export function runTreeTask(task: TreeTask): TreeResult {
  if (task.kind === 'remove') return remove(task)
  if (task.kind === 'measure') return { bytes: measure(task) }
  if (task.kind === 'flush') return flushTree(task)
  const refused = task.kind === 'check' ? check(task) : copyTree(task)
  return refused ? { refused } : {}
}

function check({ address, path, rules, copied }: CheckTask): Refusal | undefined {
  const treeRules = createTreeRules(rules, address)
  if (!treeRules.allows(path)) return { code: 'path.forbidden', path: parentOf(path) }
  if (!lstatSync(address).isDirectory()) return undefined
  let here = path
  const secrets: SecretsBelow[] = copied ? [secretsIn(copied.real, copied.secret)] : []
  return visitTree<Refusal>(address, {
    names: (folder) =>
      treeRules.enter(folder, copied ? copiedNames(folder, secrets.at(-1) ?? []) : everyName(folder)),
    visitEntry(name, child) {
      const text = decodeName(name)
      const below = childOf(here, text)
      if (!treeRules.allows(below)) return { code: 'path.forbidden', path: here }
      if (!lstatSync(child).isDirectory()) return undefined
      here = below
      secrets.push(secretsUnder(secrets.at(-1) ?? [], text))
      return 'inside'
    },
    leaveFolder() {
      here = parentOf(here)
      secrets.pop()
      treeRules.leave()
    },
  })
}

/** Adds up the sizes in bytes; hard links count once. A folder that cannot be read counts as empty. */
function measure({ address: top }: MeasureTask): number {
  const linked = new Set<string>()
  const sizeOf = (stats: Stats): number => {
    if (stats.nlink > 1) {
      const id = `${stats.dev}:${stats.ino}`
      if (linked.has(id)) return 0
      if (linked.size < mostLinked) linked.add(id)
    }
    return spaceOf(stats)
  }
  const stats = lstatSync(top)
  if (!stats.isDirectory()) return spaceOf(stats)
  let bytes = 0
  visitTree<Refusal>(top, {
    names: everyName,
    visitEntry(_name, address) {
      const found = lstatSync(address)
      if (!found.isDirectory()) bytes += sizeOf(found)
      else if (isReadable(address)) return 'inside'
      return undefined
    },
    leaveFolder() {},
  })
  return bytes
}

function isReadable(address: string | Buffer): boolean {
  try {
    accessSync(address, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function flushTree({ address: top, isLocal }: FlushTask): TreeResult {
  if (isLocal && flushDisk(top)) return {}
  visitTree<Refusal>(top, {
    names: everyName,
    visitEntry(_name, address) {
      const stats = lstatSync(address)
      if (stats.isDirectory()) return 'inside'
      if (stats.isFile()) flushEntry(address)
      return undefined
    },
    leaveFolder: (_name, address) => flushEntry(address),
  })
  flushEntry(top)
  return {}
}

function remove({ address: top, checkRules: within, isForced = false }: RemoveTask): TreeResult {
  const treeRules = createTreeRules(within?.rules ?? [], top)
  let here = within?.path ?? rootPath
  if (!treeRules.allows(here)) return { refused: { code: 'path.forbidden', path: parentOf(here) } }
  const removedPictures: FileState[] = []
  if (removeEntry(top, removedPictures)) return { gone: removedPictures }
  if (isForced) makeRemovable(top)
  const refused = visitTree<Refusal>(top, {
    names: (folder) => treeRules.enter(folder, everyName(folder)),
    visitEntry(name, address) {
      const below = within ? childOf(here, decodeName(name)) : here
      if (!treeRules.allows(below)) return { code: 'path.forbidden', path: here }
      if (removeEntry(address, removedPictures)) return undefined
      if (isForced) makeRemovable(address)
      here = below
      return 'inside'
    },
    leaveFolder(_name, address) {
      if (within) here = parentOf(here)
      treeRules.leave()
      rmdirSync(address)
    },
  })
  if (refused) return { refused }
  rmdirSync(top)
  return { gone: removedPictures }
}

/** Allows this process to remove the entries of a folder. The folder was examined before, and is no link. */
function makeRemovable(address: string | Buffer): void {
  const { mode } = lstatSync(address)
  if ((mode & 0o700) === 0o700) return
  try {
    chmodSync(address, (mode & 0o7777) | 0o700)
  } catch {
    // The folder of another user: the removal fails if it needs the permissions.
  }
}

/** Removes an entry that is not a folder. Returns whether it removed it. */
function removeEntry(address: string | Buffer, gone: FileState[]): boolean {
  const stats = lstatSync(address)
  if (stats.isDirectory()) return false
  unlinkSync(address)
  const isPicture = typeByName(address.toString()) === 'image'
  if (isPicture && stats.isFile() && gone.length < mostGone) gone.push(stateOf(stats))
  return true
}

function stateOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): FileState {
  return { dev, ino, size, mtimeMs, ctimeMs }
}
