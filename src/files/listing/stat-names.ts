import type { Stats } from 'node:fs'
import { inFolder } from '#src/core/threads/working-folder.ts'
import { lstatSync } from '#src/files/paths/disk.ts'

/** The lstat results of names, one column for each property. The row of a name is its index among the names. */
export interface StatColumns {
  sizes: Float64Array<ArrayBufferLike>
  /** Modification times, in milliseconds. */
  times: Float64Array<ArrayBufferLike>
  /** Kind and permissions as in stat(2), or `absent`. */
  modes: Uint32Array<ArrayBufferLike>
}

/** The names of one folder that several threads stat together. */
export interface StatTask {
  /** The path of the folder for system calls. */
  address: string
  /** Joined with slashes, which no name contains: sending one string to a thread is faster than sending an array. */
  joined: string
  shared: SharedArrayBuffer
}

/** The mode of an entry that was removed after its name was read. No kind of file has the mode 1. */
export const absentMode = 1

// Below this number of names, starting another thread takes longer than the system calls.
const minShared = 4000
const batchSize = 256
const headBytes = 8
const rowBytes = 8 + 8 + 4

/** The stats of the names of a folder, which another thread may already be reading. */
export interface PendingStats {
  /** Reads those that are missing. @throws the error of the system for a name that cannot be read. */
  finish(): StatColumns
}

/**
 * Prepares to stat each of `names` without following symbolic links. For many names, `share` receives a task for
 * another thread, which calls `helpWithStats` with it and begins at once. `finish` takes batches in turn with it. If
 * the other thread never starts, this one does all.
 */
export function beginStats(
  address: string,
  names: readonly string[],
  share?: (task: StatTask) => void,
): PendingStats {
  const bytes = headBytes + names.length * rowBytes
  const isShared = share !== undefined && names.length >= minShared
  const memory = isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)
  if (isShared) share({ address, joined: names.join('/'), shared: memory as SharedArrayBuffer })
  const columns = viewsOf(memory)
  return {
    finish() {
      statBatches(address, names, { columns })
      // Names that another thread has taken but not completed are read again here: that is faster than waiting.
      for (let at = 0; at < names.length; at++) {
        if (Atomics.load(columns.modes, at) === 0)
          storeStats(columns, at, lstatSync(`${address}/${names[at]}`, noThrow))
      }
      // Copies the columns, because the other thread may still write to them.
      return isShared
        ? { sizes: columns.sizes.slice(), times: columns.times.slice(), modes: columns.modes.slice() }
        : columns
    },
  }
}

/** The lstat result of one name; undefined if it is gone. @throws the error of the system. */
export function statName(address: string, name: string): Stats | undefined {
  return lstatSync(`${address}/${name}`, noThrow)
}

/** Helps the thread that shared `task`: stats batches of names until none is left or it is stopped. */
export function helpWithStats({ address, joined, shared }: StatTask): void {
  try {
    const columns = viewsOf(shared)
    statBatches(address, joined.split('/'), { columns, isStopped: () => Atomics.load(columns.stop, 0) !== 0 })
  } catch {
    // The other thread gets the same error and reports it.
  }
}

/** Stops the thread that helps with `task`: another listing needs it. */
export function stopHelper({ shared }: StatTask): void {
  Atomics.store(viewsOf(shared).stop, 0, 1)
}

type SharedColumns = StatColumns & { next: Int32Array<ArrayBufferLike>; stop: Int32Array<ArrayBufferLike> }

function viewsOf(memory: ArrayBufferLike): SharedColumns {
  const rows = (memory.byteLength - headBytes) / rowBytes
  return {
    next: new Int32Array(memory, 0, 1),
    stop: new Int32Array(memory, 4, 1),
    sizes: new Float64Array(memory, headBytes, rows),
    times: new Float64Array(memory, headBytes + 8 * rows, rows),
    modes: new Uint32Array(memory, headBytes + 16 * rows, rows),
  }
}

const noThrow = { throwIfNoEntry: false } as const

function statBatches(
  address: string,
  names: readonly string[],
  { columns, isStopped = () => false }: { columns: SharedColumns; isStopped?: () => boolean },
): void {
  inFolder(address, (prefix) => {
    while (!isStopped()) {
      const from = Atomics.add(columns.next, 0, batchSize)
      if (from >= names.length) return
      const to = Math.min(from + batchSize, names.length)
      for (let at = from; at < to; at++) storeStats(columns, at, lstatSync(prefix + names[at], noThrow))
    }
  })
}

function storeStats({ sizes, times, modes }: StatColumns, at: number, stats: Stats | undefined): void {
  if (stats) {
    sizes[at] = stats.size
    times[at] = stats.mtimeMs
  }
  // The mode is stored last: a thread that reads the mode also sees the rest of the row.
  Atomics.store(modes, at, stats ? stats.mode : absentMode)
}
