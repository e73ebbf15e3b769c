import { lstat, mkdir, realpath, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '#src/config/config.ts'
import { rotatedFiles } from '#src/core/log/log-file.ts'
import { errnoOf, ignoreMissing, StartupProblem } from '#src/core/problem.ts'
import { copiesOf } from '#src/core/storage/backups.ts'
import { decodeName, hasEscapedBytes } from '#src/files/paths/byte-names.ts'
import { isInside } from '#src/files/paths/path-access.ts'
import { trueName } from '#src/files/paths/true-name.ts'

/** The files and folders in which Coffer stores its data. */
export interface StateFolder {
  /** The state file. */
  file: string
  /** The folder beside it: sessions, journals, caches. Mode 0700. */
  folder: string
  /** The cache folder, whose content may be deleted at any time. Created when it is first used. */
  cacheFolder: string
  /** Real paths that are never accessible through Coffer. */
  secret: readonly string[]
  /**
   * Removes what a first start has created: the state file with its copies, and the folders. Only for the process that
   * holds the lock of the state, and only when this start created the state.
   */
  removeCreated(): Promise<void>
  /** Removes the folders that this start created, if they are empty. */
  removeEmptyCreated(): Promise<void>
}

const subfolders = ['sessions', 'parts', 'uploads', 'clock', 'cache', 'site', 'held']
/** What other modules create in the folder. */
const laterNames = ['history.db', 'history.db-wal', 'history.db-shm', 'history.db.spare', 'kept']
const stateSuffixes = ['', '.bak', '.new', '.bak.new', '.spare']

/**
 * Creates the folder beside the state file.
 *
 * @throws StartupProblem when that fails, or when another file has the path of a required folder.
 */
export async function openStateFolder(config: Config): Promise<StateFolder> {
  const { file, folder, secret, made } = await createFolders(config)
  const missing: string[] = []
  for (const name of subfolders) {
    const path = join(folder, name)
    const advice = 'move it away, or set --database to another file'
    if (!(await refuseNonFolder(path, advice))) missing.push(path)
  }
  for (const name of laterNames) {
    const path = join(folder, name)
    if (!(await lstat(path).catch(() => undefined))) missing.push(path)
  }
  if (config.cacheDir) await refuseNonFolder(config.cacheDir, 'set --cache-dir to another folder')
  const cacheFolder = config.cacheDir ?? join(folder, 'cache')
  return { file, folder, secret, cacheFolder, ...removersOf({ file, folder, made, missing }) }
}

/**
 * Returns the paths of the state file and of the folder beside it, without creating anything. Undefined: there is no
 * state file.
 */
export async function findState({
  database,
}: Pick<Config, 'database'>): Promise<Pick<StateFolder, 'file' | 'folder'> | undefined> {
  const paths = await statePaths({ database })
  const stats = await lstat(paths.file).catch(ignoreMissing)
  return stats && paths
}

/** Returns the paths of the state file and of the folder beside it, whether they exist or not. */
export async function statePaths({
  database,
}: Pick<Config, 'database'>): Promise<Pick<StateFolder, 'file' | 'folder'>> {
  const file = await real(database)
  return { file, folder: folderOf(file) }
}

/** The folder beside a state file. */
function folderOf(file: string): string {
  return `${file.replace(/\.json$/, '')}.d`
}

/**
 * Returns functions that remove what a failed start has created. They ignore errors, because the reason for the failure
 * matters more.
 */
function removersOf({
  file,
  folder,
  made,
  missing,
}: Created): Pick<StateFolder, 'removeCreated' | 'removeEmptyCreated'> {
  const remove = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {})
  const removeEmptyCreated = async () => {
    for (const path of made) await rmdir(path).catch(() => {})
  }
  return {
    removeEmptyCreated,
    async removeCreated() {
      for (const suffix of stateSuffixes) await remove(file + suffix)
      for (const path of made.includes(folder) ? [folder] : missing) await remove(path)
      await removeEmptyCreated()
    },
  }
}

/** The files and folders that a start has created. */
interface Created {
  file: string
  folder: string
  /** Folders, the deepest first. */
  made: readonly string[]
  /** Folders inside `folder` that did not exist before. */
  missing: readonly string[]
}

