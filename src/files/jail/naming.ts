import { Problem } from '#src/core/problem.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { isTemporary } from '#src/files/paths/temporary.ts'
import { childOf, isWithin, mostDeep, type UserPath } from '#src/files/paths/user-path.ts'

// A refusal names the path that its person wrote, or what they can see below it. What a rule hides, where a link leads and
// what Coffer keeps for itself has no place in it.

/** For `.catch`: makes a refusal name `path`, which its person wrote. Lets everything else through. */
export function named(path: UserPath): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Problem) || error.details.path === undefined) throw error
    throw new Problem(error.code, { ...error.details, path }, { cause: error })
  }
}

/**
 * What a refusal may name that is about something found on the disk: the deepest place on the way to it that its person
 * may see, beginning with what they asked for. It is at most 255 names deep.
 *
 * @param place what was asked for: as written, and with links resolved
 * @param found what was found there, with links resolved
 */
export function nameable(
  jail: Pick<Jail, 'allows'>,
  { asked, path }: { asked: UserPath; path: UserPath },
  found: UserPath,
): UserPath {
  if (!isWithin(found, path)) return asked
  let seen = { asked, path }
  const below = found.slice(path.length).split('/').filter(Boolean)
  for (const name of below.slice(0, mostDeep)) {
    const next = { asked: childOf(seen.asked, name), path: childOf(seen.path, name) }
    // In any spelling, for it costs nothing to name less.
    if (isTemporary(name) || !jail.allows(next.asked, true) || !jail.allows(next.path, true)) break
    seen = next
  }
  return seen.asked
}
