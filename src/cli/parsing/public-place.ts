import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { StartupProblem } from '#src/core/problem.ts'

/**
 * Refuses a place for a file with secrets that users could download, or that belongs to the state of Coffer.
 *
 * @param where.own the state file and the folder beside it
 * @param where.root the served folder
 * @throws StartupProblem, and the error of the system when the folder of the file cannot be found.
 */
export async function refusePublicPlace(
  file: string,
  { own, root }: { own: readonly string[]; root: string },
): Promise<void> {
  const folder = await realpath(path.dirname(path.resolve(file)))
  const real = path.join(folder, path.basename(file))
  if (own.some((each) => isWithin(real, each)))
    throw new StartupProblem(`${file} belongs to the state of Coffer: choose another file.`)
  if (isWithin(real, await realpath(root).catch(() => root)))
    throw new StartupProblem(
      `Users could download ${file}, because it is in the served folder: choose another place.`,
    )
}

function isWithin(real: string, place: string): boolean {
  return real === place || real.startsWith(place.endsWith(path.sep) ? place : place + path.sep)
}
