import type { Stats } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { type Deepest, findDeepest } from './deepest.ts'
import { mark, type Place } from './mark.ts'
import { refuseSilent, silentWithin } from './mounts.ts'
import { named } from './naming.ts'
import { barring, isInside, isSecret, virtual } from './reach.ts'
import { hasTemporary, isTemporary } from './temporary.ts'
import { childOf, parentOf, rootPath, type UserPath } from './user-path.ts'

declare const checked: unique symbol

/** An absolute path on the disk that was proven to lie in a jail. Only this file makes one. */
export type SafePath = string & { readonly [checked]: true }

/** What one person may reach: a folder, less what rules deny and what belongs to Coffer itself. */
export interface Jail {
  /** Absolute path of the scope, links resolved. */
  readonly root: SafePath
  /** Whether rules let this person reach `path`. */
  allows(path: UserPath): boolean
  /** Real paths that are never reachable, with all below them: the state, its folder, keys, logs, disks that are silent. */
  readonly secret: readonly string[]
}

/** Something on the disk that is held open, so that nobody can put another thing in its place. */
export interface Held extends AsyncDisposable {
  /** Where it really is. */
  readonly real: SafePath
  /** The same place as the jail's owner would write it, links resolved. For rules; a refusal names `asked`. */
  readonly path: UserPath
  /** The path as it was asked for: the only one that a refusal may name. */
  readonly asked: UserPath
  readonly stats: Stats
  /**
   * The name to hand to system calls. On Linux it leads through the held descriptor, so a folder that is swapped for a
   * link meanwhile swaps nothing for us. Other systems have no such name: there it is the real path, and between the
   * check and the call a race remains for those who can write to the served folder by other means.
   */
  readonly address: string
  close(): Promise<void>
}

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
  if (scope === rootPath) return jailAt(served, rest)
  await refuseSilent(served + scope, 'your folder')
  const root = await realpath(served + scope).catch(onPath('your folder'))
  if (!isInside(root, served)) throw new Problem('path.outside', { path: 'your folder' })
  return jailAt(root, rest)
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
  return jailAt(await realpath(folder).catch(onPath(folder)), rest)
}

/**
 * Holds what is at `path`, links followed inside the jail. Rules are asked about the path as written and about where it
 * leads (contract W5). The caller closes it.
 *
 * @throws Problem `path.unknown`, `path.forbidden`, `path.outside`, `disk.silent`, or what the system says.
 */
export async function hold(jail: Jail, path: UserPath): Promise<Held> {
  if (!jail.allows(path)) throw new Problem('path.forbidden', { path })
  if (hasTemporary(path)) throw new Problem('path.unknown', { path })
  return follow(jail, placeAt(jail, path)).catch(async (error: unknown) => {
    if (!(error instanceof Problem)) await refuseAsAbove(jail, path)
    return onPath(path)(error)
  })
}

/**
 * Holds the folder above `path`, for what is to be made or changed there. Rules are asked about `path`, and about
 * nothing else: a rule may allow one name in a folder that another denies.
 *
 * @throws Problem as `hold` does for the folder.
 */
export async function holdParent(jail: Jail, path: UserPath): Promise<Held> {
  if (!jail.allows(path)) throw new Problem('path.forbidden', { path })
  return hold({ ...jail, allows: () => true }, parentOf(path))
}

/**
 * Holds `name` in a folder that is held, links followed inside the jail. It costs the same however deep the folder is.
 *
 * @throws Problem as `hold` does, but rules are asked only about where the name leads.
 */
export async function holdIn(jail: Jail, folder: Held, name: string): Promise<Held> {
  const path = childOf(folder.asked, name)
  const place = { path, address: join(folder.address, name), real: join(folder.real, name) }
  return follow(jail, place).catch(onPath(path))
}

/**
 * Holds the deepest thing that is there on the way to `path`, or `path` itself. Rules are not asked.
 *
 * @throws Problem `path.outside`, `path.unknown` for what is Coffer's own, `disk.silent`.
 */
export function holdDeepest(jail: Jail, path: UserPath): Promise<Deepest<Held>> {
  const open = { ...jail, allows: () => true }
  return findDeepest(path, (at) => follow(open, placeAt(jail, at))).catch(onPath(path))
}

function placeAt(jail: Jail, path: UserPath): Place {
  return { path, address: jail.root + path, real: jail.root + path }
}

/** Holds what is at a place; a failed call comes as the system's own error. */
async function follow(jail: Jail, place: Place): Promise<Held> {
  const { path: asked } = place
  const { address, stats, real, unmark } = await mark(place)
  try {
    const safe = confirm(jail, asked, real)
    // A descriptor that only marks a place has nothing to flush (open(2), O_PATH), so closing it waits for no disk.
    const close = async () => unmark()
    return {
      real: safe,
      path: virtual(jail, real),
      asked,
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

/** Proves that `real`, where `path` led to, may be reached. */
function confirm(jail: Jail, path: UserPath, real: string): SafePath {
  const code = barring(jail, real)
  if (code) throw new Problem(code, { path })
  return real as SafePath
}

/**
 * What is missing behind a link that leaves the jail, or behind one to what a rule denies, is refused as what is there
 * would be: otherwise the answer would tell which of the two it is.
 */
async function refuseAsAbove(jail: Jail, path: UserPath): Promise<void> {
  const { found, at } = await holdDeepest(jail, parentOf(path)).catch(named(path))
  await found.close()
  const rest = path.slice(at === rootPath ? 0 : at.length)
  const inside = found.path === rootPath ? rest : found.path + rest
  if (!jail.allows(inside as UserPath)) throw new Problem('path.forbidden', { path })
}

/**
 * The address of a name inside a held folder that is to be made or replaced, once it is proven that it may be.
 *
 * @throws Problem `path.forbidden` for a rule or a name that Coffer keeps for itself.
 */
export function freshIn(jail: Jail, folder: Held, name: string): string {
  const isDenied = !jail.allows(childOf(folder.path, name))
  if (isTemporary(name) || isSecret(jail, join(folder.real, name)) || isDenied) {
    throw new Problem('path.forbidden', { path: childOf(folder.asked, name) })
  }
  return join(folder.address, name)
}
