import type { Dirent } from 'node:fs'
import type { Rule } from '#contract/users.ts'
import { type Allows, compileRules } from '#src/core/access/rules.ts'
import { few } from '#src/files/paths/ask-disk.ts'
import { foldingMatters, foldsHere, foldsNow } from '#src/files/paths/folding.ts'
import { type SecretsBelow, secretsIn, secretsUnder, shownEntries } from '#src/files/paths/read-folder.ts'
import { childOf, type UserPath } from '#src/files/paths/user-path.ts'
import { createDescent } from '#src/files/tree-walk/descent.ts'

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

/** A folder on the way, and what is left to meet in it. */
interface Level {
  /** How long the text of its path is. */
  length: number
  /** Last first, so that they can be taken from the end in byte order. */
  entries: Dirent[]
  secrets: SecretsBelow
  /** Whether names in it have several spellings, as far as that matters. */
  folds: boolean
  /** For a walk that goes on: the name in this folder that the earlier walk has met last; undefined when it is behind. */
  last: string | undefined
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
  // Below a denied folder something may be allowed again, but only if some rule allows anything.
  const mayReappear = tree.rules.some((rule) => rule.allow)
  const way = createWay(tree, how)
  try {
    for (let step = way.next(); step; step = way.next()) {
      const { found, hasBeenMet, folds } = step
      const isAllowed = allows(found.path, folds)
      if (isAllowed && !hasBeenMet) yield found
      if (found.isDir && (isAllowed || mayReappear)) way.enter(step)
    }
  } finally {
    way.close()
  }
}

/** Asked for through a link, the folder is elsewhere as well, and rules hold there too. */
function reachIn({ path, inside, rules }: Tree): Allows {
  const allows = compileRules(rules)
  if (path === inside || rules.length === 0) return allows
  const skip = path === '/' ? 1 : path.length + 1
  return (found, folds) => allows(found, folds) && allows(childOf(inside, found.slice(skip)), folds)
}

/** An entry that is met. */
interface Step {
  found: Found
  /** An earlier walk has met it already, and may have stopped inside. */
  hasBeenMet: boolean
  secrets: SecretsBelow
  folds: boolean
}

/** Where a walk is: the folders that it has gone into, each with what is left in it. However deep, few are held open. */
function createWay(
  tree: Tree,
  { onUnreadable, after }: { onUnreadable?: (path: UserPath) => void; after?: UserPath | undefined },
) {
  const { hideDotfiles } = tree
  const behind = after === undefined ? [] : namesOf(after.slice(tree.path === '/' ? 0 : tree.path.length))
  const foldsIn = foldingOf(tree)
  const descent = createDescent()
  const levels: Level[] = []
  // One text for all levels: each with its own would take megabytes in a deep tree.
  let path = tree.path

  function open(place: { address: string; path: UserPath }, secrets: SecretsBelow, isBehind: boolean): void {
    try {
      descent.down(place.address)
    } catch {
      onUnreadable?.(place.path) // gone, denied or no folder any more
      return
    }
    try {
      // Rules are asked later: below what they deny, something may be allowed.
      const entries = shownEntries(`${descent.address()}`, { secrets, hideDotfiles, allows: () => true })
      entries.sort((a, b) => (a.name < b.name ? 1 : -1))
      levels.push({
        length: place.path.length,
        entries,
        secrets,
        folds: foldsIn(`${descent.address()}`, { entries, above: levels.at(-1)?.folds }),
        last: isBehind ? behind[levels.length] : undefined,
      })
      path = place.path
    } catch {
      leave()
      onUnreadable?.(place.path)
    }
  }

  function leave(): void {
    try {
      descent.up()
    } catch {
      onUnreadable?.(path) // what is above was moved away: the walk goes on as near to it as it can
      levels.length = descent.depth()
    }
    path = path.slice(0, levels.at(-1)?.length) as UserPath
  }

  function take(level: Level, entry: Dirent): Step | undefined {
    const { name } = entry
    const { last, secrets, folds } = level
    if (last !== undefined && name < last) return undefined
    const hasBeenMet = name === last
    if (!hasBeenMet) level.last = undefined
    const found: Found = {
      path: childOf(path, name),
      name,
      isDir: entry.isDirectory(),
      isFile: entry.isFile(),
      isLink: entry.isSymbolicLink(),
      address: `${descent.address()}/${name}`,
    }
    return { found, hasBeenMet, secrets, folds }
  }

  // The address of something held is itself a link to it; with a closing dot it is the folder.
  open({ address: `${tree.address}/.`, path }, secretsIn(tree.real, tree.secret), true)
  return {
    /** The next entry of the deepest folder that has one left; undefined when all was met. */
    next(): Step | undefined {
      for (let level = levels.at(-1); level; level = levels.at(-1)) {
        const entry = level.entries.pop()
        const step = entry && take(level, entry)
        if (step) return step
        if (entry) continue
        levels.pop()
        leave()
      }
      return undefined
    },
    /** Goes into the folder that was met last. */
    enter: ({ found, hasBeenMet, secrets }: Step) =>
      open(found, secretsUnder(secrets, found.name), hasBeenMet),
    close: () => descent.close(),
  }
}

/** Answers whether names in a folder of the tree have several spellings; false where that does not matter. */
function foldingOf({ rules, real }: Tree) {
  const mayFold = foldingMatters(rules)
  const atTop = mayFold && foldsNow(real)
  return (address: string, { entries, above = atTop }: { entries: Dirent[]; above: boolean | undefined }) =>
    above ||
    (mayFold &&
      foldsHere(
        address,
        entries.slice(-few).map(({ name }) => name),
      ))
}

function namesOf(path: string): string[] {
  return path.split('/').filter(Boolean)
}
