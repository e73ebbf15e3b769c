import { existsSync, statSync } from 'node:fs'
import type { Config } from '#src/config/config.ts'
import { fileBrowserDatabases, isContainer, ownFolders } from '#src/config/container.ts'
import { loadConfig } from '#src/config/load.ts'
import { errnoOf, StartupProblem } from '#src/core/problem.ts'
import type { Subcommand, Terminal } from '../parsing/subcommand.ts'
import { copyForOwner, identityOf, takeOwnership } from './container-owner.ts'

/**
 * `coffer container`: the entry point of the image, which has no shell. Started as root, it becomes the user of `PUID`
 * and `PGID`, and runs the command, or `serve`. Before `serve`, it makes this user the owner of the folders of Coffer,
 * never of the served ones, and imports the database of File Browser if Coffer has no state.
 */
export const containerCommand: Subcommand = {
  usage: '[COMMAND] [flags]',
  sentence:
    'Starts Coffer in its image: becomes the user of PUID and PGID, and imports what File Browser left there.',
  reads: 'options',
  run: async ({ all }, terminal) => {
    const { env, warn } = terminal
    if (!isContainer(env))
      throw new StartupProblem('coffer container is only for the image of Coffer: use coffer serve instead.')
    const isServer = startsServer(all)
    const flags = all[0] === 'serve' ? all.slice(1) : all
    const config = isServer ? await loadConfig(flags, env) : undefined
    const file = config && (await databaseToImport(config, env))
    const readable = prepare(file, { env, warn, served: config?.root })
    if (config && readable !== undefined) {
      const state = [`--root=${config.root}`, `--database=${config.database}`]
      await terminal.runCommand(['import', '--first-start', ...state, readable])
    }
    await terminal.runCommand(all)
  },
}

/** Whether the arguments of the image start the server. Its flags do too, except those that are commands themselves. */
function startsServer([first = 'serve']: readonly string[]): boolean {
  return first === 'serve' || (first.startsWith('-') && first !== '--version' && first !== '-v')
}

/** Returns the database of File Browser, unless Coffer has a state already. */
async function databaseToImport(
  { database, configFile }: Config,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (existsSync(database)) return undefined
  return (await fileBrowserDatabases(env, configFile)).find(hasContent)
}

/** An empty file is one that was created to mount it, before File Browser has ever started. */
function hasContent(file: string): boolean {
  try {
    return statSync(file).size > 0
  } catch (error) {
    // The import reports a file that exists and cannot be read.
    return errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ENOTDIR'
  }
}

/**
 * Becomes the user of the environment, if this process is root.
 *
 * @param file a file that this user must be able to read
 * @param served the served folder. Undefined: for a command that does not read the options of `serve`
 * @returns the path of the file for this user
 */
function prepare(
  file: string | undefined,
  { env, warn, served }: Pick<Terminal, 'env' | 'warn'> & { served: string | undefined },
): string | undefined {
  const { uid, gid, umask } = identityOf(env)
  if (umask !== undefined) process.umask(umask)
  const current = process.getuid?.()
  if (current !== 0) {
    if ((env.PUID || env.UID) && uid !== current)
      warn(
        `Coffer runs as the user ${current}, not ${uid}: PUID and PGID work only if the container starts as root.`,
      )
    return file
  }
  const readable = file === undefined ? undefined : copyForOwner(file, warn)
  // The served folder may be in a folder of Coffer. Where it is not known, no owner is changed.
  if (served !== undefined) for (const folder of ownFolders) takeOwnership(folder, { uid, gid, served, warn })
  if (uid === 0) warn('Coffer runs as root, because PUID is 0: set it to the owner of the served files.')
  else becomeUser(uid, gid)
  return readable
}

/** Keeps the groups that were added to the container, such as one for media. Root's own group is not one of them. */
function becomeUser(uid: number, gid: number): void {
  const groups = (process.getgroups?.() ?? []).filter((group) => group !== 0 && group !== gid)
  try {
    process.setgroups?.([gid, ...groups])
    process.setgid?.(gid)
    process.setuid?.(uid)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupProblem(
      `Coffer cannot become the user ${uid}:${gid} (${code}): allow the capabilities SETUID and SETGID, or start the container with --user ${uid}:${gid}.`,
      { cause: error },
    )
  }
}
