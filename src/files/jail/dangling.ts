import { isAbsolute, join, sep } from 'node:path'
import { errnoOf } from '#src/core/errno.ts'
import { lstat, readlink } from '#src/files/paths/disk.ts'
import { accessProblem, isInside } from '#src/files/paths/reach.ts'
import { rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'

/** Linux follows at most this many symbolic links on one path (path_resolution(7)). */
const mostLinks = 40

/**
 * Whether `path` leads over a symbolic link to a missing target inside the jail. Resolves the path name by name.
 * Returns false at the first place that is outside the jail or hidden from the user, so the result never reveals
 * whether such a place exists.
 *
 * @throws Problem `disk.silent`.
 */
export async function leadsToMissingTarget(jail: Jail, path: UserPath): Promise<boolean> {
  const names = path.split('/').reverse()
  let at: string = jail.root
  let links = 0
  for (let name = names.pop(); name !== undefined && links <= mostLinks; name = names.pop()) {
    const next = join(at, name)
    const step = await inspect(jail, next, path)
    if (step === 'missing') return links > 0
    if (step === 'hidden') return false
    if (step === 'there') at = next
    else {
      links++
      if (isAbsolute(step.target)) at = '/'
      names.push(...step.target.split(sep).reverse())
    }
  }
  return false
}

/**
 * What exists at a place: a symbolic link with its target, another entry, nothing, or something hidden from the user.
 */
async function inspect(
  jail: Jail,
  place: string,
  path: UserPath,
): Promise<{ target: string } | 'there' | 'missing' | 'hidden'> {
  // The root and the folders above it exist, and none of them is a symbolic link: the root is a real path.
  if (isInside(jail.root, place)) return 'there'
  if (accessProblem(jail, { real: place, folds: true })) return 'hidden'
  await rejectUnresponsive(place, path)
  try {
    return (await lstat(place)).isSymbolicLink() ? { target: await readlink(place) } : 'there'
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? 'missing' : 'hidden'
  }
}
