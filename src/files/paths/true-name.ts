import { parse, sep } from 'node:path'
import { foldName } from '#src/core/text/fold.ts'
import { type DiskTask, runTask, runTaskSync } from './ask-disk.ts'
import { cacheFolding, foldingIn, isPlain } from './folding.ts'
import { mountsVersion, rejectUnresponsive } from './remote-mounts.ts'
import type { TruePlace } from './scope.ts'
import { childOf, firstNames, nameOf, parentOf, rootPath, type UserPath } from './user-path.ts'

/** A requested path, each name as its folder spells it. Symbolic links are kept, missing names stay as written. */
export interface Spelled {
  path: UserPath
  folds: boolean
}

/**
 * The entry that a name opens, as its folder lists it. `none`: it does not exist. `unlisted`: something exists, but
 * the folder does not list it by this name: it is a short name (`SECRET~1.TXT`), a stream, or an unknown spelling.
 */
export type EntryMatch = { name: string } | 'none' | 'unlisted'

/** Finds the entry of a folder whose names have several spellings. */
export function* findEntry(folder: string, typed: string): DiskTask<EntryMatch> {
  // Two tries: an entry that was created after the list was read is not unlisted.
  for (let tries = 0; tries < 2; tries++) {
    const names = yield ['names', folder]
    if (names.includes(typed)) return { name: typed }
    // Only the disk knows which spellings it treats as one name.
    if ((yield ['has', `${folder}/${typed}`]).length === 0) return 'none'
    const key = foldName(typed)
    const matches = names.filter((name) => foldName(name) === key)
    const [name] = matches
    if (name !== undefined && matches.length === 1) return { name }
  }
  return 'unlisted'
}

/**
 * The true spelling of the real path of an existing entry; undefined when a folder on the path does not list the
 * name.
 */
function* findTrueName(real: string): DiskTask<TruePlace | undefined> {
  const { root } = parse(real)
  const names = real.slice(root.length).split(sep).filter(Boolean)
  const last = names.pop()
  const folding = yield* foldingIn(root + names.join(sep))
  if (!folding.any || last === undefined) return { real, folds: false }
  if (folding.isAssumed) return { real, folds: true }
  let here = root
  for (const name of [...names, last]) {
    const { own } = yield* foldingIn(here)
    const found = own ? yield* findEntry(here, name) : { name }
    if (typeof found === 'string') return undefined
    here = here === root ? root + found.name : here + sep + found.name
  }
  return { real: here, folds: true }
}

/** The true spelling of a real path, see `TruePlace`; undefined when a folder on the path does not list the name. */
export async function trueName(real: string): Promise<TruePlace | undefined> {
  const end = real.lastIndexOf(sep)
  return isPlain(real.slice(0, end) || sep, real.slice(end + 1))
    ? { real, folds: false }
    : runTask(findTrueName(real))
}

/** Like `trueName`, synchronous. For worker threads. */
export function trueNameSync(real: string): TruePlace | undefined {
  return runTaskSync(findTrueName(real))
}

/**
 * Spells `path` as the disk does, below the real folder `root`.
 *
 * @throws Problem `disk.silent`
 */
export async function spell(root: string, path: UserPath): Promise<Spelled> {
  if (isPlain(at(root, parentOf(path)), nameOf(path))) return { path, folds: false }
  await rejectUnresponsive(at(root, path), path)
  return runTask(spellPath(root, path))
}

function at(root: string, path: UserPath): string {
  if (path === rootPath) return root
  return root === rootPath ? path : root + path
}

function* spellPath(root: string, path: UserPath): DiskTask<Spelled> {
  const folder = at(root, parentOf(path))
  const version = mountsVersion()
  const deepest = yield* deepestReal(root, parentOf(path))
  const folding = yield* foldingIn(deepest.real)
  if (!folding.any) {
    // Cached for this path too, which may lead there through a link.
    if (deepest.isWhole && deepest.real !== folder) cacheFolding(folder, folding, version)
    return { path, folds: false }
  }
  return folding.isAssumed ? { path, folds: true } : yield* spellNames(root, path)
}

/** The real path of the deepest existing folder on the way to `path`. A binary search: O(log depth) queries. */
function* deepestReal(root: string, path: UserPath): DiskTask<{ real: string; isWhole: boolean }> {
  const [whole] = yield ['real', at(root, path)]
  if (whole !== undefined) return { real: whole, isWhole: true }
  let real = root
  let [there, missing] = [0, path.split('/').length - 1]
  while (missing - there > 1) {
    const middle = Math.floor((there + missing) / 2)
    const [found] = yield ['real', at(root, firstNames(path, middle))]
    if (found === undefined) missing = middle
    else [there, real] = [middle, found]
  }
  return { real, isWhole: false }
}

/** Spells the names of a path one by one, as far as they exist. */
function* spellNames(root: string, path: UserPath): DiskTask<Spelled> {
  const rest = path.split('/').slice(1)
  let [here, spelled, folds] = [root, rootPath, false]
  for (let name = rest.shift(); name; name = rest.shift()) {
    const { own } = yield* foldingIn(here)
    folds ||= own
    const found = own ? yield* findEntry(here, name) : { name }
    spelled = childOf(spelled, typeof found === 'string' ? name : found.name)
    const [leadsTo] = yield ['real', at(root, spelled)]
    const next = typeof found === 'string' ? undefined : yield* resolveStep(here, found.name, leadsTo)
    if (next === undefined) break
    here = next
  }
  return { path: [spelled, ...rest].join('/') as UserPath, folds }
}

/**
 * The truly spelled target of the name `name` of a folder. Without a symbolic link, the names above are known to be
 * true. Only after a link are all names checked; otherwise each name of a deep path would check all names above it.
 */
function* resolveStep(here: string, name: string, leadsTo: string | undefined): DiskTask<string | undefined> {
  if (leadsTo === undefined || leadsTo === (here === rootPath ? '' : here) + sep + name) return leadsTo
  return (yield* findTrueName(leadsTo))?.real
}
