import type { Config } from '#src/config/config.ts'
import { loadConfig } from '#src/config/load.ts'
import { optionNamed } from '#src/config/options/options.ts'
import { entryOf } from '#src/core/lookup.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { type Arguments, type Flag, type Flags, type Subcommand, stateFlags } from './subcommand.ts'

/**
 * Parses the arguments of a subcommand: `--flag value`, `--flag=value`, `-f value`, `-f=value`, and switches, which may
 * have `=true` or `=false`. After `--`, everything is a word.
 *
 * @param name the name of the subcommand, for messages
 * @throws StartupProblem for an unknown flag, a flag without its value, too few or too many words.
 */
export function parseArguments(
  all: readonly string[],
  given: { name: string; flags: Flags } & Pick<Subcommand, 'usage' | 'words'>,
): Arguments {
  const { name, flags } = given
  const values = new Map<string, string>()
  const words: string[] = []
  const rest = [...all]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--') words.push(...rest.splice(0))
    else if (!/^-./.test(argument)) words.push(argument)
    else readFlag(argument, { name, flags, values, rest })
  }
  checkCount(words, given)
  const choice = (flag: string) => (values.has(flag) ? values.get(flag) === 'true' : undefined)
  return { all, words, has: (flag) => choice(flag) === true, choice, value: (flag) => values.get(flag) }
}

function readFlag(
  argument: string,
  { name, flags, values, rest }: { name: string; flags: Flags; values: Map<string, string>; rest: string[] },
): void {
  const [, written = '', inline] = /^(--?[^=]+)(?:=(.*))?$/s.exec(argument) ?? []
  const found = flagNamed(flags, written)
  if (!found) throw new StartupProblem(unknownFlag(written, name))
  const [key, flag] = found
  if (flag.value === undefined) {
    const text = inline ?? 'true'
    if (text !== 'true' && text !== 'false')
      throw new StartupProblem(`${written} must be true or false; it is "${text}".`)
    values.set(key, text)
    return
  }
  const value = inline ?? rest.shift()
  // A value that looks like a flag needs `=`, because otherwise a missing value would consume the next flag.
  if (value === undefined || (inline === undefined && flagNamed(flags, value.replace(/=.*$/s, ''))))
    throw new StartupProblem(`${written} needs a value: ${written} ${flag.value}.`)
  values.set(key, value)
}

function unknownFlag(written: string, name: string): string {
  // In File Browser, `config set` had these too.
  const isOption = written.startsWith('--') && optionNamed(written) !== undefined
  if (isOption)
    return `${written} is an option of coffer serve: set it there, in the environment or in the file of --config.`
  return `Unknown flag ${written}: coffer ${name} --help lists all flags.`
}

/** Finds a flag by its long or short name. Ignores case and dashes in long names, as for the options of `serve`. */
function flagNamed(flags: Flags, written: string): [name: string, flag: Flag] | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll('-', '')
  const isLong = written.startsWith('--')
  return Object.entries(flags).find(([name, { short }]) =>
    isLong ? plain(name) === plain(written) : short !== undefined && written === `-${short}`,
  )
}

function checkCount(
  words: readonly string[],
  { name, usage = '', words: [least, most] = [0, 0] }: { name: string } & Pick<Subcommand, 'usage' | 'words'>,
): void {
  if (words.length < least) throw new StartupProblem(`Arguments are missing: coffer ${name} ${usage}.`)
  if (words.length <= most) return
  const extra = words.slice(most).join(' ')
  if (most === 0) throw new StartupProblem(`coffer ${name} takes no arguments: remove ${extra}.`)
  throw new StartupProblem(
    `Too many arguments (${extra}): coffer ${name} ${usage}. Put an argument with spaces in quotes.`,
  )
}

/**
 * Returns the configuration that says where the state is: from the flags of `stateFlags`, the environment and the
 * configuration file.
 *
 * @throws StartupProblem as `loadConfig`.
 */
export function stateConfig(args: Arguments, env: NodeJS.ProcessEnv): Promise<Config> {
  const flags = Object.keys(stateFlags).flatMap((name) => {
    const value = args.value(name)
    return value === undefined ? [] : [`--${name}=${value}`]
  })
  return loadConfig(flags, env)
}

/** The words from `start` to `end` as a range of indexes: `INDEX [END]`. @throws StartupProblem for other words. */
export function indexRange(words: readonly string[]): { from: number; to: number } {
  const [from = Number.NaN, to = from] = words.map((word) =>
    /^\d{1,9}$/.test(word) ? Number(word) : Number.NaN,
  )
  if (Number.isNaN(from) || Number.isNaN(to) || to < from)
    throw new StartupProblem(
      `${words.join(' ')} is not a range: write the index of the first and of the last entry.`,
    )
  return { from, to }
}

/** Returns an entry of a table by a name that the user wrote. @throws StartupProblem that lists all names. */
export function entryNamed<T>(table: Readonly<Record<string, T>>, name: string, what: string): T {
  const entry = entryOf(table, name)
  if (entry !== undefined) return entry
  throw new StartupProblem(`Unknown ${what} ${name}: use ${Object.keys(table).join(', ')}.`)
}
