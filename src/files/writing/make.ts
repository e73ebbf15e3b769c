import { errnoOf, onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { freshIn } from '#src/files/jail/fresh.ts'
import { openDeepest, openIn, spellAllowed } from '#src/files/jail/jail.ts'
import { locate } from '#src/files/jail/locate.ts'
import { chmod, mkdir, rmdir, stat } from '#src/files/paths/disk.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import {
  childOf,
  depthOf,
  mostDeep,
  parentOf,
  refuseSpelledName,
  rootPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { setMode } from './keep-owner.ts'

/** How the folders above something are made. */
interface Making {
  /** Permission bits. */
  mode: number
  /** Gets the path of each folder that was not there before; `unmake` takes them back. */
  made?: UserPath[]
  /** Stops between two folders. */
  signal?: AbortSignal | undefined
}

/**
 * Makes the folder `path` and every missing one above it, or none of them; a folder that is there is fine. The caller
 * closes what it gets.
 *
 * @param how.mode permission bits
 * @throws Problem `path.exists` when something that is no folder stands in the way, `path.deep`; the signal's reason.
 */
export async function makeFolder(
  jail: Jail,
  path: UserPath,
  how: { mode: number; signal?: AbortSignal | undefined },
): Promise<OpenPath> {
  const made: UserPath[] = []
  try {
    await spellAllowed(jail, path)
    const folder = await grow(jail, path, { ...how, made, about: path })
    if (jail.allows(folder.path, folder.folds)) return folder
    await folder.close()
    throw new Problem('path.forbidden', { path })
  } catch (error) {
    await unmake(jail, made)
    throw error
  }
}

/**
 * Makes the missing folders of `path` in one pass downwards, each inside the one before, which is held. So the work grows
 * with the number of names and not with its square.
 *
 * @param making.about what `path` is made for: itself, or something in it
 */
async function grow(jail: Jail, path: UserPath, making: Making & { about: UserPath }): Promise<OpenPath> {
  const { found, at } = await openDeepest(jail, path).catch(asForbidden)
  let folder = found
  try {
    if (!folder.stats.isDirectory()) throw new Problem('path.exists', { path: at })
    const missing = path.slice(at.length).split('/').filter(Boolean)
    if (making.about !== at)
      refuseDeep(making.about, depthOf(folder.path) + depthOf(making.about) - depthOf(at))
    for (const name of missing) {
      making.signal?.throwIfAborted()
      const next = await makeIn(jail, folder, { name, making })
      await folder.close()
      folder = next
    }
    return folder
  } catch (error) {
    await folder.close()
    throw error
  }
}

async function makeIn(jail: Jail, parent: OpenPath, { name, making }: { name: string; making: Making }) {
  const path = childOf(parent.asked, name)
  if (!jail.allows(childOf(parent.spelled, name), parent.folds)) throw new Problem('path.forbidden', { path })
  refuseSpelledName(path)
  let isNew = false
  try {
    const fresh = await freshIn(jail, parent, name)
    await mkdir(fresh.address, making.mode)
    isNew = true
    making.made?.push(childOf(parent.path, fresh.name))
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') onPath(path)(error) // someone else made it first: as good
  }
  const folder = await openIn(jail, parent, name)
  if (!folder.stats.isDirectory()) {
    await folder.close()
    throw new Problem('path.exists', { path })
  }
  if (isNew) await openUp(folder, making.mode)
  return folder
}

/** Gives a new folder its permission bits: what the umask or the folder above has made of them is undone. */
async function openUp(folder: OpenPath, mode: number): Promise<void> {
  const { address } = folder
  await setMode({ stat: () => stat(address), chmod: (bits) => chmod(address, bits) }, mode).catch(
    onPath(folder.asked),
  )
}

/** Below what is Coffer's own, which is there for nobody, nothing is made. */
function asForbidden(error: unknown): never {
  // Without a cause nothing is there, not even the root.
  const isHidden = error instanceof Problem && error.code === 'path.unknown' && error.cause !== undefined
  throw isHidden ? new Problem('path.forbidden', error.details, { cause: error }) : error
}

/** Refuses to make something so deep in folders. @throws Problem `path.deep`. */
function refuseDeep(path: UserPath, depth: number): void {
  if (depth > mostDeep) throw new Problem('path.deep', { path, most: mostDeep })
}

/** Removes folders that were made for something that came to nothing, the last first, as far as nothing is in them. */
export async function unmake(jail: Jail, made: readonly UserPath[]): Promise<void> {
  for (const path of made.toReversed()) {
    try {
      await using folder = await locate(jail, path)
      await rmdir(folder.address)
    } catch {
      return // in use by somebody else, or gone: whatever it is, what failed before is what there is to tell
    }
  }
}

/**
 * Holds the folder above `path`, and makes it when it is missing. Rules are asked about `path` and about each folder
 * that is made, not about those that are there. The caller closes what it gets.
 *
 * @throws Problem as `makeFolder` does.
 */
export async function makeParent(jail: Jail, path: UserPath, making: Making): Promise<OpenPath> {
  await spellAllowed(jail, path)
  return grow(jail, parentOf(path), { ...making, about: path })
}

/**
 * Where something new at `path` will be once the missing folders above it are made, links resolved; undefined when the
 * folder above is there, or when a file is in the way. For asking beforehand, so that a refusal has made nothing.
 *
 * @throws Problem as `openPath` does for what is there, but for rules.
 */
export async function landingOf(jail: Jail, path: UserPath): Promise<UserPath | undefined> {
  const { found, at } = await openDeepest(jail, parentOf(path)).catch(asForbidden)
  await found.close()
  if (at === parentOf(path) || !found.stats.isDirectory()) return undefined
  const rest = at === rootPath ? path : path.slice(at.length)
  return (found.path === rootPath ? rest : found.path + rest) as UserPath
}
