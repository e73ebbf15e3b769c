import type { Dirent } from 'node:fs'
import type { Rule } from '#contract/users.ts'
import { type Allows, compileRules } from '#src/core/access/rules.ts'
import { fewCount } from '#src/files/paths/ask-disk.ts'
import { foldingMatters, foldsHere, foldsSync } from '#src/files/paths/folding.ts'
import { type SecretsBelow, secretsIn, secretsUnder, shownEntries } from '#src/files/paths/read-folder.ts'
import { childOf, type UserPath } from '#src/files/paths/user-path.ts'
import { createDescent } from '#src/files/tree-walk/descent.ts'

/** A folder to walk, as plain data, so that it can be sent to a worker. */
export interface WalkRoot {
  /** Address of the open folder for system calls. */
  address: string
  /** Real path of the folder. */
  real: string
  /** The folder's path as requested. Rules are checked for the paths below both `path` and `inside`. */
  path: UserPath
  /** The folder's path with symbolic links resolved. */
  resolvedPath: UserPath
  secret: readonly string[]
  rules: readonly Rule[]
  hideDotfiles: boolean
}

/** An entry below the folder. Symbolic links are never followed. */
export interface WalkEntry {
  path: UserPath
  name: string
  isDir: boolean
  isFile: boolean
  isLink: boolean
  /** Address for system calls, valid until the next step of the walk. */
  address: string
}

/** A folder on the current path of the walk, and its remaining entries. */
interface Level {
  /** Length of its path in UTF-16 units. */
  length: number
  /** In reverse order, so that `pop` returns them in order. */
  entries: Dirent[]
  secrets: SecretsBelow
  /** Whether the disk ignores case or Unicode form here; false if that does not matter. */
  folds: boolean
  /** In a resumed walk: the last visited name in this folder; undefined as soon as the walk has passed it. */
  resumeAfter: string | undefined
}

/**
 * Walks all visible entries below a folder, depth first, each folder before its entries. On Linux, folders are entered
 * by file descriptor, so that a folder that is replaced by a symbolic link meanwhile is not entered. Synchronous: for
 * workers.
 *
 * @param how.onUnreadable called for folders that cannot be read; they are skipped
 * @param how.after resumes after this path, where an earlier walk has stopped; entries that were created or deleted
 *   meanwhile may be visited or not
 */
export function* walkTree(
  tree: WalkRoot,
  how: { onUnreadable?: (path: UserPath) => void; after?: UserPath | undefined } = {},
): Generator<WalkEntry> {
  const allows = allowsIn(tree)
  // Entries below a denied folder may be allowed again, but only if there is an allowing rule.
  const mayReappear = tree.rules.some((rule) => rule.allow)
  const cursor = createCursor(tree, how)
  try {
    for (let step = cursor.next(); step; step = cursor.next()) {
      const { found, wasVisited, folds } = step
      const isAllowed = allows(found.path, folds)
      if (isAllowed && !wasVisited) yield found
      if (found.isDir && (isAllowed || mayReappear)) cursor.enter(step)
    }
  } finally {
    cursor.close()
  }
}

/** If the folder was requested through a symbolic link, rules apply to its resolved path too. */
function allowsIn({ path, resolvedPath: inside, rules }: WalkRoot): Allows {
  const allows = compileRules(rules)
  if (path === inside || rules.length === 0) return allows
  const skip = path === '/' ? 1 : path.length + 1
  return (found, folds) => allows(found, folds) && allows(childOf(inside, found.slice(skip)), folds)
}

/** A visited entry. */
interface Step {
  found: WalkEntry
  /** Whether an earlier walk has visited it already. That walk may have stopped inside it. */
  wasVisited: boolean
  secrets: SecretsBelow
  folds: boolean
}

/** The position of a walk: the entered folders with their remaining entries. Keeps few folders open at any depth. */
function createCursor(
  tree: WalkRoot,
  { onUnreadable, after }: { onUnreadable?: (path: UserPath) => void; after?: UserPath | undefined },
) {
  const { hideDotfiles } = tree
  const resumeNames =
    after === undefined ? [] : namesOf(after.slice(tree.path === '/' ? 0 : tree.path.length))
  const foldsIn = foldingOf(tree)
  const descent = createDescent()
  const levels: Level[] = []
  // One string for all levels: a string for each level would take megabytes in a deep tree.
  let path = tree.path

  function open(place: { address: string; path: UserPath }, secrets: SecretsBelow, isResumed: boolean): void {
    try {
      descent.down(place.address)
    } catch {
      onUnreadable?.(place.path) // deleted, denied or no longer a folder
      return
    }
    try {
      // Rules are checked later, because entries below a denied folder may be allowed.
      const entries = shownEntries(`${descent.address()}`, { secrets, hideDotfiles, allows: () => true })
      entries.sort((a, b) => (a.name < b.name ? 1 : -1))
      levels.push({
        length: place.path.length,
        entries,
        secrets,
        folds: foldsIn(`${descent.address()}`, { entries, above: levels.at(-1)?.folds }),
        resumeAfter: isResumed ? resumeNames[levels.length] : undefined,
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
      onUnreadable?.(path) // the parent was moved: the walk continues in the nearest ancestor that is open
      levels.length = descent.depth()
    }
    path = path.slice(0, levels.at(-1)?.length) as UserPath
  }

  function take(level: Level, entry: Dirent): Step | undefined {
    const { name } = entry
    const { resumeAfter, secrets, folds } = level
    if (resumeAfter !== undefined && name < resumeAfter) return undefined
    const wasVisited = name === resumeAfter
    if (!wasVisited) level.resumeAfter = undefined
    const found: WalkEntry = {
      path: childOf(path, name),
      name,
      isDir: entry.isDirectory(),
      isFile: entry.isFile(),
      isLink: entry.isSymbolicLink(),
      address: `${descent.address()}/${name}`,
    }
    return { found, wasVisited, secrets, folds }
  }

  // The address of an open folder is a symbolic link to it; with `/.` it is the folder itself.
  open({ address: `${tree.address}/.`, path }, secretsIn(tree.real, tree.secret), true)
  return {
    /** The next entry of the deepest folder with remaining entries; undefined at the end of the walk. */
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
    /** Enters the folder that was visited last. */
    enter: ({ found, wasVisited, secrets }: Step) =>
      open(found, secretsUnder(secrets, found.name), wasVisited),
    close: () => descent.close(),
  }
}

/** Creates a check whether the disk ignores case or Unicode form in a folder; false if that does not matter. */
function foldingOf({ rules, real }: WalkRoot) {
  const mayFold = foldingMatters(rules)
  const atTop = mayFold && foldsSync(real)
  return (address: string, { entries, above = atTop }: { entries: Dirent[]; above: boolean | undefined }) =>
    above ||
    (mayFold &&
      foldsHere(
        address,
        entries.slice(-fewCount).map(({ name }) => name),
      ))
}

function namesOf(path: string): string[] {
  return path.split('/').filter(Boolean)
}
