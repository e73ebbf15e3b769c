import { join, resolve } from 'node:path'
import { onPath, Problem } from '#src/core/problem.ts'
import { realpath } from '#src/files/paths/disk.ts'
import { accessProblem, isInside, namingPath, pathInJail } from '#src/files/paths/path-access.ts'
import { rejectUnresponsive, unresponsiveWithin } from '#src/files/paths/remote-mounts.ts'
import type { Jail, OpenPath, SafePath, TruePlace } from '#src/files/paths/scope.ts'
import { type Spelled, spell, trueName } from '#src/files/paths/true-name.ts'
import {
  childOf,
  depthOf,
  firstNames,
  hasReserved,
  parentOf,
  rootPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { leadsToMissingTarget } from './dangling.ts'
import { type Deepest, findDeepest } from './deepest-existing.ts'
import { isOwnFile, openDescriptorAt, type Target } from './open-descriptor.ts'

/**
 * Creates a jail for `scope`, a path inside the served folder `served`.
 *
 * @throws Problem `path.unknown` when the scope is missing, `path.outside` when a symbolic link leads out,
 * `disk.silent`.
 */
export async function openJail(
  served: string,
  scope: UserPath,
  rest: Pick<Jail, 'allows' | 'secret'>,
): Promise<Jail> {
  const top = await trueFolder(served, 'your folder')
  if (scope === rootPath) return jailAt(top, rest)
  await rejectUnresponsive(top + scope, 'your folder')
  const root = await trueFolder(await realpath(top + scope).catch(onPath('your folder')), 'your folder')
  if (!isInside(root, top)) throw new Problem('path.outside', { path: 'your folder' })
  return jailAt(root, rest)
}

/** @throws Problem `path.unknown` for a folder that its parent does not list by this name. */
async function trueFolder(real: string, path: string): Promise<string> {
  const place = await trueName(real)
  if (!place) throw new Problem('path.unknown', { path })
  return place.real
}

/** Excludes mount points whose disk does not respond: walks and listings would block there forever. */
async function jailAt(root: string, { allows, secret }: Pick<Jail, 'allows' | 'secret'>): Promise<Jail> {
  const silent = await unresponsiveWithin(root)
  return { allows, secret: silent.length === 0 ? secret : [...secret, ...silent], root: root as SafePath }
}

/**
 * Creates a jail for any folder of the host, chosen by an administrator. A relative path is resolved against the
 * working directory of the program.
 *
 * @throws Problem `path.unknown`, or the error of the system.
 */
export async function openHostFolder(folder: string, rest: Pick<Jail, 'allows' | 'secret'>): Promise<Jail> {
  await rejectUnresponsive(resolve(folder), folder)
  return jailAt(await trueFolder(await realpath(folder).catch(onPath(folder)), folder), rest)
}

/**
 * Opens the entry at `path` and follows symbolic links inside the jail. Checks the rules for the path as written and
 * for the path with links resolved (contract/README.md#resources). The caller closes the result.
 *
 * @param onMissing receives the deepest existing entry on the way to a missing one, open, before the error is thrown. The
 *   caller closes it
 * @throws Problem `path.unknown`, `path.forbidden`, `path.outside`, `path.dangling`, `disk.silent`, or the error of the
 * system.
 */
export async function openPath(jail: Jail, path: UserPath, onMissing = closeFound): Promise<OpenPath> {
  const spelled = await spellAllowed(jail, path)
  return openSpelled(jail, path, { spelled, onMissing }).catch(async (error: unknown) => {
    const isOutside = error instanceof Problem && error.code === 'path.outside'
    // A link that cannot be followed counts as outside. A link inside the jail whose target is missing has its own
    // code.
    const isDangling = isOutside && (await leadsToMissingTarget(jail, spelled.path))
    throw isDangling ? new Problem('path.dangling', { path }, { cause: error }) : error
  })
}

async function openSpelled(
  jail: Jail,
  path: UserPath,
  { spelled, onMissing = closeFound }: { spelled: Spelled; onMissing?: typeof closeFound },
): Promise<OpenPath> {
  if (hasReserved(spelled.path)) throw new Problem('path.unknown', { path })
  return follow(jail, targetAt(jail, path, spelled)).catch(async (error: unknown) => {
    if (!(error instanceof Problem)) await onMissing(await openAllowedAbove(jail, path))
    return onPath(path)(error)
  })
}

async function closeFound({ found }: Deepest<OpenPath>): Promise<void> {
  await found.close()
}

/** Spells a path as the disk does and checks the rules for it. @throws Problem `path.forbidden`, `disk.silent`. */
export async function spellAllowed(jail: Jail, path: UserPath): Promise<Spelled> {
  const spelled = await spell(jail.root, path)
  if (!jail.allows(spelled.path, spelled.folds)) throw new Problem('path.forbidden', { path })
  return spelled
}

/**
 * Opens the folder that contains `path`, to create or change an entry there. Checks the rules only for `path`,
 * because a rule may allow one name in a folder that another rule denies.
 *
 * @throws Problem as `openPath` does for the folder.
 */
export async function openParent(jail: Jail, path: UserPath): Promise<OpenPath> {
  const { path: spelled, folds } = await spellAllowed(jail, path)
  const above = { path: parentOf(spelled), folds }
  return openSpelled({ ...jail, allows: () => true }, parentOf(path), { spelled: above })
}

/**
 * Opens `name` in an open folder and follows symbolic links inside the jail. The cost does not depend on the depth.
 *
 * @throws Problem as `openPath` does, but checks the rules only for the path with links resolved.
 */
export async function openIn(jail: Jail, folder: OpenPath, name: string): Promise<OpenPath> {
  const path = childOf(folder.asked, name)
  const spelled = { path: childOf(folder.spelled, name), folds: folder.folds }
  const target = { path, address: join(folder.address, name), real: join(folder.real, name), spelled }
  return follow(jail, target).catch(onPath(path))
}

/**
 * Opens the deepest existing entry on the way to `path`, or `path` itself. Does not check the rules.
 *
 * @throws Problem `path.outside`, `path.unknown` for Coffer's own files, `disk.silent`.
 */
export async function openDeepest(jail: Jail, path: UserPath): Promise<Deepest<OpenPath>> {
  const open = { ...jail, allows: () => true }
  const { path: spelled, folds } = await spell(jail.root, path)
  const look = (at: UserPath) =>
    follow(open, targetAt(jail, at, { path: firstNames(spelled, depthOf(at)), folds }))
  return findDeepest(path, look).catch(onPath(path))
}

/** A requested entry with its spelling. */
interface SpelledTarget extends Target {
  spelled: Spelled
}

function targetAt(jail: Jail, path: UserPath, spelled: Spelled): SpelledTarget {
  return { path, address: jail.root + spelled.path, real: jail.root + spelled.path, spelled }
}

/** Opens the entry at a target. Does not translate errors of the system. */
async function follow(jail: Jail, target: SpelledTarget): Promise<OpenPath> {
  const { path: asked, spelled } = target
  const { address, stats, real, close: closeNow } = await openDescriptorAt(target)
  try {
    const found = checkAccess(jail, asked, await trueName(real))
    if (isOwnFile(stats, jail.secret)) throw new Problem('path.forbidden', { path: asked })
    // Nothing was written through the descriptor, so closing it never waits for the disk.
    const close = async () => closeNow()
    return {
      real: found.real,
      path: pathInJail(jail, found.real),
      asked,
      spelled: spelled.path,
      folds: spelled.folds || found.folds,
      stats,
      address,
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    closeNow()
    throw error
  }
}

/** Checks that the user may access the place that `path` led to. */
function checkAccess(jail: Jail, path: UserPath, place: TruePlace | undefined) {
  const code = accessProblem(jail, place)
  if (code || !place) throw new Problem(code ?? 'path.unknown', { path })
  return { real: place.real as SafePath, folds: place.folds }
}

/**
 * Opens the deepest existing entry on the way to a missing one. Throws the same error that the missing entry would give if
 * it existed, when it is outside the jail or denied by a rule. Otherwise the error would reveal whether it exists.
 */
async function openAllowedAbove(jail: Jail, path: UserPath): Promise<Deepest<OpenPath>> {
  const deepest = await openDeepest(jail, parentOf(path)).catch(namingPath(path))
  const { found, at } = deepest
  const rest = path.slice(at === rootPath ? 0 : at.length)
  const inside = found.path === rootPath ? rest : found.path + rest
  if (jail.allows(inside as UserPath, found.folds)) return deepest
  await found.close()
  throw new Problem('path.forbidden', { path })
}
