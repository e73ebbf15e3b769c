import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { ignoreMissing, onPath, Problem } from '#src/core/problem.ts'
import { foldName } from '#src/core/text/fold.ts'
import { runTask } from '#src/files/paths/ask-disk.ts'
import { lstat, mkdir, rmdir } from '#src/files/paths/disk.ts'
import { cachedFolding, type Folding, foldingIn } from '#src/files/paths/folding.ts'
import { isSecret } from '#src/files/paths/path-access.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { type EntryMatch, findEntry } from '#src/files/paths/true-name.ts'
import {
  childOf,
  isReserved,
  nameOf,
  rootPath,
  temporaryName,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { refuseHiddenTarget } from './hidden-target.ts'
import { openParent, openPath } from './jail.ts'
import { isOwnFile } from './open-descriptor.ts'

/** A name in an open folder, to be deleted, renamed or created. A symbolic link is itself, not its target. */
export interface Located extends AsyncDisposable {
  folder: OpenPath
  /** As the folder spells it, if it exists. */
  name: string
  /** The path for system calls. */
  address: string
  /** The same text for all spellings of the name. */
  key: string
  /** The same place with the symbolic links above it resolved. For rules; an error names `asked`. */
  path: UserPath
  /** The requested path: the only one that an error may name. */
  asked: UserPath
  /** Undefined when the name does not exist. */
  stats: Stats | undefined
}

/**
 * Finds the last name of `path` in the folder that contains it, without following it. Checks the rules for the path as
 * written and for the real place. The caller closes the result.
 *
 * @throws Problem `path.root` for the whole scope, otherwise as `openPath` does for the folder.
 */
export async function locate(jail: Jail, path: UserPath): Promise<Located> {
  if (path === rootPath) throw new Problem('path.root')
  const folder = await openParent(jail, path)
  try {
    return await locateIn(jail, folder, nameOf(path))
  } catch (error) {
    await folder.close()
    throw error
  }
}

/**
 * Finds `typed` in an open folder. Closing the result closes the folder.
 *
 * @throws Problem `path.forbidden` for a name that a rule denies, for a link whose target is hidden from the user, and
 *   for a hard link to a file of Coffer itself.
 */
export async function locateIn(jail: Jail, folder: OpenPath, typed: string): Promise<Located> {
  const asked = childOf(folder.asked, typed)
  if (!folder.stats.isDirectory()) throw new Problem('path.unknown', { path: asked })
  const fresh = await newNameIn(jail, folder, typed)
  const stats = await lstat(fresh.address).catch(ignoreMissing).catch(onPath(asked))
  if (stats && isOwnFile(stats, jail.secret)) throw new Problem('path.forbidden', { path: asked })
  if (stats?.isSymbolicLink()) await refuseHiddenTarget(jail, { folder, ...fresh })
  const path = childOf(folder.path, fresh.name)
  return { ...fresh, folder, path, asked, stats, [Symbol.asyncDispose]: () => folder.close() }
}

/** Returns the stats of the entry. @throws Problem `path.unknown` when it does not exist. */
export function requireStats({ stats, asked }: Located): Stats {
  if (!stats) throw new Problem('path.unknown', { path: asked })
  return stats
}

/** A name in an open folder that will be created or replaced. */
export interface NewName {
  /** As the folder spells it, if it exists. */
  name: string
  /** The path for system calls. */
  address: string
  /** The same text for all spellings of the name: for locks and for reserved names. */
  key: string
}

/**
 * Checks that a name inside an open folder may be created or replaced, and returns it.
 *
 * @throws Problem `path.forbidden` if a rule denies the name, if Coffer reserves it, or if it would open an entry that
 * the folder lists under another name.
 */
export async function newNameIn(jail: Jail, folder: OpenPath, typed: string): Promise<NewName> {
  const folding = await foldingOf(folder)
  const found: EntryMatch = folding.own ? await runTask(findEntry(folder.address, typed)) : 'none'
  const name = typeof found === 'string' ? typed : found.name
  if (found === 'unlisted' || !(await isPermitted(jail, folder, { name, folding }))) {
    throw new Problem('path.forbidden', { path: childOf(folder.asked, typed) })
  }
  const key = join(folder.real, folding.own ? foldName(name) : name)
  return { name, address: join(folder.address, name), key }
}

async function foldingOf({ real }: OpenPath): Promise<Folding> {
  return cachedFolding(real) ?? runTask(foldingIn(real))
}

/** Whether names in an open folder, or on the path to it, have several spellings. */
export async function foldsIn(folder: OpenPath): Promise<boolean> {
  return (await foldingOf(folder)).any
}

async function isPermitted(
  jail: Jail,
  folder: OpenPath,
  { name, folding }: { name: string; folding: Folding },
): Promise<boolean> {
  if (!isShown(jail, folder, { name, folds: folding.any })) return false
  // An empty folder does not show whether it folds names. If the result depends on it, the folder is probed.
  const matters = !folding.isSure && !isShown(jail, folder, { name, folds: true })
  return !(matters && (await foldsInProbe(folder)))
}

/** Whether a name in a folder may be shown: no rule denies it, and it is not one of Coffer's own files. */
export function isShown(
  jail: Pick<Jail, 'allows' | 'secret'>,
  folder: Pick<OpenPath, 'path' | 'real'>,
  { name, folds }: { name: string; folds: boolean },
): boolean {
  const isOwn = isReserved(name) || isSecret(jail, join(folder.real, name), folds)
  return !isOwn && jail.allows(childOf(folder.path, name), folds)
}

/** Creates a temporary folder and opens it in another spelling. False if nothing can be created in the folder. */
async function foldsInProbe({ address }: OpenPath): Promise<boolean> {
  const probe = temporaryName()
  try {
    await mkdir(join(address, probe), { mode: 0o700 })
  } catch {
    return false
  }
  try {
    return await lstat(join(address, probe.toUpperCase())).then(
      () => true,
      () => false,
    )
  } finally {
    await rmdir(join(address, probe)).catch(() => {})
  }
}

/** Whether `path` exists. @throws Problem as `openPath` does, except `path.unknown`. */
export async function exists(jail: Jail, path: UserPath): Promise<boolean> {
  try {
    const there = await openPath(jail, path)
    await there.close()
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'path.unknown') return false
    throw error
  }
}
