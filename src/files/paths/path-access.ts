import { join, relative, sep } from 'node:path'
import { Problem } from '#src/core/problem.ts'
import { foldPath } from '#src/core/text/fold.ts'
import type { Jail, TruePlace } from './scope.ts'
import { childOf, hasReserved, isReserved, isWithin, maxDepth, rootPath, type UserPath } from './user-path.ts'

/**
 * The reason why a place must not be read; undefined if it may be read. Every reader of a place calls this, whether
 * it has the place from a path or from a symbolic link. The names in a folder are filtered by `read-folder.ts`.
 *
 * @param place undefined when its folder lists no such name: then it does not exist
 */
export function accessProblem(
  reach: Pick<Jail, 'root' | 'secret' | 'allows'>,
  place: TruePlace | undefined,
): 'path.outside' | 'path.unknown' | 'path.forbidden' | undefined {
  if (!place) return 'path.unknown'
  const { real, folds } = place
  if (!isInside(real, reach.root)) return 'path.outside'
  const inside = pathInJail(reach, real)
  if (isSecret(reach, real, folds) || hasReserved(inside)) return 'path.unknown'
  return reach.allows(inside, folds) ? undefined : 'path.forbidden'
}

/**
 * The path inside the jail of an entry that was at `real` and is deleted. Undefined: it was not in the jail, or the rules
 * deny it. They are checked in every spelling, because the entry is on no disk any more that could tell which ones are
 * the same.
 */
export function pathOfDeleted(reach: Pick<Jail, 'root' | 'allows'>, real: string): UserPath | undefined {
  if (!isInside(real, reach.root)) return undefined
  const inside = pathInJail(reach, real)
  return inside !== rootPath && reach.allows(inside, true) ? inside : undefined
}

/** Whether the real path `real` is inaccessible to every user of Coffer; with `folds`, in any spelling. */
export function isSecret(jail: Pick<Jail, 'secret'>, real: string, folds = false): boolean {
  if (jail.secret.some((secret) => isInside(real, secret))) return true
  return folds && jail.secret.some((secret) => isInside(foldPath(real), foldPath(secret)))
}

/** Converts a real path to a path inside the jail. */
export function pathInJail(jail: Pick<Jail, 'root'>, real: string): UserPath {
  if (sep === '/' && isWithin(real, jail.root)) {
    const root: string = jail.root
    return (root === '/' ? real : real.slice(root.length) || rootPath) as UserPath
  }
  const inside = relative(jail.root, real)
  return `/${sep === '/' ? inside : inside.split(sep).join('/')}` as UserPath
}

/** The path of a real path relative to the served folder `root`, as records contain it. Starts with a slash. */
export function servedPath(root: string, real: string): string {
  return real.slice(root === '/' ? 0 : root.length) || '/'
}

/** The real path of a path without symbolic links. For records only: system calls need an open path. */
export function realForRecord(jail: Pick<Jail, 'root'>, path: string): string {
  return join(jail.root, path)
}

/** Whether the real path `real` is `folder` or is below it. */
export function isInside(real: string, folder: string): boolean {
  return sep === '/'
    ? isWithin(real, folder)
    : real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

// An error names the path that the user wrote, or what the user can see below it. It never names paths that a rule
// hides, targets of symbolic links, or Coffer's own files.

/** For `.catch`: changes the path in a Problem to `path`, the one that the user wrote. Rethrows other errors. */
export function namingPath(path: UserPath): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Problem) || error.details.path === undefined) throw error
    throw new Problem(error.code, { ...error.details, path }, { cause: error })
  }
}

/**
 * The path that an error about an entry on the disk may name: the deepest path on the way to it that the user may see,
 * beginning with the requested path. It has at most 255 names below that.
 *
 * @param opened the requested path: as written, and with symbolic links resolved
 * @param found the entry that was found, with symbolic links resolved
 */
export function visiblePath(
  jail: Pick<Jail, 'allows'>,
  { asked, path }: { asked: UserPath; path: UserPath },
  found: UserPath,
): UserPath {
  if (!isWithin(found, path)) return asked
  let seen = { asked, path }
  const below = found.slice(path.length).split('/').filter(Boolean)
  for (const name of below.slice(0, maxDepth)) {
    const next = { asked: childOf(seen.asked, name), path: childOf(seen.path, name) }
    // Rules are checked in any spelling: naming less does no harm.
    if (isReserved(name) || !jail.allows(next.asked, true) || !jail.allows(next.path, true)) break
    seen = next
  }
  return seen.asked
}
