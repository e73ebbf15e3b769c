import { join } from 'node:path'
import { errnoOf, onPath, Problem } from '#src/core/problem.ts'
import type { Change } from '#src/files/changes/change.ts'
import type { Deepest } from '#src/files/jail/deepest-existing.ts'
import { openDeepest, openIn, spellAllowed } from '#src/files/jail/jail.ts'
import { locate, newNameIn } from '#src/files/jail/locate.ts'
import { chmod, mkdir, rmdir, stat } from '#src/files/paths/disk.ts'
import { flushOpenFolder } from '#src/files/paths/local-calls.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import {
  checkNewName,
  childOf,
  depthOf,
  maxDepth,
  nameOf,
  parentOf,
  rootPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { setMode } from './temp-file.ts'

/** How missing parent folders are made. */
interface Making {
  /** Permission bits. */
  mode: number
  /** Receives the path of each new folder. `unmake` removes them again. */
  made?: UserPath[]
  /** Aborts the work between two folders. */
  signal?: AbortSignal | undefined
  /** The deepest existing entry on the way, if it is open already. It is closed, or returned. */
  deepest?: Deepest<OpenPath> | undefined
}

/**
 * Makes the folder `path` and all missing parent folders, or none of them. Succeeds when the folder exists. The caller
 * closes the returned folder.
 *
 * @param how.mode permission bits
 * @throws Problem `path.exists` when an entry on the way is not a folder, `path.deep`; the signal's reason.
 */
export async function makeFolder(
  jail: Jail,
  path: UserPath,
  { change, ...how }: { mode: number; change: Change; signal?: AbortSignal | undefined },
): Promise<OpenPath> {
  const made: UserPath[] = []
  await spellAllowed(jail, path)
  const missing = await missingFolders(jail, childOf(path, 'a'))
  const last = missing.at(-1)
  const wanted = { entry: undefined, isFolder: true, mode: how.mode, made: realsOf(jail, missing) }
  const planned = last ? await change.plan({ do: 'put', path: join(jail.root, last), ...wanted }) : []
  const [step] = planned
  try {
    const folder = await makeMissing(jail, path, { ...how, made, about: path })
    if (!jail.allows(folder.path, folder.folds)) {
      await folder.close()
      throw new Problem('path.forbidden', { path })
    }
    const isNew = made.length > 0
    await (isNew ? step?.done({ stats: folder.stats, made: realsOf(jail, made) }) : step?.cancel())
    return folder
  } catch (error) {
    await removeNewFolders(jail, made)
    await step?.cancel()
    throw error
  }
}

/** The real paths of new folders. */
function realsOf(jail: Jail, made: readonly UserPath[]): string[] {
  return made.map((each) => join(jail.root, each))
}

/**
 * Makes the missing folders of `path` from top to bottom, each through the open descriptor of its parent. So the work
 * grows with the number of names, not with its square.
 *
 * @param making.about the path that the caller needs: `path` itself, or a path in it
 */
async function makeMissing(
  jail: Jail,
  path: UserPath,
  making: Making & { about: UserPath },
): Promise<OpenPath> {
  const { found, at } = making.deepest ?? (await openDeepest(jail, path).catch(asForbidden))
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

/** Makes one folder and flushes its name: a file in it is lost in a power cut if the folder is. */
async function makeIn(jail: Jail, parent: OpenPath, { name, making }: { name: string; making: Making }) {
  const path = childOf(parent.asked, name)
  if (!jail.allows(childOf(parent.spelled, name), parent.folds)) throw new Problem('path.forbidden', { path })
  checkNewName(path)
  let isNew = false
  try {
    const fresh = await newNameIn(jail, parent, name)
    await mkdir(fresh.address, making.mode)
    isNew = true
    making.made?.push(childOf(parent.path, fresh.name))
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') onPath(path)(error) // another request made it first
  }
  const folder = await openIn(jail, parent, name)
  if (!folder.stats.isDirectory()) {
    await folder.close()
    throw new Problem('path.exists', { path })
  }
  if (isNew) {
    await applyMode(folder, making.mode)
    await flushOpenFolder(parent).catch(onPath(path))
  }
  return folder
}

/** Sets the exact permission bits of a new folder, whatever the umask or the parent folder made of them. */
async function applyMode(folder: OpenPath, mode: number): Promise<void> {
  const { address } = folder
  await setMode({ stat: () => stat(address), chmod: (bits) => chmod(address, bits) }, mode).catch(
    onPath(folder.asked),
  )
}

/** Turns `path.unknown` into `path.forbidden` below Coffer's own files, which are hidden from all users. */
function asForbidden(error: unknown): never {
  // Without a cause, even the root does not exist.
  const isHidden = error instanceof Problem && error.code === 'path.unknown' && error.cause !== undefined
  throw isHidden ? new Problem('path.forbidden', error.details, { cause: error }) : error
}

/** Refuses a path with too many levels. @throws Problem `path.deep`. */
function refuseDeep(path: UserPath, depth: number): void {
  if (depth > maxDepth) throw new Problem('path.deep', { path, most: maxDepth })
}

/** Removes new folders after a failure, the last first. Stops at the first one that is not empty. */
export async function removeNewFolders(jail: Jail, made: readonly UserPath[]): Promise<void> {
  for (const path of made.toReversed()) {
    try {
      await using folder = await locate(jail, path)
      await rmdir(folder.address)
    } catch {
      return // in use by another request, or already removed; the caller reports the first failure
    }
  }
}

/**
 * Opens the parent folder of `path`, and makes it when it is missing. Checks the rules for `path` and for each new
 * folder, not for existing folders. The caller closes the returned folder.
 *
 * @throws Problem as `makeFolder` does.
 */
export async function makeParent(jail: Jail, path: UserPath, making: Making): Promise<OpenPath> {
  await spellAllowed(jail, path)
  return makeMissing(jail, parentOf(path), { ...making, about: path })
}

/**
 * Returns the path that a new entry at `path` will have, with links resolved, once its missing parent folders are made.
 * Undefined when the parent folder exists, or when a file is in the way. Used to check before any folder is made.
 *
 * @throws Problem as `openPath` does for the existing part of the path, except for rules.
 */
export async function futurePathOf(jail: Jail, path: UserPath): Promise<UserPath | undefined> {
  const folder = (await missingFolders(jail, path)).at(-1)
  return folder && childOf(folder, nameOf(path))
}

/** The paths that the missing parent folders of `path` will have, from top to bottom. @throws as `futurePathOf`. */
async function missingFolders(jail: Jail, path: UserPath): Promise<UserPath[]> {
  const { found, at } = await openDeepest(jail, parentOf(path)).catch(asForbidden)
  await found.close()
  if (!found.stats.isDirectory()) return []
  const names = parentOf(path)
    .slice(at === rootPath ? 0 : at.length)
    .split('/')
    .filter(Boolean)
  let above = found.path
  return names.map((name) => {
    above = childOf(above, name)
    return above
  })
}
