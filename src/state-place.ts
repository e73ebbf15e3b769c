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
  const { database } = config
  const folder = `${database.replace(/\.json$/, '')}.d`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartupProblem(
      `The state cannot be kept in ${dirname(database)} (${errnoOf(error)}): ` +
        'make that folder writable for this user, or give another file with --database.',
      { cause: error },
    )
  }
  const files = ['', '.bak', '.new', '.bak.new'].map((suffix) => database + suffix)
  const others = [config.cert, config.key, config.socket, config.cacheDir, config.log].filter((path) =>
    path?.includes('/'),
  )
  const secret = [...files, folder, ...others.filter((path) => path !== undefined)]
  return { file: database, folder, secret: await Promise.all(secret.map(real)) }
}

/** Where a path really is; its own name may not exist yet. */
async function real(path: string): Promise<string> {
  const whole = await realpath(path).catch(() => undefined)
  if (whole) return whole
  const parent = await realpath(dirname(path)).catch(() => dirname(path))
  return join(parent, basename(path))
}
