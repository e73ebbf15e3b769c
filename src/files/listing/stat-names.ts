import type { Stats } from 'node:fs'
import { lstatSync } from '#src/files/paths/disk.ts'

/** What lstat tells of names, a column each; the row of a name is its place among the names. */
export interface StatColumns {
  sizes: Float64Array<ArrayBufferLike>
  /** Times of change, in milliseconds. */
  times: Float64Array<ArrayBufferLike>
  /** Kind and permissions, as stat(2) has them; or `absent`. */
  modes: Uint32Array<ArrayBufferLike>
}

/** The names of one folder whose numbers more than one thread finds out. */
export interface StatTask {
  /** The folder's name for system calls. */
  address: string
  /** Joined with slashes, which no name holds: one text travels to a thread faster than an array. */
  joined: string
  shared: SharedArrayBuffer
}

/** The mode of what has gone away since its name was read. No kind of file is 1. */
export const absent = 1

// For fewer names than this, telling another thread takes longer than asking the system.
const fewestShared = 4000
const namesAtOnce = 256
const headBytes = 8
const rowBytes = 8 + 8 + 4

/**
 * Asks the system about each of `names`, without following links. Of many names, `share` hands a task to whoever calls
 * `helpStat` with it: the threads then take turns, and nobody waits for one that never comes.
 *
 * @throws the system's error for a name that may not be asked about.
 */
export function statNames(
  address: string,
  names: readonly string[],
  share?: (task: StatTask) => void,
): StatColumns {
  const bytes = headBytes + names.length * rowBytes
  const isShared = share !== undefined && names.length >= fewestShared
  const memory = isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)
  if (isShared) share({ address, joined: names.join('/'), shared: memory as SharedArrayBuffer })
  const columns = viewsOf(memory)
  takeTurns(address, names, { columns })
  // What another thread has begun with and not told yet is asked again: that is quicker than waiting for it.
  for (let at = 0; at < names.length; at++) {
    if (Atomics.load(columns.modes, at) === 0)
      tell(columns, at, lstatSync(`${address}/${names[at]}`, noThrow))
  }
  // The other thread may still write; what it has told by now stays as it is.
  return isShared
    ? { sizes: columns.sizes.slice(), times: columns.times.slice(), modes: columns.modes.slice() }
    : columns
}

/** Takes turns with the thread that shared `task`, until all its names are taken or it is told to stop. */
export function helpStat({ address, joined, shared }: StatTask): void {
  try {
    const columns = viewsOf(shared)
    takeTurns(address, joined.split('/'), { columns, isStopped: () => Atomics.load(columns.stop, 0) !== 0 })
  } catch {
    // The other thread meets the same refusal and answers for it.
  }
}

/** Has the thread that helps with `task` stop soon: it is needed elsewhere. */
export function stopHelping({ shared }: StatTask): void {
  Atomics.store(viewsOf(shared).stop, 0, 1)
}

type Shared = StatColumns & { next: Int32Array<ArrayBufferLike>; stop: Int32Array<ArrayBufferLike> }

function viewsOf(memory: ArrayBufferLike): Shared {
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

function takeTurns(
  address: string,
  names: readonly string[],
  { columns, isStopped = () => false }: { columns: Shared; isStopped?: () => boolean },
): void {
  while (!isStopped()) {
    const from = Atomics.add(columns.next, 0, namesAtOnce)
    if (from >= names.length) return
    const to = Math.min(from + namesAtOnce, names.length)
    for (let at = from; at < to; at++) {
      tell(columns, at, lstatSync(`${address}/${names[at]}`, noThrow))
    }
  }
}

function tell({ sizes, times, modes }: StatColumns, at: number, stats: Stats | undefined): void {
  if (stats) {
    sizes[at] = stats.size
    times[at] = stats.mtimeMs
  }
  // Last, and in order: who sees the mode sees the rest.
  Atomics.store(modes, at, stats ? stats.mode : absent)
}
