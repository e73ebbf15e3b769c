import { constants, createReadStream, unlinkSync } from 'node:fs'
import { link, lstat, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { type BackupSummary, verifyBackup } from '#src/backup/archive/verify-backup.ts'
import { flushFolder } from '#src/core/flush-folder.ts'
import {
  CommandProblem,
  errnoOf,
  ignoreMissing,
  lacksHardLinks,
  Problem,
  StartupProblem,
} from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { refusePublicPlace } from './public-place.ts'

/**
 * Checks a place for a backup before anything is read.
 *
 * @param where.own the state file and the folder beside it
 * @param where.root the served folder
 * @throws StartupProblem when a file exists there, or when the place belongs to Coffer or to users.
 */
export async function checkTarget(
  file: string,
  { own, root, force }: { own: readonly string[]; root: string; force: boolean },
): Promise<void> {
  await refusePublicPlace(file, { own, root }).catch(failWrite(file))
  const stats = await lstat(file).catch(ignoreMissing)
  if (stats && !stats.isFile())
    throw new StartupProblem(`${file} is not a regular file: choose another one, or - for standard output.`)
  if (stats && !force) throw exists(file)
}

/**
 * Writes a backup to a file with the mode 0600, reads it back and verifies it. The file has its name only then.
 *
 * @throws StartupProblem when it cannot be written, CommandProblem when it is incomplete.
 */
export async function writeBackupFile(
  file: string,
  stream: Readable,
  force: boolean,
): Promise<BackupSummary> {
  const temporary = `${file}.${randomId(6)}.new`
  using _signals = removeOnSignal(temporary)
  try {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants
    const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      await handle.chmod(0o600)
      for await (const chunk of stream) await handle.writeFile(chunk)
      await handle.sync()
    } finally {
      await handle.close()
    }
    const summary = await verifyBackup(createReadStream(temporary))
    await (force ? rename(temporary, file) : renameToFree(temporary, file))
    await flushFolder(() => open(path.dirname(file), constants.O_RDONLY))
    return summary
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}) // the first error is the one to report
    return failWrite(file)(error)
  }
}

/** Opens a backup for reading: a file, a pipe, or `-` for standard input. @throws StartupProblem. */
export async function openBackupFile(file: string, stdin: Readable): Promise<Readable> {
  if (file === '-') return stdin
  try {
    const handle = await open(file, constants.O_RDONLY)
    if (!(await handle.stat()).isDirectory()) return handle.createReadStream()
    await handle.close()
  } catch (error) {
    throw new StartupProblem(`The file ${file} cannot be read (${errnoOf(error)}).`, { cause: error })
  }
  throw new StartupProblem(`${file} is a folder: name the file that coffer backup has written.`)
}

function failWrite(file: string) {
  return (error: unknown): never => {
    if ([Problem, CommandProblem, StartupProblem].some((kind) => error instanceof kind)) throw error
    const errno = errnoOf(error)
    if (errno === undefined) throw error
    if (errno === 'EEXIST') throw exists(file)
    throw new StartupProblem(`The file ${file} cannot be written (${errno}): choose another one.`, {
      cause: error,
    })
  }
}

function exists(file: string): StartupProblem {
  return new StartupProblem(`${file} exists: choose another name, or add --force to replace it.`)
}

/** Another command may have created the file meanwhile. @throws the error EEXIST. */
async function renameToFree(from: string, to: string): Promise<void> {
  const isLinked = await link(from, to).then(
    () => true,
    (error: unknown) => {
      if (!lacksHardLinks(error)) throw error
      return false
    },
  )
  if (isLinked) return rm(from)
  if (await lstat(to).catch(ignoreMissing)) throw exists(to)
  await rename(from, to)
}

/** Removes the temporary file when the operator stops the command. */
function removeOnSignal(temporary: string): Disposable {
  const stop = (signal: NodeJS.Signals) => {
    try {
      unlinkSync(temporary)
    } catch {
      // It does not exist yet, or not any more.
    }
    process.exit(signal === 'SIGINT' ? 130 : 143)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, stop)
  return {
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}
