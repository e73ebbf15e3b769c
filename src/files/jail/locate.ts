import type { Stats } from 'node:fs'
import { ignoreMissing, onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { lstat } from '#src/files/paths/disk.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { childOf, nameOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { freshIn } from './fresh.ts'
import { openParent } from './jail.ts'

/** A name in a held folder: what deleting, renaming and making act on. A link is itself, not what it leads to. */
export interface Located extends AsyncDisposable {
  folder: OpenPath
  /** As the folder spells it, if it is there. */
  name: string
  /** The name for system calls. */
  address: string
  /** The same text for all spellings of the name. */
  key: string
  /** The same place with the links above it resolved. For rules; a refusal names `asked`. */
  path: UserPath
  /** The path as it was asked for: the only one that a refusal may name. */
  asked: UserPath
  /** Undefined when there is nothing of this name. */
  stats: Stats | undefined
}

/**
 * Finds the name that `path` ends in, without following it, in the folder above it. Rules are asked about the path as
 * written and about where it is. The caller closes it.
 *
 * @throws Problem `path.root` for the whole scope, else as `openPath` does for the folder above.
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

/** The name `name` in a folder that is held already and that the result takes over. */
export async function locateIn(jail: Jail, folder: OpenPath, typed: string): Promise<Located> {
  const asked = childOf(folder.asked, typed)
  if (!folder.stats.isDirectory()) throw new Problem('path.unknown', { path: asked })
  const fresh = await freshIn(jail, folder, typed)
  const stats = await lstat(fresh.address).catch(ignoreMissing).catch(onPath(asked))
  const path = childOf(folder.path, fresh.name)
  return { ...fresh, folder, path, asked, stats, [Symbol.asyncDispose]: () => folder.close() }
}

/** The located thing's stats. @throws Problem `path.unknown` when there is none. */
export function present({ stats, asked }: Located): Stats {
  if (!stats) throw new Problem('path.unknown', { path: asked })
  return stats
}
