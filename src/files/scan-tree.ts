import { lstatSync } from 'node:fs'
import { modifiedOf } from './entry.ts'
import { type Flow, waitToTell } from './flow.ts'
import { matcher, type Query } from './query.ts'
import type { UserPath } from './user-path.ts'
import { type Found, type Tree, walkTree } from './walk-tree.ts'

/** A walk through a tree that tells what it finds while it goes. */
export interface ScanTask {
  tree: Tree
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
 * to the tree for a search, else `{path, name, size, modified, isDir}` (reference 5, 13.1). When nobody takes them it
 * stops, so that the thread is free for others until somebody does.
 */
export function scanTree({ tree, query, flow, after }: ScanTask, tell: (batch: string[]) => void): Scanned {
  const write = query ? hit(tree, query) : entry
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

function hit(tree: Tree, query: Query): (found: Found) => string | undefined {
  const matches = matcher(query)
  const skip = tree.path === '/' ? 1 : tree.path.length + 1
  return ({ name, path, isDir }) =>
    matches(name, isDir) ? JSON.stringify({ dir: isDir, path: path.slice(skip) }) : undefined
}

function entry({ path, name, address }: Found): string | undefined {
  const stats = lstatSync(address, { throwIfNoEntry: false })
  if (!stats) return undefined // it went away meanwhile
  const modified = modifiedOf(stats)
  return JSON.stringify({ path, name, size: stats.size, modified, isDir: stats.isDirectory() })
}
