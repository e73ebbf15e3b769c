import { errnoOf } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { rootPath, type UserPath } from '#src/files/paths/user-path.ts'

/** The deepest thing that is there on the way to a path. */
export interface Deepest<T> {
  found: T
  at: UserPath
}

/**
 * Finds the deepest thing that is there on the way to `path`, itself included. The number of looks grows with the
 * logarithm of the depth: it doubles its steps upwards until something is there, then halves them. So a path of 2,000
 * names costs about 20 looks, not 2,000.
 *
 * @param look holds what is at a place, or throws why it cannot
 * @throws Problem `path.unknown` when not even the root is there; the refusal of `look` when it refuses the deepest thing.
 */
export async function findDeepest<T extends { close(): Promise<void> }>(
  path: UserPath,
  look: (at: UserPath) => Promise<T>,
): Promise<Deepest<T>> {
  const places = placesOnTheWay(path)
  const { found, level } = await search(places.length, async (level) =>
    look(places[level] ?? rootPath).catch(asMissing),
  )
  if (found === undefined) throw new Problem('path.unknown', { path })
  if (found instanceof Problem) throw new Problem(found.code, { path }, { cause: found })
  return { found, at: places[level] ?? rootPath }
}

/** Finds the last of `count` levels where something is. Where nothing is, nothing is below. */
async function search<T extends { close(): Promise<void> }>(
  count: number,
  look: (level: number) => Promise<T | Problem | undefined>,
): Promise<{ found: T | Problem | undefined; level: number }> {
  let deepest: { found: T | Problem | undefined; level: number } = { found: undefined, level: 0 }
  let missing = count
  const letGo = async () => {
    if (deepest.found && !(deepest.found instanceof Problem)) await deepest.found.close()
  }
  const tryAt = async (level: number) => {
    const found = await look(level)
    if (found === undefined) {
      missing = level
      return
    }
    await letGo()
    deepest = { found, level }
  }
  try {
    for (let step = 1; missing > 0 && !deepest.found; step *= 2) await tryAt(Math.max(0, missing - step))
    while (missing - deepest.level > 1) await tryAt(Math.floor((deepest.level + missing) / 2))
  } catch (error) {
    await letGo()
    throw error
  }
  return deepest
}

/** A failed look found nothing; a refusal did find something. @throws what says nothing about the place. */
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