async function createFolders(
  config: Config,
): Promise<Pick<StateFolder, 'file' | 'folder' | 'secret'> & Pick<Created, 'made'>> {
  const given = config.database
  refuseBytes(config.root, 'set --root to another folder')
  try {
    const parents = await createFolderPath(dirname(given))
    // Resolves a symbolic link, because a write would replace the link by the state itself, possibly inside the root.
    const database = await real(given)
    refuseBytes(database, 'set --database to another file')
    const folder = folderOf(database)
    await refuseMissingState(database, folder)
    const made = [...(await createFolderPath(folder)), ...parents]
    return { file: database, folder, made, secret: await secretPaths(config, { database, folder }) }
  } catch (error) {
    if (error instanceof StartupProblem) throw error
    throw new StartupProblem(
      `The state cannot be stored in ${dirname(given)} (${errnoOf(error)}): ` +
        'make that folder writable for this user, or set --database to another file.',
      { cause: error },
    )
  }
}

/** Refuses a path that is not UTF-8, or that looks like the spelling of one. @throws StartupProblem. */
function refuseBytes(path: string, advice: string): void {
  if (hasEscapedBytes(path)) throw new StartupProblem(`The path ${path} is not UTF-8: ${advice}.`)
}

/** Creates a folder and its missing parents. Returns the created ones, the deepest first. */
async function createFolderPath(path: string): Promise<string[]> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return []
  const made: string[] = []
  for (let at = path; at.length >= first.length; at = dirname(at)) made.push(at)
  return made
}

/**
 * Returns whether there is a folder at `path`.
 *
 * @throws StartupProblem when there is another file, or when it cannot be read.
 */
async function refuseNonFolder(path: string, advice: string): Promise<boolean> {
  const stats = await stat(path)
    .catch(ignoreMissing)
    .catch((error: unknown) => {
      throw new StartupProblem(`Coffer cannot use the folder ${path} (${errnoOf(error)}): ${advice}.`, {
        cause: error,
      })
    })
  if (stats && !stats.isDirectory()) throw new StartupProblem(`${path} must be a folder: ${advice}.`)
  return stats !== undefined
}

async function refuseMissingState(file: string, folder: string): Promise<void> {
  const stats = await lstat(file).catch(ignoreMissing)
  // The target of the link does not exist: its disk may not be mounted.
  if (stats?.isSymbolicLink()) {
    throw new StartupProblem(
      `The state file ${file} is a broken symbolic link: restore its target, or remove the link.`,
    )
  }
  if (stats) return
  const copy = `${file}.bak`
  const hasCopy = await lstat(copy).catch(ignoreMissing)
  // This folder is created only after the state.
  const hasSessions = await lstat(join(folder, 'sessions')).catch(ignoreMissing)
  if (!hasCopy && !hasSessions) return
  const left = hasCopy ? `its copy ${copy}` : `its folder ${folder}`
  const rename = hasCopy ? `, or rename the copy to ${basename(file)}` : ''
  throw new StartupProblem(
    `The state file ${file} is missing, but ${left} exists: restore the file${rename}. ` +
      `To start with a new state, move away ${hasCopy && hasSessions ? `the copy and ${folder}` : left}.`,
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
  const log = config.log.includes('/') ? await real(config.log) : ''
  const protectedPaths = [
    ...files,
    // Outside of the served folder they are never accessible, and each path costs time with every check.
    ...(isInside(log, config.root) ? rotatedFiles(log, config.logKeep) : []),
    ...(await copiesOf(database)),
    folder,
    ...others.filter((path) => path !== undefined),
  ]
  return Promise.all([realPathOfName(config.database), ...protectedPaths.map(real)])
}

/** Returns the real path of a name itself, without following it. */
async function realPathOfName(path: string): Promise<string> {
  const folder = realpath(dirname(path), 'buffer').then((bytes) => spelled(decodeName(bytes)))
  return join(await folder.catch(() => dirname(path)), basename(path))
}

/**
 * Returns the real path, in the spelling of the disk. The last name may not exist yet. A name that is not UTF-8 has the
 * spelling by which users would access it.
 */
async function real(path: string): Promise<string> {
  const whole = await realpath(path, 'buffer').then(decodeName, () => undefined)
  return whole === undefined ? realPathOfName(path) : spelled(whole)
}

async function spelled(real: string): Promise<string> {
  return (await trueName(real))?.real ?? real
}

/**
 * Refuses to change the state of another user, whose server could not read what this process writes.
 *
 * @throws StartupProblem.
 */
export async function refuseOtherOwner(file: string): Promise<void> {
  const { uid } = await stat(file)
  const own = process.geteuid?.()
  if (own === undefined || own === uid) return
  throw new StartupProblem(
    `The state file ${file} belongs to the user with the id ${uid}: run this command as that user, for example with sudo -u '#${uid}'.`,
  )
}
