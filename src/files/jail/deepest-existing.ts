import { errnoOf, Problem } from '#src/core/problem.ts'
import { rootPath, type UserPath } from '#src/files/paths/user-path.ts'

/** The deepest existing entry on the way to a path. */
export interface Deepest<T> {
  found: T
  at: UserPath
}

/**
 * Finds the deepest existing entry on the way to `path`, itself included. The number of calls of `open` grows with the
 * logarithm of the depth: the search doubles its steps upwards until an entry exists, then bisects. So a path of 2,000
 * names needs about 20 calls, not 2,000.
 *
 * @param open opens the entry at a path, or throws the reason why it cannot
 * @throws Problem `path.unknown` when even the root is missing; the error of `open` when it refuses the deepest entry.
 */
export async function findDeepest<T extends { close(): Promise<void> }>(
  path: UserPath,
  open: (at: UserPath) => Promise<T>,
): Promise<Deepest<T>> {
  const places = placesOnTheWay(path)
  const { found, level } = await search(places.length, async (level) =>
    open(places[level] ?? rootPath).catch(asMissing),
  )
  if (found === undefined) throw new Problem('path.unknown', { path })
  if (found instanceof Problem) throw new Problem(found.code, { path }, { cause: found })
  return { found, at: places[level] ?? rootPath }
}

/** Finds the last of `count` levels where an entry exists. Below a missing entry, all are missing. */
async function search<T extends { close(): Promise<void> }>(
  count: number,
  open: (level: number) => Promise<T | Problem | undefined>,
): Promise<{ found: T | Problem | undefined; level: number }> {
  let deepest: { found: T | Problem | undefined; level: number } = { found: undefined, level: 0 }
  let missing = count
  const closeDeepest = async () => {
    if (deepest.found && !(deepest.found instanceof Problem)) await deepest.found.close()
  }
  const tryAt = async (level: number) => {
    const found = await open(level)
    if (found === undefined) {
      missing = level
      return
    }
    await closeDeepest()
    deepest = { found, level }
  }
  try {
    for (let step = 1; missing > 0 && !deepest.found; step *= 2) await tryAt(Math.max(0, missing - step))
    while (missing - deepest.level > 1) await tryAt(Math.floor((deepest.level + missing) / 2))
  } catch (error) {
    await closeDeepest()
    throw error
  }
  return deepest
}

/** Returns undefined for a missing entry, and a refusal as it is. @throws errors that do not depend on the entry. */
function asMissing(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (['EMFILE', 'ENFILE', 'ENOMEM'].includes(errnoOf(error) ?? '')) throw error
  return undefined
}

/** The root, then each folder on the way, then `path` itself. */
function placesOnTheWay(path: UserPath): UserPath[] {
  if (path === rootPath) return [rootPath]
  const places: UserPath[] = [rootPath]
  for (let end = path.indexOf('/', 1); end !== -1; end = path.indexOf('/', end + 1)) {
    places.push(path.slice(0, end) as UserPath)
  }
  return [...places, path]
}
