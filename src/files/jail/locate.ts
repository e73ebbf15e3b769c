import type { Stats } from 'node:fs'
import { ignoreMissing, onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { lstat } from '#src/files/paths/disk.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { childOf, nameOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { refuseHiddenTarget } from './hidden-target.ts'
import { openParent } from './jail.ts'
import { newNameIn } from './new-name.ts'
import { isOwnFile } from './own-files.ts'

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
