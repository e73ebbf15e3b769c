import { join, resolve } from 'node:path'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { realpath } from '#src/files/paths/disk.ts'
import { barring, isInside, virtual } from '#src/files/paths/reach.ts'
import { refuseSilent, silentWithin } from '#src/files/paths/remote-mounts.ts'
import type { Jail, OpenPath, SafePath, TruePlace } from '#src/files/paths/scope.ts'
import { hasTemporary } from '#src/files/paths/temporary.ts'
import { type Spelled, spell, trueName } from '#src/files/paths/true-name.ts'
import {
  childOf,
  depthOf,
  firstNames,
  parentOf,
  rootPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { leadsNowhere } from './dangling.ts'
import { type Deepest, findDeepest } from './deepest.ts'
import { mark, type Place } from './mark.ts'
import { named } from './naming.ts'

/**
 * Makes a jail of `scope`, a path inside the served folder `served`.
 *
 * @throws Problem `path.unknown` when the scope is missing, `path.outside` when a link takes it out, `disk.silent`.
 */
export async function openJail(
  served: string,
  scope: UserPath,
  rest: Pick<Jail, 'allows' | 'secret'>,
): Promise<Jail> {
  const top = await trueFolder(served, 'your folder')
  if (scope === rootPath) return jailAt(top, rest)
  await refuseSilent(top + scope, 'your folder')
  const root = await trueFolder(await realpath(top + scope).catch(onPath('your folder')), 'your folder')
  if (!isInside(root, top)) throw new Problem('path.outside', { path: 'your folder' })
  return jailAt(root, rest)
}

/** @throws Problem `path.unknown` for a folder that the disk lists under no such name. */
async function trueFolder(real: string, path: string): Promise<string> {
  const place = await trueName(real)
  if (!place) throw new Problem('path.unknown', { path })
  return place.real
}

/** What lies on a disk that does not answer is left out: whoever walks or lists would wait for it for ever. */
async function jailAt(root: string, { allows, secret }: Pick<Jail, 'allows' | 'secret'>): Promise<Jail> {
  const silent = await silentWithin(root)
  return { allows, secret: silent.length === 0 ? secret : [...secret, ...silent], root: root as SafePath }
}

/**
 * Makes a jail of a folder of the host that an administrator named, wherever it lies; a relative one counts from where
 * the program was started.
 *
 * @throws Problem `path.unknown`, or what the system says.
 */
export async function openHostFolder(folder: string, rest: Pick<Jail, 'allows' | 'secret'>): Promise<Jail> {
  await refuseSilent(resolve(folder), folder)
  return jailAt(await trueFolder(await realpath(folder).catch(onPath(folder)), folder), rest)
}

/**
 * Holds what is at `path`, links followed inside the jail. Rules are asked about the path as written and about where it
 * leads (contract/README.md#resources). The caller closes it.
 *
 * @throws Problem `path.unknown`, `path.forbidden`, `path.outside`, `path.dangling`, `disk.silent`, or what the system says.
 */
export async function openPath(jail: Jail, path: UserPath): Promise<OpenPath> {
  const spelled = await spellAllowed(jail, path)
  return holdSpelled(jail, path, spelled).catch(async (error: unknown) => {
    const isOutside = error instanceof Problem && error.code === 'path.outside'
    // Whatever cannot be followed counts as outside; a link inside the jail whose target is gone has its own refusal.
    const isDangling = isOutside && (await leadsNowhere(jail, spelled.path))
    throw isDangling ? new Problem('path.dangling', { path }, { cause: error }) : error
  })
}

async function holdSpelled(jail: Jail, path: UserPath, spelled: Spelled): Promise<OpenPath> {
  if (hasTemporary(spelled.path)) throw new Problem('path.unknown', { path })
  return follow(jail, placeAt(jail, path, spelled)).catch(async (error: unknown) => {
    if (!(error instanceof Problem)) await refuseAsAbove(jail, path)
    return onPath(path)(error)
  })
}

/** Spells a path as the disk does and asks rules about it. @throws Problem `path.forbidden`, `disk.silent`. */
export async function spellAllowed(jail: Jail, path: UserPath): Promise<Spelled> {
  const spelled = await spell(jail.root, path)
  if (!jail.allows(spelled.path, spelled.folds)) throw new Problem('path.forbidden', { path })
  return spelled
}

/**
 * Holds the folder above `path`, for what is to be made or changed there. Rules are asked about `path`, and about
 * nothing else: a rule may allow one name in a folder that another denies.
 *
 * @throws Problem as `openPath` does for the folder.
 */
export async function openParent(jail: Jail, path: UserPath): Promise<OpenPath> {
  const { path: spelled, folds } = await spellAllowed(jail, path)
  const above = { path: parentOf(spelled), folds }
  return holdSpelled({ ...jail, allows: () => true }, parentOf(path), above)
}

/**
 * Holds `name` in a folder that is held, links followed inside the jail. It costs the same however deep the folder is.
 *
 * @throws Problem as `openPath` does, but rules are asked only about where the name leads.
 */
export async function openIn(jail: Jail, folder: OpenPath, name: string): Promise<OpenPath> {
  const path = childOf(folder.asked, name)
  const spelled = { path: childOf(folder.spelled, name), folds: folder.folds }
  const place = { path, address: join(folder.address, name), real: join(folder.real, name), spelled }
  return follow(jail, place).catch(onPath(path))
}

/**
 * Holds the deepest thing that is there on the way to `path`, or `path` itself. Rules are not asked.
 *
 * @throws Problem `path.outside`, `path.unknown` for what is Coffer's own, `disk.silent`.
 */
export async function openDeepest(jail: Jail, path: UserPath): Promise<Deepest<OpenPath>> {
  const open = { ...jail, allows: () => true }
  const { path: spelled, folds } = await spell(jail.root, path)
  const look = (at: UserPath) =>
    follow(open, placeAt(jail, at, { path: firstNames(spelled, depthOf(at)), folds }))
  return findDeepest(path, look).catch(onPath(path))
}

/** Where somebody asks to be led. */
interface Asked extends Place {
  spelled: Spelled
}

function placeAt(jail: Jail, path: UserPath, spelled: Spelled): Asked {
  return { path, address: jail.root + spelled.path, real: jail.root + spelled.path, spelled }
}

/** Holds what is at a place; a failed call comes as the system's own error. */
async function follow(jail: Jail, place: Asked): Promise<OpenPath> {
  const { path: asked, spelled } = place
  const { address, stats, real, unmark } = await mark(place)
  try {
    const found = confirm(jail, asked, await trueName(real))
    // A descriptor that only marks a place has nothing to flush (open(2), O_PATH), so closing it waits for no disk.
    const close = async () => unmark()
    return {
      real: found.real,
      path: virtual(jail, found.real),
      asked,
      spelled: spelled.path,
      folds: spelled.folds || found.folds,
      stats,
      address,
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    unmark()
    throw error
  }
}

/** Proves that the place that `path` led to may be reached. */
function confirm(jail: Jail, path: UserPath, place: TruePlace | undefined) {
  const code = barring(jail, place)
  if (code || !place) throw new Problem(code ?? 'path.unknown', { path })
  return { real: place.real as SafePath, folds: place.folds }
}

/**
 * What is missing behind a link that leaves the jail, or behind one to what a rule denies, is refused as what is there
 * would be: otherwise the answer would tell which of the two it is.
 */
async function refuseAsAbove(jail: Jail, path: UserPath): Promise<void> {
  const { found, at } = await openDeepest(jail, parentOf(path)).catch(named(path))
  await found.close()
  const rest = path.slice(at === rootPath ? 0 : at.length)
  const inside = found.path === rootPath ? rest : found.path + rest
  if (!jail.allows(inside as UserPath, found.folds)) throw new Problem('path.forbidden', { path })
}
