import { basename, dirname, isAbsolute, join, sep } from 'node:path'
import { errnoOf } from '#src/core/problem.ts'
import { lstat, lstatSync, readlink, readlinkSync } from '#src/files/paths/disk.ts'
import { accessProblem, isInside, pathInJail } from '#src/files/paths/path-access.ts'
import { rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'

/** Linux follows at most this many symbolic links on one path (path_resolution(7)). */
const mostLinks = 40

type Reach = Pick<Jail, 'root' | 'secret' | 'allows'>

/**
 * What exists at a place: a symbolic link with its target, another entry, nothing, or something hidden from the user, with
 * the reason.
 */
type Step = { target: string } | 'there' | 'missing' | { hidden: ReturnType<typeof accessProblem> }

/**
 * Whether `path` leads over a symbolic link to a missing target inside the jail. Returns false at the first place that is
 * outside the jail or hidden from the user, so the result never reveals whether such a place exists.
 *
 * @throws Problem `disk.silent`.
 */
export async function leadsToMissingTarget(jail: Jail, path: UserPath): Promise<boolean> {
  const walk = resolution(jail, path)
  let place = walk.next()
  while (!place.done) {
    const known = knownStep(jail, place.value)
    if (!known) await rejectUnresponsive(place.value, path)
    place = walk.next(known ?? (await inspect(place.value)))
  }
  return place.value === 'missing'
}

/**
 * Why a symbolic link leads to no file, for threads: its target is missing, or the link leads outside the scope or to a
 * hidden place, whether or not something exists there. Undefined: for another reason.
 *
 * @param address the path of the link for system calls
 */
export function faultOfLinkSync(
  address: string,
  reach: Reach,
): 'missing' | ReturnType<typeof accessProblem> | undefined {
  const folder = dirname(address)
  const real = folder.startsWith('/proc/self/fd/') ? readlinkSync(folder) : folder
  const walk = resolution(reach, pathInJail(reach, join(real, basename(address))))
  let place = walk.next()
  while (!place.done) place = walk.next(knownStep(reach, place.value) ?? inspectSync(place.value))
  return place.value
}

/** Resolves a path name by name. Yields each place, and receives what exists there. */
function* resolution(
  { root }: Reach,
  path: UserPath,
): Generator<string, 'missing' | ReturnType<typeof accessProblem> | undefined, Step> {
  const names = path.split('/').reverse()
  let at: string = root
  let links = 0
  for (let name = names.pop(); name !== undefined && links <= mostLinks; name = names.pop()) {
    const next = join(at, name)
    const step = yield next
    if (step === 'missing') return links > 0 ? 'missing' : undefined
    if (step === 'there') {
      at = next
      continue
    }
    if ('hidden' in step) return step.hidden
    links++
    at = startOf(step.target, at)
    names.push(...step.target.split(sep).reverse())
  }
  return undefined
}

/** The folder from which the target of a link in `folder` is resolved. */
function startOf(target: string, folder: string): string {
  return isAbsolute(target) ? '/' : folder
}

/** What is known of a place without asking the disk. */
function knownStep(reach: Reach, place: string): Step | undefined {
  // The root and the folders above it exist, and none of them is a symbolic link: the root is a real path.
  if (isInside(reach.root, place)) return 'there'
  const hidden = accessProblem(reach, { real: place, folds: true })
  return hidden && { hidden }
}

async function inspect(place: string): Promise<Step> {
  try {
    return (await lstat(place)).isSymbolicLink() ? { target: await readlink(place) } : 'there'
  } catch (error) {
    return stepOf(error)
  }
}

function inspectSync(place: string): Step {
  try {
    return lstatSync(place).isSymbolicLink() ? { target: readlinkSync(place) } : 'there'
  } catch (error) {
    // The target is below a file.
    return errnoOf(error) === 'ENOTDIR' ? 'missing' : stepOf(error)
  }
}

function stepOf(error: unknown): Step {
  return errnoOf(error) === 'ENOENT' ? 'missing' : { hidden: undefined }
}
