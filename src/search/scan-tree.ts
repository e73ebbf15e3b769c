import type { Stats } from 'node:fs'
import { compileRules, hiding } from '#src/core/access/rules.ts'
import { type Reach, targetOf } from '#src/files/jail/link-target.ts'
import { modifiedOf } from '#src/files/listing/entry.ts'
import { lstatSync } from '#src/files/paths/disk.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { type Flow, waitToTell } from './flow.ts'
import { matcher, type Query } from './query.ts'
import { type Found, type Tree, walkTree } from './walk-tree.ts'

/** A walk through a tree that tells what it finds while it goes. */
export interface ScanTask {
  tree: Tree
  /** Real path of the scope: links are told as what they lead to inside it (contract/compatibility.md#listings-and-files), but not followed. */
  root: SafePath
  flow: Flow
  /** What to look for; undefined tells everything, with sizes and times. */
  query: Query | undefined
  /** Goes on behind this one of the tree, which was the last; undefined begins. */
  after: UserPath | undefined
}

/** How far a walk came. */
export interface Scanned {
  /** Where to go on, since nobody took what it found; undefined: all was told. */
  stoppedAt?: UserPath
}

// The first hit is told at once; then many travel together, but none waits long.
const mostTogether = 500
const longestWaitMs = 25

/**
 * Walks a tree and tells what it finds as JSON objects, one text each, in batches: `{dir, path}` with the path relative
 * to the tree for a search, else `{path, name, size, modified, isDir}` (contract/compatibility.md#search-terms, contract/compatibility.md#previews-and-details). When nobody takes them it
 * stops, so that the thread is free for others until somebody does.
 */
export function scanTree(
  { tree, root, query, flow, after }: ScanTask,
  tell: (batch: string[]) => void,
): Scanned {
  const { secret, rules, hideDotfiles } = tree
  const statsOf = lookingIn({ root, secret, allows: hiding(compileRules(rules), hideDotfiles) })
  const write = query ? hit(tree, query, statsOf) : entry(statsOf)
  let batch: string[] = []
  let last = 0
  const flush = () => {
    if (batch.length === 0) return true
    tell(batch)
    batch = []
    const isTaken = waitToTell(flow)
    last = performance.now()
    return isTaken
  }
  for (const found of walkTree(tree, { after })) {
    const text = write(found)
    if (text === undefined) continue
    batch.push(text)
    const isTime = batch.length >= mostTogether || performance.now() - last > longestWaitMs
    if (isTime && !flush()) return { stoppedAt: found.path }
  }
  flush()
  return {}
}

/** What is told of an entry; of a link what it leads to, if that may be told. Undefined: it went away meanwhile. */
type StatsOf = (found: Pick<Found, 'address' | 'isLink'>) => Stats | undefined

function lookingIn(reach: Reach): StatsOf {
  return ({ address, isLink }) => {
    const target = isLink ? targetOf(address, reach) : 'itself'
    return typeof target === 'string' ? lstatSync(address, { throwIfNoEntry: false }) : target
  }
}

function hit(tree: Tree, query: Query, statsOf: StatsOf): (found: Found) => string | undefined {
  const matches = matcher(query)
  const skip = tree.path === '/' ? 1 : tree.path.length + 1
  return (found) => {
    const { name, path } = found
    if (!matches(name, found.isDir)) return undefined
    // Where a link leads is looked up only when its name is one that is looked for. A link to what nobody may know of is
    // not told.
    const stats = found.isLink ? statsOf(found) : undefined
    if (found.isLink && !stats) return undefined
    const dir = stats?.isDirectory() ?? found.isDir
    return matches(name, dir) ? JSON.stringify({ dir, path: path.slice(skip) }) : undefined
  }
}

function entry(statsOf: StatsOf): (found: Found) => string | undefined {
  return (found) => {
    const stats = statsOf(found)
    if (!stats) return undefined // it went away meanwhile
    const { path, name } = found
    const modified = modifiedOf(stats)
    return JSON.stringify({ path, name, size: stats.size, modified, isDir: stats.isDirectory() })
  }
}
