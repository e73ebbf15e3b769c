import { lstat, mkdir, realpath, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '#src/config/config.ts'
import { errnoOf, ignoreMissing } from '#src/core/errno.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { hasSpelledBytes, textOf } from '#src/files/paths/byte-names.ts'
import { trueName } from '#src/files/paths/true-name.ts'

/** Where everything lies that Coffer remembers. */
export interface StateFolder {
  /** The state file. */
  file: string
  /** The folder beside it: sessions, notes, caches. Mode 0700. */
  folder: string
  /** The folder of what may be deleted at any time; made when something is kept there. */
  cacheFolder: string
  /** Real paths that nobody ever reaches through Coffer, wherever they lie (design card). */
  secret: readonly string[]
  /**
   * Removes what a first start has made: the state file with its copies, and the folders. Only for the process that works
   * on the state alone, and only when this start made the state.
   */
  takeBack(): Promise<void>
  /** Removes the folders that this start made, as far as they are empty. */
  takeBackEmpty(): Promise<void>
}

const parts = ['sessions', 'parts', 'uploads', 'clock', 'cache']
const stateSuffixes = ['', '.bak', '.new', '.bak.new', '.spare']

/**
 * Makes the folder beside the state file.
 *
 * @throws StartupProblem when that cannot be, or when something else is where a folder has to be.
 */
export async function openStateFolder(config: Config): Promise<StateFolder> {
  const { file, folder, secret, made } = await makePlace(config)
  const missing: string[] = []
  for (const name of parts) {
    const path = join(folder, name)
    const advice = 'move away what is there, or give another file with --database'
    if (!(await refuseOther(path, advice))) missing.push(path)
  }
  if (config.cacheDir) await refuseOther(config.cacheDir, 'give another with --cache-dir')
  const cacheFolder = config.cacheDir ?? join(folder, 'cache')
  return { file, folder, secret, cacheFolder, ...takingBack({ file, folder, made, missing }) }
}

/** How a start that fails removes what it has made. What cannot be removed stays: the failure is what there is to tell. */
function takingBack({ file, folder, made, missing }: Made): Pick<StateFolder, 'takeBack' | 'takeBackEmpty'> {
  const remove = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {})
  const takeBackEmpty = async () => {
    for (const path of made) await rmdir(path).catch(() => {})
  }
  return {
    takeBackEmpty,
    async takeBack() {
      for (const suffix of stateSuffixes) await remove(file + suffix)
      for (const path of made.includes(folder) ? [folder] : missing) await remove(path)
      await takeBackEmpty()
    },
  }
}

/** What a start has made. */
interface Made {
  file: string
  folder: string
  /** Folders, the deepest first. */
  made: readonly string[]
  /** Folders inside `folder` that were not there before. */
  missing: readonly string[]
}

async function makePlace(
  config: Config,
): Promise<Pick<StateFolder, 'file' | 'folder' | 'secret'> & Pick<Made, 'made'>> {
  const given = config.database
  refuseBytes(config.root, 'give another folder with --root')
  try {
    const above = await makeFolders(dirname(given))
    // A link stays one: a write beside it would replace it by the state itself, perhaps inside the served folder.
    const database = await real(given)
    refuseBytes(database, 'give another file with --database')
    const folder = `${database.replace(/\.json$/, '')}.d`
    await refuseLost(database, folder)
    const made = [...(await makeFolders(folder)), ...above]
    return { file: database, folder, made, secret: await secretPaths(config, { database, folder }) }
  } catch (error) {
    if (error instanceof StartupProblem) throw error
    throw new StartupProblem(
      `The state cannot be kept in ${dirname(given)} (${errnoOf(error)}): ` +
        'make that folder writable for this user, or give another file with --database.',
      { cause: error },
    )
  }
}

/** @throws StartupProblem for a path that is not UTF-8, or looks like the spelling of one. */
function refuseBytes(path: string, advice: string): void {
  if (hasSpelledBytes(path)) throw new StartupProblem(`The path ${path} is not UTF-8: ${advice}.`)
}

/** Makes a folder and the missing ones above it. Answers those that it made, the deepest first. */
async function makeFolders(path: string): Promise<string[]> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return []
  const made: string[] = []
  for (let at = path; at.length >= first.length; at = dirname(at)) made.push(at)
  return made
}

/**
 * Answers whether there is a folder at `path`.
 *
 * @throws StartupProblem when there is something that is no folder, or it cannot be looked at.
 */
async function refuseOther(path: string, advice: string): Promise<boolean> {
  const stats = await stat(path)
    .catch(ignoreMissing)
    .catch((error: unknown) => {
      throw new StartupProblem(`${path} cannot be a folder of Coffer's (${errnoOf(error)}): ${advice}.`, {
        cause: error,
      })
    })
  if (stats && !stats.isDirectory())
    throw new StartupProblem(`${path} is not a folder and has to be one: ${advice}.`)
  return stats !== undefined
}

async function refuseLost(file: string, folder: string): Promise<void> {
  const there = await lstat(file).catch(ignoreMissing)
  // What it leads to was looked for already: perhaps its disk is not mounted.
  if (there?.isSymbolicLink()) {
    throw new StartupProblem(
      `The state file ${file} is a link that leads nowhere: bring back what it leads to, or remove the link.`,
    )
  }
  if (there) return
  const copy = `${file}.bak`
  const hasCopy = await lstat(copy).catch(ignoreMissing)
  // It is made only after there is a state.
  const hasSessions = await lstat(join(folder, 'sessions')).catch(ignoreMissing)
  if (!hasCopy && !hasSessions) return
  const left = hasCopy ? `its copy ${copy}` : `its folder ${folder}`
  const rename = hasCopy ? `, or rename the copy to ${basename(file)}` : ''
  throw new StartupProblem(
    `The state file ${file} is missing, but ${left} is here: put the file back${rename}. ` +
      `To begin anew, move away ${hasCopy && hasSessions ? `the copy and ${folder}` : left}.`,
  )
}

async function secretPaths(
  config: Config,
  { database, folder }: { database: string; folder: string },
): Promise<string[]> {
  const files = ['', '.bak', '.new', '.bak.new', '.aside', '.spare'].map((suffix) => database + suffix)
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
  const folder = realpath(dirname(path), 'buffer').then((bytes) => spelled(textOf(bytes)))
  return join(await folder.catch(() => dirname(path)), basename(path))
}

/**
 * Where a path really is, in the spelling of the disk; its own name may not exist yet. A name that is not UTF-8 has the
 * spelling by which people would reach it.
 */
async function real(path: string): Promise<string> {
  const whole = await realpath(path, 'buffer').then(textOf, () => undefined)
  return whole === undefined ? placeOf(path) : spelled(whole)
}

async function spelled(real: string): Promise<string> {
  return (await trueName(real))?.real ?? real
}
