import { isAbsolute, join, sep } from 'node:path'
import { errnoOf } from '#src/core/errno.ts'
import { lstat, readlink } from '#src/files/paths/disk.ts'
import { barring, isInside } from '#src/files/paths/reach.ts'
import { refuseSilent } from '#src/files/paths/remote-mounts.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'

/** Linux follows at most this many links on one way (path_resolution(7)). */
const mostLinks = 40

/**
 * Whether the way to `path` leads over a link to a place in the jail where nothing is. It is walked name by name, and the
 * walk ends with false at the first place that lies outside the jail or that this person may not know of, so the answer
 * never tells what is or is not there.
 *
 * @throws Problem `disk.silent`.
 */
export async function leadsNowhere(jail: Jail, path: UserPath): Promise<boolean> {
  const names = path.split('/').reverse()
  let at: string = jail.root
  let links = 0
  for (let name = names.pop(); name !== undefined && links <= mostLinks; name = names.pop()) {
    const next = join(at, name)
    const step = await lookAt(jail, next, path)
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

/** What is at a place: a link with its target, something else, nothing, or what this person may not know of. */
async function lookAt(
  jail: Jail,
  place: string,
  path: UserPath,
): Promise<{ target: string } | 'there' | 'missing' | 'hidden'> {
  // The root and the folders above it are there, and none of them is a link: the root is a real path.
  if (isInside(jail.root, place)) return 'there'
  if (barring(jail, { real: place, folds: true })) return 'hidden'
  await refuseSilent(place, path)
  try {
    return (await lstat(place)).isSymbolicLink() ? { target: await readlink(place) } : 'there'
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? 'missing' : 'hidden'
  }
}
