import { entryOf } from '#src/core/lookup.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { nearestName } from '#src/core/text/nearest-name.ts'
import { isFileBrowserDatabase, readKeys } from './config-file.ts'
import type { Option } from './options/option.ts'
import { optionNamed, optionOfFileBrowser, options, variableOf } from './options/options.ts'

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
 * is not set. Calls `warn` for each of the latter, and for each unknown variable `COFFER_…`.
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
  for (const sentence of unknownVariables(env)) warn(sentence)
  return found
}

const prefix = 'COFFER_'
/** Set in the image. */
const otherVariables = ['COFFER_CONTAINER']
// Kubernetes sets these for a service with the name `coffer`.
const ofKubernetes = /^COFFER_(?:SERVICE_|PORT_\d)/

/** A sentence for each variable that has no effect, for example because it is misspelt. */
function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = [...options.map(variableOf), ...otherVariables]
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith(prefix) && !known.includes(name) && !ofKubernetes.test(name),
  )
  return unknown.map((name) => {
    const nearest = nearestName(
      name.slice(prefix.length),
      known.map((one) => one.slice(prefix.length)),
    )
    const advice = nearest ? `did you mean ${prefix}${nearest}?` : 'coffer --help lists all variables.'
    return `Coffer ignores the unknown variable ${name}: ${advice}`
  })
}

/** How a configuration file is read in the image, where it may have been written for File Browser. */
export interface Leniency {
  /** Receives a sentence for each unknown key. */
  readonly warn: (sentence: string) => void
}

/**
 * Reads a configuration file, in the format of its extension.
 *
 * @param leniency undefined: unknown keys are refused
 * @throws StartupProblem when it cannot be read or parsed, or contains an unknown key or a value of a wrong type.
 */
export async function fromFile(file: string, leniency?: Leniency): Promise<OptionSource> {
  const found = new Map<Option['key'], GivenValue>()
  for (const [name, value] of Object.entries(await readKeys(file))) {
    const option = optionNamed(name)
    if (!option || option.key === 'config') {
      if (!leniency) throw new StartupProblem(`Unknown key ${name} in ${file}: coffer --help lists all keys.`)
      leniency.warn(`Coffer ignores the unknown key ${name} in ${file}: coffer --help lists all keys.`)
      continue
    }
    if (leniency && option.key === 'database' && isFileBrowserDatabase(value)) continue
    const from = `${name} in ${file}`
    const words = textOf(value, option)
    if (words === undefined) throw new StartupProblem(`${from} must be ${option.parser.expects}.`)
    found.set(option.key, { text: words, from })
  }
  return found
}

function textOf(value: unknown, { parser: read }: Option): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === read.nativeType) return String(value)
  if (read.nativeType === 'list' && Array.isArray(value)) return value.join(',')
  return
}
