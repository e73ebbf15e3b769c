import { open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { entryOf } from '#src/core/lookup.ts'
import { errnoOf, StartupProblem } from '#src/core/problem.ts'

/** The text formats of exported files, by extension. */
const formats = {
  '.json': {
    parse: async (text: string): Promise<unknown> => JSON.parse(text),
    format: async (value: unknown) => `${JSON.stringify(value, null, 4)}\n`,
  },
  '.yaml': {
    parse: async (text: string): Promise<unknown> => (await import('yaml')).parse(text),
    format: async (value: unknown) => (await import('yaml')).stringify(value),
  },
}

function formatOf(file: string) {
  const extension = path.extname(file).toLowerCase().replace('.yml', '.yaml')
  const found = entryOf(formats, extension)
  if (found) return found
  throw new StartupProblem(`The name of the file ${file} must end in .json, .yaml or .yml.`)
}

/**
 * Writes a value in the format of the file's extension. The file has the mode 0600, because exports contain hashes of
 * passwords. An existing file is replaced when the new one is complete.
 *
 * @throws StartupProblem when it cannot be written.
 */
export async function writeExport(file: string, value: unknown): Promise<void> {
  const text = await formatOf(file).format(value)
  const temporary = `${file}.new`
  try {
    await rm(temporary, { force: true })
    await using handle = await open(temporary, 'wx', 0o600)
    await handle.writeFile(text)
    await handle.sync()
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}) // the first error is the one to report
    failWrite(file)(error)
  }
}

/** Returns a function that reports why a file cannot be written. */
export function failWrite(file: string) {
  return (error: unknown): never => {
    if (error instanceof StartupProblem) throw error
    throw new StartupProblem(`The file ${file} cannot be written (${errnoOf(error)}): choose another one.`, {
      cause: error,
    })
  }
}

/** Reads a value in the format of the file's extension. @throws StartupProblem when it cannot be read or parsed. */
export async function readExport(file: string): Promise<unknown> {
  const { parse } = formatOf(file)
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new StartupProblem(`The file ${file} cannot be read (${errnoOf(error)}).`, { cause: error })
  })
  try {
    return await parse(text)
  } catch (error) {
    const [line] = String((error as Error).message).split('\n')
    throw new StartupProblem(`The file ${file} cannot be parsed: ${line}.`, { cause: error })
  }
}
