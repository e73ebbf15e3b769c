import { lstat, lstatSync, realpath, realpathSync } from './disk.ts'
import { everySpelling, everySpellingNow, fewSpellings, fewSpellingsNow } from './read-folder.ts'

/**
 * What is asked about names: all names of a folder, the first few of them, whether there is something of a name, or where
 * a path leads. The answer is a list: the names; one or nothing; the real path or nothing. What the disk does not answer
 * is nothing: whoever opens the place afterwards is told why.
 */
export type Question = readonly ['names' | 'some' | 'has' | 'real', path: string]

/** A piece of work that asks the disk. The same work waits for promises, or in a thread for plain system calls. */
export type Asking<T> = Generator<Question, T, readonly string[]>

/** How many names are the first few of a folder. */
export const few = 32

/** Does the work without blocking. */
export async function ask<T>(work: Asking<T>): Promise<T> {
  let step = work.next()
  while (!step.done) step = work.next(await answer(step.value).catch(() => []))
  return step.value
}

/** Does the work at once. For threads. */
export function askNow<T>(work: Asking<T>): T {
  let step = work.next()
  while (!step.done) step = work.next(answerNow(step.value))
  return step.value
}

async function answer([kind, path]: Question): Promise<string[]> {
  if (kind === 'names') return everySpelling(path)
  if (kind === 'real') return [await realpath(path)]
  if (kind === 'has') return lstat(path).then(() => [path])
  return fewSpellings(path, few)
}

function answerNow([kind, path]: Question): string[] {
  try {
    if (kind === 'names') return everySpellingNow(path)
    if (kind === 'real') return [realpathSync(path)]
    if (kind === 'has') return lstatSync(path, { throwIfNoEntry: false }) ? [path] : []
    return fewSpellingsNow(path, few)
  } catch {
    return []
  }
}
