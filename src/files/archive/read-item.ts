import { closeSync, fstatSync, readSync, type Stats } from 'node:fs'
import { isOwnFile } from '#src/files/jail/open-descriptor.ts'
import { lstatSync, statSync } from '#src/files/paths/disk.ts'
import { type CompiledBounds, type EntryHeader, type Item, isFolder } from './formats/entry.ts'
import { hiddenError, openItem } from './open-item.ts'
import { createReadAhead } from './read-ahead.ts'

// Opening the items of an archive, and reading the small files among them.

/** Files up to this size are read and packed by a thread, many in one task. Larger files are streamed. */
export const smallBytes = 64 * 1024

const scratch = Buffer.allocUnsafeSlow(smallBytes + 1)
const readAhead = createReadAhead()

/** A folder, or a small file that was read. */
export interface Read {
  facts: EntryHeader
  /** The content, in memory that the next read reuses. */
  content: Buffer
}

/** A large file that is open. */
export interface OpenLarge {
  fd: number
  facts: EntryHeader
}

/** An item after it was opened. A folder has no descriptor. */
export interface Opened<T extends Item = Item> {
  item: T
  stats?: Stats
  fd?: number
  /** Why it could not be opened. */
  error?: unknown
}

/** Opens items in order, until `most` of them are large. Requests the content of the small ones from a slow disk. */
export function openAll<T extends Item>(
  items: readonly T[],
  most: number,
  bounds: CompiledBounds,
): Opened<T>[] {
  const opened: Opened<T>[] = []
  let large = 0
  for (const item of items) {
    if (large === most) break
    const each = openOne(item, bounds)
    if (isLarge(each)) large++
    opened.push(each)
  }
  readAhead.request(descriptorsOfSmall(opened))
  return opened
}

function* descriptorsOfSmall(opened: readonly Opened[]): Generator<number> {
  for (const each of opened) if (each.fd !== undefined && !isLarge(each)) yield each.fd
}

function openOne<T extends Item>(item: T, bounds: CompiledBounds): Opened<T> {
  let fd: number | undefined
  try {
    if (isFolder(item.entry)) return { item, stats: statFolder(item) }
    fd = openItem(item, bounds)
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Error('neither a file nor a folder')
    if (isOwnFile(stats, bounds.secret)) throw hiddenError
    return { item, stats, fd }
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    return { item, error }
  }
}

function isLarge({ fd, stats }: Opened): boolean {
  return fd !== undefined && stats !== undefined && stats.size > smallBytes
}

/** Reads a small file and closes it. A large one stays open. */
export function readItem({ item, stats, fd, error }: Opened): Read | OpenLarge {
  if (!stats) throw error
  if (fd === undefined) {
    return { facts: factsOf(item, stats, 0), content: scratch.subarray(0, 0) }
  }
  let isReturned = false
  try {
    const got = stats.size > smallBytes ? stats.size : readAhead.measure(() => readWhole(fd, stats.size))
    const facts = factsOf(item, stats, got)
    if (got <= smallBytes) return { facts, content: scratch.subarray(0, got) }
    isReturned = true
    return { fd, facts }
  } finally {
    if (!isReturned) closeSync(fd)
  }
}

function statFolder(item: Item): Stats {
  const stats = item.follow === 'held' ? statSync(item.address) : lstatSync(item.address)
  if (!stats.isDirectory()) throw new Error('it is no longer a folder')
  return stats
}

function factsOf({ entry }: Item, { mtimeMs, mode }: Stats, size: number): EntryHeader {
  return { entry, size, mtimeMs, mode: mode & 0o777 }
}

/** Reads up to the known size, as `readThrough` does. A file that announces no bytes may have some, as those of `/proc`. */
function readWhole(fd: number, size: number): number {
  const most = size || scratch.length
  let got = 0
  while (got < most) {
    const bytesRead = readSync(fd, scratch, got, most - got, got)
    if (bytesRead === 0) break
    got += bytesRead
  }
  return got
}
