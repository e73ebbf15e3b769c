import { readFileSync } from 'node:fs'
import path from 'node:path'
import { entryOf } from '#src/core/lookup.ts'
import { StartupProblem } from '#src/core/problem.ts'

/**
 * Reads the keys and values of a configuration file, in the format of its extension.
 *
 * @throws StartupProblem when it cannot be read or parsed, or does not contain keys and values.
 */
export async function readKeys(file: string): Promise<Record<string, unknown>> {
  const content = await parseFile(file)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new StartupProblem(`${file} must contain keys and values, such as port and 8080.`)
  }
  return content as Record<string, unknown>
}

async function parseFile(file: string): Promise<unknown> {
  const parse = entryOf(parsers, path.extname(file).toLowerCase())
  if (!parse)
    throw new StartupProblem(
      `The name of the configuration file ${file} must end in .json, .yaml, .yml or .toml.`,
    )
  let source: string
  try {
    source = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupProblem(`The configuration file ${file} cannot be read (${code}): check --config.`, {
      cause: error,
    })
  }
  try {
    return await parse(source)
  } catch (error) {
    const [line] = String((error as Error).message).split('\n')
    throw new StartupProblem(`The configuration file ${file} cannot be parsed: ${line}.`, { cause: error })
  }
}

// Loads the two large parsers only for such a file, so that other starts stay fast.
const parsers: Record<string, (source: string) => unknown> = {
  '.json': (source) => JSON.parse(source),
  '.yaml': async (source) => (await import('yaml')).parse(source) ?? {},
  '.yml': async (source) => (await import('yaml')).parse(source) ?? {},
  '.toml': async (source) => (await import('smol-toml')).parse(source),
}

/** Whether a path in a configuration file of File Browser is its database, which Coffer must not replace. */
export function isFileBrowserDatabase(file: unknown): file is string {
  return typeof file === 'string' && file.endsWith('.db')
}
