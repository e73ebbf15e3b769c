import { mkdir, rmdir } from 'node:fs/promises'
import { errnoOf, onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { freshIn, type Held, hold, holdParent, type Jail } from './jail.ts'
import { locate } from './locate.ts'
import { childOf, nameOf, parentOf, rootPath, type UserPath } from './user-path.ts'

/** How the folders above something are made. */
interface Making {
  /** Permission bits, less the process's umask. */
  mode: number
  /** Gets the path of each folder that was not there before; `unmake` takes them back. */
  made?: UserPath[]
}

/**
 * Makes the folder `path` and every missing one above it, or none of them; a folder that is there is fine. The caller
 * closes what it gets.
 *
 * @param mode permission bits, less the process's umask
 * @throws Problem `path.exists` when something that is no folder stands in the way.
 */
export async function makeFolder(jail: Jail, path: UserPath, mode: number): Promise<Held> {
  const made: UserPath[] = []
  try {
    return await grow(jail, path, { mode, made })
  } catch (error) {
    await unmake(jail, made)
    throw error
  }
}

async function grow(jail: Jail, path: UserPath, making: Making): Promise<Held> {
  const there = await hold(jail, path).catch(ignoreUnknown(path))
  if (there?.stats.isDirectory()) return there
  if (there) {
    await there.close()
    throw new Problem('path.exists', { path })
  }
  await using parent = await makeParent(jail, path, making)
  try {
    await mkdir(freshIn(jail, parent, nameOf(path)), making.mode)
    making.made?.push(childOf(parent.path, nameOf(path)))
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') onPath(path)(error) // someone else made it first: as good
  }
  return hold(jail, path)
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
export async function makeParent(jail: Jail, path: UserPath, making: Making): Promise<Held> {
  const there = await holdParent(jail, path).catch(ignoreUnknown(parentOf(path)))
  if (!there) return grow(jail, parentOf(path), making)
  if (there.stats.isDirectory()) return there
  await there.close()
  throw new Problem('path.exists', { path: parentOf(path) })
}

/**
 * Where something new at `path` will be once the missing folders above it are made, links resolved; undefined when the
 * folder above is there, or when a file is in the way. For asking beforehand, so that a refusal has made nothing.
 *
 * @throws Problem as `hold` does for what is there, but for rules.
 */
export async function landingOf(jail: Jail, path: UserPath): Promise<UserPath | undefined> {
  const open: Jail = { ...jail, allows: () => true }
  for (let above = parentOf(path); ; above = parentOf(above)) {
    const there = await hold(open, above).catch(ignoreUnknown(above))
    if (!there) continue
    await there.close()
    if (above === parentOf(path) || !there.stats.isDirectory()) return undefined
    const rest = above === rootPath ? path : path.slice(above.length)
    return (there.path === rootPath ? rest : there.path + rest) as UserPath
  }
}

function ignoreUnknown(path: UserPath) {
  return (error: unknown): undefined => {
    if (path === rootPath || !(error instanceof Problem) || error.code !== 'path.unknown') throw error
  }
}
