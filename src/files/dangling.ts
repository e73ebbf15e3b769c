import { lstat, readlink } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import { errnoOf } from '#src/core/errno.ts'
import type { Jail } from './jail.ts'
import { barring, isInside } from './reach.ts'
import type { UserPath } from './user-path.ts'

/** Linux follows at most this many links on one way (path_resolution(7)). */
const mostLinks = 40

/**
 * Whether the way to `path` leads over a link to a place in the jail where nothing is. It is walked name by name, and the
 * walk ends with false at the first place that lies outside the jail or that this person may not know of, so the answer
 * never tells what is or is not there.
 */
export async function leadsNowhere(jail: Jail, path: UserPath): Promise<boolean> {
  const names = path.split('/').reverse()
  let at: string = jail.root
  let links = 0
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const next = join(at, name)
    // The folders above the jail are there, and none of them is a link: the root is a real path.
    if (isInside(jail.root, next)) {
      at = next
      continue
    }
    if (barring(jail, { real: next, folds: true })) return false
    const step = await lookAt(next)
    if (step === 'missing') return links > 0
    if (step === 'unknown') return false
    if (step === 'there') {
      at = next
      continue
    }
    links++
    if (links > mostLinks) return false
    if (isAbsolute(step.target)) at = '/'
    names.push(...step.target.split(sep).reverse())
  }
  return false
}

/** What is at a real path: a link with its target, something else, nothing, or what the disk does not tell. */
async function lookAt(real: string): Promise<{ target: string } | 'there' | 'missing' | 'unknown'> {
  try {
    return (await lstat(real)).isSymbolicLink() ? { target: await readlink(real) } : 'there'
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? 'missing' : 'unknown'
  }
}
