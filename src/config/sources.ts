import { readFileSync } from 'node:fs'
import path from 'node:path'
import { entryOf } from '#src/core/lookup.ts'
import { StartupProblem } from '#src/core/problem.ts'
import type { Option } from './option.ts'
import { optionNamed, optionOfFileBrowser, options, variableOf } from './options.ts'

/** The value of an option in one source: the text, and the name of the place for messages. */
export interface GivenValue {
  readonly text: string
  readonly from: string
}

/** The values of one source, at most one for each option. */
export type OptionSource = ReadonlyMap<Option['key'], GivenValue>

/**
 * Reads flags: `--port 80`, `--port=80`, `-p 80`, `-p80`. A switch has no value, or `=true` or `=false`.
 *
 * @throws StartupProblem for an unknown flag, a missing value, or an argument that belongs to no flag.
 */
export function fromFlags(argv: readonly string[]): OptionSource {
  const found = new Map<Option['key'], GivenValue>()
  const rest = [...argv]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const { option, name, inline } = flagOf(argument)
    const value = inline ?? (option.value ? rest.shift() : 'true')
    if (value === undefined || (inline === undefined && isFlag(value))) {
      throw new StartupProblem(`${name} needs a value: ${name} ${option.value}.`)
    }
    found.set(option.key, { text: value, from: name })
  }
  return found
}

function flagOf(argument: string): { option: Option; name: string; inline: string | undefined } {
  const [, long, longValue] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? []
  const [, short, shortValue] = /^-([a-z])=?(.+)?$/s.exec(argument) ?? []
  const option = long ? optionNamed(long) : options.find((each) => each.short === short && short)
  if (option) return { option, name: long ? `--${long}` : `-${short}`, inline: long ? longValue : shortValue }
  if (argument.startsWith('-'))
    throw new StartupProblem(`Unknown flag ${argument}: coffer --help lists all flags.`)
  throw new StartupProblem(`${argument} does not belong to a flag: coffer --help shows how to write flags.`)
}

/**
 * Whether a word is a flag. A value that starts with a dash needs `=`, because otherwise a missing value would consume
 * the next flag.
 */
function isFlag(argument: string): boolean {
  return /^-(-|[a-z]$)/.test(argument)
}

/**
 * Reads the variables `COFFER_…`, and the variables `FB_…` of File Browser that have the same meaning, where the former
 * is not set. Calls `warn` for each of the latter.
 */
export function fromEnvironment(env: NodeJS.ProcessEnv, warn: (sentence: string) => void): OptionSource {
  const found = new Map<Option['key'], GivenValue>()
  for (const option of options) {
    const name = variableOf(option)
    const value = entryOf(env, name)
    if (value || (value === '' && option.allowsEmpty)) found.set(option.key, { text: value, from: name })
  }
  for (const [name, value] of Object.entries(env)) {
    const option = name.startsWith('FB_') ? optionOfFileBrowser(name.slice(3)) : undefined
    if (!option || !value || found.has(option.key)) continue
    found.set(option.key, { text: value, from: name })
    warn(`${name} still works, but its name in Coffer is ${variableOf(option)}.`)
  }
  return found
}

/**
 * Reads a configuration file, in the format of its extension.
 *
 * @throws StartupProblem when it cannot be read or parsed, or contains an unknown key or a value of a wrong type.
 */
export async function fromFile(file: string): Promise<OptionSource> {
  const content = await parseFile(file)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new StartupProblem(`${file} must contain keys and values, such as port and 8080.`)
  }
  const found = new Map<Option['key'], GivenValue>()
  for (const [name, value] of Object.entries(content)) {
    const option = optionNamed(name)
    if (!option || option.key === 'config') {
      throw new StartupProblem(`Unknown key ${name} in ${file}: coffer --help lists all keys.`)
    }
    const from = `${name} in ${file}`
    const words = textOf(value, option)
    if (words === undefined) throw new StartupProblem(`${from} must be ${option.parser.expects}.`)
    found.set(option.key, { text: words, from })
  }
  return found
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
    throw new StartupProblem(`The configuration file ${file} cannot be parsed: ${line}.`, {
      cause: error,
    })
  }
}

// Loads the two large parsers only for such a file, so that other starts stay fast.
const parsers: Record<string, (source: string) => unknown> = {
  '.json': (source) => JSON.parse(source),
  '.yaml': async (source) => (await import('yaml')).parse(source) ?? {},
  '.yml': async (source) => (await import('yaml')).parse(source) ?? {},
  '.toml': async (source) => (await import('smol-toml')).parse(source),
}

function textOf(value: unknown, { parser: read }: Option): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === read.nativeType) return String(value)
  if (read.nativeType === 'list' && Array.isArray(value)) return value.join(',')
  return
}
