import { lstat, lstatSync, realpath, realpathSync } from './disk.ts'
import { everySpelling, everySpellingSync, fewSpellings, fewSpellingsSync } from './read-folder.ts'

/**
 * A question to the disk about names. `names`: all names of a folder. `some`: its first few names. `has`: whether an
 * entry exists. `real`: the real path. The reply is a list: the names; the path or nothing; the real path or nothing.
 * An error of the disk gives an empty list: the later call that opens the path reports the error.
 */
export type DiskQuery = readonly ['names' | 'some' | 'has' | 'real', path: string]

/** A task that queries the disk, either with promises or, in a worker thread, with synchronous system calls. */
export type DiskTask<T> = Generator<DiskQuery, T, readonly string[]>

/** The number of names that `some` returns. */
export const fewCount = 32

/** Runs the task without blocking. */
export async function runTask<T>(work: DiskTask<T>): Promise<T> {
  let step = work.next()
  while (!step.done) step = work.next(await query(step.value).catch(() => []))
  return step.value
}

/** Runs the task synchronously, for worker threads. */
export function runTaskSync<T>(work: DiskTask<T>): T {
  let step = work.next()
  while (!step.done) step = work.next(querySync(step.value))
  return step.value
}

async function query([kind, path]: DiskQuery): Promise<string[]> {
  if (kind === 'names') return everySpelling(path)
  if (kind === 'real') return [await realpath(path)]
  if (kind === 'has') return lstat(path).then(() => [path])
  return fewSpellings(path, fewCount)
}

function querySync([kind, path]: DiskQuery): string[] {
  try {
    if (kind === 'names') return everySpellingSync(path)
    if (kind === 'real') return [realpathSync(path)]
    if (kind === 'has') return lstatSync(path, { throwIfNoEntry: false }) ? [path] : []
    return fewSpellingsSync(path, fewCount)
  } catch {
    return []
  }
}
