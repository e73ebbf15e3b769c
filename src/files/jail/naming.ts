import { Problem } from '#src/core/problem.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { isReserved } from '#src/files/paths/temporary.ts'
import { childOf, isWithin, maxDepth, type UserPath } from '#src/files/paths/user-path.ts'

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
