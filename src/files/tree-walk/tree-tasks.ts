import type { Stats } from 'node:fs'
import type { Rule } from '#contract/users.ts'
import { typeByName } from '#src/files/listing/media-type.ts'
import { textOf } from '#src/files/paths/byte-names.ts'
import { lstatSync, rmdirSync, unlinkSync } from '#src/files/paths/disk.ts'
import {
  copiedNames,
  everyName,
  type SecretsBelow,
  secretsIn,
  secretsUnder,
} from '#src/files/paths/read-folder.ts'
import { childOf, parentOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { type CopyTask, copyTree } from './copy-tree.ts'
import { createTreeRules } from './tree-rules.ts'
import type { Refused } from './visit-tree.ts'
import { visitTree } from './visit-tree.ts'

/** Work on a whole tree, done in a worker. Addresses are names for system calls, whose last part is never followed. */
export type TreeTask = CheckTask | RemoveTask | ({ kind: 'copy' } & CopyTask)

/**
 * Removes a tree. `within`: where others may reach the tree meanwhile, rules are asked about each thing right before it
 * is removed.
 */
interface RemoveTask {
  kind: 'remove'
  address: string
  within?: { path: UserPath; rules: readonly Rule[] }
}

/** Asks rules about everything in a tree. */
interface CheckTask {
  kind: 'check'
  address: string
  path: UserPath
  rules: readonly Rule[]
  /** What a copy would leave out is not asked about: Coffer's own, by real paths; `real` is the tree's. */
  copied?: { real: string; secret: readonly string[] }
}

/** What came of a task. */
export interface TreeResult {
  refused?: Refused
  /** What pictures were when they were removed, the first thousands of them. */
  gone?: readonly FileState[]
}

/** What tells one state of one file from every other. */
export type FileState = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>

const mostGone = 10_000

/** Does one task. @throws the system's error, with `code`. */
export function workOnTree(task: TreeTask): TreeResult {
  if (task.kind === 'remove') return remove(task)
  const refused = task.kind === 'check' ? check(task) : copyTree(task)
  return refused ? { refused } : {}
}

function check({ address, path, rules, copied }: CheckTask): Refused | undefined {
  const asked = createTreeRules(rules, address)
  if (!asked.allows(path)) return { code: 'path.forbidden', path: parentOf(path) }
  if (!lstatSync(address).isDirectory()) return undefined
  let here = path
  const secrets: SecretsBelow[] = copied ? [secretsIn(copied.real, copied.secret)] : []
  return visitTree<Refused>(address, {
    names: (folder) =>
      asked.enter(folder, copied ? copiedNames(folder, secrets.at(-1) ?? []) : everyName(folder)),
    meet(name, child) {
      const text = textOf(name)
      const below = childOf(here, text)
      if (!asked.allows(below)) return { code: 'path.forbidden', path: here }
      if (!lstatSync(child).isDirectory()) return undefined
      here = below
      secrets.push(secretsUnder(secrets.at(-1) ?? [], text))
      return 'inside'
    },
    left() {
      here = parentOf(here)
      secrets.pop()
      asked.leave()
    },
  })
}

function remove({ address: top, within }: RemoveTask): TreeResult {
  const asked = createTreeRules(within?.rules ?? [], top)
  let here = within?.path ?? rootPath
  if (!asked.allows(here)) return { refused: { code: 'path.forbidden', path: parentOf(here) } }
  const gone: FileState[] = []
  if (removeEntry(top, gone)) return { gone }
  const refused = visitTree<Refused>(top, {
    names: (folder) => asked.enter(folder, everyName(folder)),
    meet(name, address) {
      const below = within ? childOf(here, textOf(name)) : here
      if (!asked.allows(below)) return { code: 'path.forbidden', path: here }
      if (removeEntry(address, gone)) return undefined
      here = below
      return 'inside'
    },
    left(_name, address) {
      if (within) here = parentOf(here)
      asked.leave()
      rmdirSync(address)
    },
  })
  if (refused) return { refused }
  rmdirSync(top)
  return { gone }
}

/** Removes what is no folder. Answers whether it did. */
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
