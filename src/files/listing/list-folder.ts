import type { Coding } from '#src/core/zlib/content-coding.ts'
import { type Columns, type FolderEntries, readEntries } from './folder-entries.ts'
import { orderOf } from './list-order.ts'
import type { ListTask } from './list-task.ts'
import { absentMode, beginStats, type PendingStats, type StatTask, statName } from './stat-names.ts'

/** `items` is the JSON text in UTF-8 of the entries, separated by commas. */
export interface ListResult {
  items: Uint8Array<ArrayBuffer>
  /** If set, `items` is instead the whole answer, or the rest after its start, compressed with this coding. */
  coding?: Coding
  numDirs: number
  numFiles: number
}

/**
 * The first entries of a large folder, sent while the rest is read. The numbers are those of the whole folder. Entries
 * that are removed meanwhile are missing in the rest, but not in the numbers.
 */
export interface ListStart extends ListResult {
  /** The size of the whole answer as it is sent, estimated, in bytes. */
  sizeBytes: number
}

/**
 * Creates a function that writes entries of a listing as JSON texts in UTF-8, separated by commas. It numbers them from
 * one call to the next, and leaves out those that are not listed.
 */
export type CreateWriter = (
  task: ListTask,
  entries: Columns,
) => (order: Uint32Array) => Uint8Array<ArrayBuffer>

/** How a thread that lists a folder reaches the others. */
export interface ListHelp {
  /** Receives a part of the work for another thread, if there is one. */
  share?(task: StatTask): void
  /** Receives the first entries of a large folder. The result then contains only the rest. */
  start?(start: ListStart): void
}

// Fewer entries are read faster than their beginning could be sent.
const minStarted = 2000
// More than any window shows.
const startLength = 200

/**
 * Reads, checks, types and sorts the entries of a folder and writes them as JSON. Synchronous on purpose: in a worker
 * thread, plain system calls are three times faster than a promise for each file. In a large folder sorted by name, the
 * first entries are written before the others are read.
 *
 * @throws the error of the system when the folder cannot be read.
 */
export function listFolder(task: ListTask, createWriter: CreateWriter, help: ListHelp = {}): ListResult {
  const entries = readEntries(task)
  const { names } = entries.columns
  const listing: OpenListing = {
    task,
    entries,
    stats: beginStats(task.address, names, help.share),
    write: createWriter(task, entries.columns),
  }
  const start = names.length >= minStarted ? help.start : undefined
  const isEarly = task.sorting.by === 'name' && entries.hasKinds
  return start && isEarly ? listByKinds(listing, start) : listByStats(listing, start)
}

interface OpenListing {
  task: ListTask
  entries: FolderEntries
  stats: PendingStats
  write: ReturnType<CreateWriter>
}

/** Sorts the names by their kinds, and reads the first entries before the others. */
function listByKinds(
  { task, entries, stats, write }: OpenListing,
  start: (start: ListStart) => void,
): ListResult {
  const filled = new Uint8Array(entries.columns.names.length)
  // The kind of a symbolic link is that of its target.
  for (const at of entries.links) fillNow(task, entries, { at, filled })
  const { order, ...numbers } = sorted(task, entries)
  const first = order.subarray(0, startLength)
  for (const at of first) fillNow(task, entries, { at, filled })
  const items = write(first)
  start({ items, ...numbers, sizeBytes: sizeOf(items, order) })
  fillAll(entries, stats, filled)
  return { items: write(order.subarray(startLength)), ...numbers }
}

/** Reads all entries, then sorts them. */
function listByStats(
  { task, entries, stats, write }: OpenListing,
  start?: (start: ListStart) => void,
): ListResult {
  fillAll(entries, stats)
  const { order, ...numbers } = sorted(task, entries)
  if (!start || order.length < minStarted) return { items: write(order), ...numbers }
  const items = write(order.subarray(0, startLength))
  start({ items, ...numbers, sizeBytes: sizeOf(items, order) })
  return { items: write(order.subarray(startLength)), ...numbers }
}

function sorted({ sorting, language = 'en' }: ListTask, { columns }: FolderEntries) {
  const { order, numDirs } = orderOf(columns, { ...sorting, language })
  return { order, numDirs, numFiles: order.length - numDirs }
}

/** The estimated size of the text of all entries, in bytes. */
function sizeOf(first: Uint8Array, order: Uint32Array): number {
  return Math.ceil(first.length * Math.max(1, order.length / startLength))
}

/** Reads one entry before the others, unless it was read already. */
function fillNow(
  { address }: ListTask,
  { columns, fill }: FolderEntries,
  { at, filled }: { at: number; filled: Uint8Array },
): void {
  if (filled[at]) return
  filled[at] = 1
  fill(at, statName(address, columns.names[at] ?? ''))
}

/** Reads all entries, except those that are already `filled`. */
function fillAll(
  { columns: { names }, fill }: FolderEntries,
  stats: PendingStats,
  filled?: Uint8Array,
): void {
  const { sizes, times, modes } = stats.finish()
  for (let at = 0; at < names.length; at++) {
    if (filled?.[at]) continue
    const [size = 0, mtimeMs = 0, mode = absentMode] = [sizes[at], times[at], modes[at]]
    fill(at, mode === absentMode ? undefined : { size, mtimeMs, mode })
  }
}
