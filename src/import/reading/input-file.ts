import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { errnoOf, StartupProblem } from '#src/core/problem.ts'
import { BoltFault } from '#src/import/bolt/pages.ts'
import { shown } from '#src/import/report/shown.ts'
import { RecordFault } from './fields.ts'
import { mostBytes, readSource } from './read-source.ts'
import type { Source } from './source.ts'

/** A file to import. */
export interface InputFile extends Source {
  /** The path as written on the command line. */
  readonly file: string
}

/**
 * Reads a file of File Browser.
 *
 * @throws StartupProblem when it cannot be read, or contains anything else.
 */
export async function readInputFile(file: string): Promise<InputFile> {
  const bytes = await bytesOf(file)
  try {
    return { file, ...(await readSource(bytes)) }
  } catch (error) {
    if (error instanceof BoltFault)
      throw refusal(file, `it ${error.message}. Stop File Browser, and copy the file again`, error)
    if (error instanceof RecordFault) throw refusal(file, error.message, error)
    throw error
  }
}

/** Says that a file cannot be imported, and why. */
export function refusal(file: string, reason: string, cause?: unknown): StartupProblem {
  return new StartupProblem(
    `${shown(file, 300)} cannot be imported: ${shown(reason, 300)}. Nothing has changed.`,
    { cause },
  )
}

/** Returns the size of a file in bytes. Undefined when it does not exist. @throws StartupProblem. */
export async function sizeOfInputFile(file: string): Promise<number | undefined> {
  try {
    await using handle = await openFile(file)
    return (await handle.stat()).size
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw unreadable(file, error)
  }
}

/** Does not wait for a writer, as the opening of a named pipe would. */
const openFile = (file: string) => open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))

/** Reads at most the bytes that any file of File Browser may have, and one more. */
async function bytesOf(file: string): Promise<Buffer> {
  try {
    await using handle = await openFile(file)
    const stats = await handle.stat()
    if (!stats.isFile()) throw refusal(file, 'it is not a file')
    const bytes = Buffer.alloc(Math.min(stats.size, mostBytes.database + 1))
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  } catch (error) {
    throw error instanceof StartupProblem ? error : unreadable(file, error)
  }
}

function unreadable(file: string, error: unknown): StartupProblem {
  const errno = errnoOf(error)
  if (errno === undefined) throw error
  const advice =
    errno === 'ENOENT' ? 'does not exist: check the path' : `cannot be read (${errno}): check its permissions`
  return new StartupProblem(`The file ${file} ${advice}.`, { cause: error })
}
