import { mkdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '#src/config/config.ts'
import { errnoOf } from '#src/core/errno.ts'
import { StartupProblem } from '#src/core/problem.ts'

/** Where everything lies that Coffer remembers. */
export interface StatePlace {
  /** The state file. */
  file: string
  /** The folder beside it: sessions, notes, caches. Mode 0700. */
  folder: string
  /** Real paths that nobody ever reaches through Coffer, wherever they lie (design card). */
  secret: readonly string[]
}

/** Makes the folder beside the state file. @throws StartupProblem when that cannot be. */
export async function openStatePlace(config: Config): Promise<StatePlace> {
  const given = config.database
  try {
    await mkdir(dirname(given), { recursive: true, mode: 0o700 })
    // A link stays one: a write beside it would replace it by the state itself, perhaps inside the served folder.
    const database = await real(given)
    const folder = `${database.replace(/\.json$/, '')}.d`
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return { file: database, folder, secret: await secretPaths(config, { database, folder }) }
  } catch (error) {
    throw new StartupProblem(
      `The state cannot be kept in ${dirname(given)} (${errnoOf(error)}): ` +
        'make that folder writable for this user, or give another file with --database.',
      { cause: error },
    )
  }
}

async function secretPaths(
  config: Config,
  { database, folder }: { database: string; folder: string },
): Promise<string[]> {
  const files = ['', '.bak', '.new', '.bak.new'].map((suffix) => database + suffix)
  const others = [
    config.cert,
    config.key,
    config.socket,
    config.cacheDir,
    config.configFile,
    config.log,
  ].filter((path) => path?.includes('/'))
  const secret = [...files, folder, ...others.filter((path) => path !== undefined)]
  return Promise.all([placeOf(config.database), ...secret.map(real)])
}

/** Where a name really is, whatever it leads to. */
async function placeOf(path: string): Promise<string> {
  return join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path))
}

/** Where a path really is; its own name may not exist yet. */
async function real(path: string): Promise<string> {
  const whole = await realpath(path).catch(() => undefined)
  if (whole) return whole
  return placeOf(path)
}
