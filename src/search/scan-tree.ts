import type { Stats } from 'node:fs'
import { compileRules, withoutDotfiles } from '#src/core/access/rules.ts'
import { type Reach, targetOf } from '#src/files/jail/link-target.ts'
import { modifiedOf } from '#src/files/listing/entry.ts'
import { lstatSync } from '#src/files/paths/disk.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { type FlowControl, waitForReader } from './flow.ts'
import { createMatcher, type Query } from './query.ts'
import { type WalkEntry, type WalkRoot, walkTree } from './walk-tree.ts'

/** A task that walks a tree and sends the entries that it finds. */
export interface ScanTask {
  tree: WalkRoot
  /**
   * Real path of the scope. A symbolic link is reported with the data of its target in the scope
   * (contract/compatibility.md#listings-and-files), but not followed.
   */
  root: SafePath
  flow: FlowControl
  /** The search query; undefined: lists all entries with sizes and times. */
  query: Query | undefined
  /** Resumes after this entry, the last one of the previous walk; undefined: starts at the beginning. */
  after: UserPath | undefined
}

/** The result of a walk. */
export interface ScanResult {
  /** The entry after which to resume, because the reader was too slow; undefined: the walk is complete. */
  stoppedAt?: UserPath
}

// The first hit is sent at once. Later hits are sent in batches, with a small delay.
const mostPerBatch = 500
const longestDelayMs = 25

/**
 * Walks a tree and sends the found entries in batches of JSON texts, one object each. A search sends `{dir, path}` with
 * the path relative to the tree (contract/compatibility.md#search-terms). A listing sends
 * `{path, name, size, modified, isDir}` (contract/compatibility.md#previews-and-details). Stops when the reader is too
 * slow, so that other tasks can use the thread.
 */
export function scanTree(
  { tree, root, query, flow, after }: ScanTask,
  send: (batch: string[]) => void,
): ScanResult {
  const { secret, rules, hideDotfiles } = tree
  const statsOf = statsReader({ root, secret, allows: withoutDotfiles(compileRules(rules), hideDotfiles) })
  const write = query ? searchWriter(tree, query, statsOf) : listingWriter(statsOf)
  let batch: string[] = []
  let lastSent = 0
  const flush = () => {
    if (batch.length === 0) return true
    send(batch)
    batch = []
    const isReceived = waitForReader(flow)
    lastSent = performance.now()
    return isReceived
  }
  for (const found of walkTree(tree, { after })) {
    const text = write(found)
    if (text === undefined) continue
    batch.push(text)
    const isTime = batch.length >= mostPerBatch || performance.now() - lastSent > longestDelayMs
    if (isTime && !flush()) return { stoppedAt: found.path }
  }
  flush()
  return {}
}

/** Reads the stats of an entry or of a link's target. Undefined: the entry was deleted or the target is not allowed. */
type StatsOf = (found: Pick<WalkEntry, 'address' | 'isLink'>) => Stats | undefined

function statsReader(reach: Reach): StatsOf {
  return ({ address, isLink }) => {
    const target = isLink ? targetOf(address, reach) : 'itself'
    return typeof target === 'string' ? lstatSync(address, { throwIfNoEntry: false }) : target
  }
}

function searchWriter(
  tree: WalkRoot,
  query: Query,
  statsOf: StatsOf,
): (found: WalkEntry) => string | undefined {
  const matches = createMatcher(query)
  const skip = tree.path === '/' ? 1 : tree.path.length + 1
  return (found) => {
    const { name, path } = found
    if (!matches(name, found.isDir)) return undefined
    // The target of a link is read only if the link's name matches. A link to a hidden target is not reported.
    const stats = found.isLink ? statsOf(found) : undefined
    if (found.isLink && !stats) return undefined
    const dir = stats?.isDirectory() ?? found.isDir
    return matches(name, dir) ? JSON.stringify({ dir, path: path.slice(skip) }) : undefined
  }
}

function listingWriter(statsOf: StatsOf): (found: WalkEntry) => string | undefined {
  return (found) => {
    const stats = statsOf(found)
    if (!stats) return undefined // deleted meanwhile, or a link to a hidden target
    const { path, name } = found
    const modified = modifiedOf(stats)
    return JSON.stringify({ path, name, size: stats.size, modified, isDir: stats.isDirectory() })
  }
}
