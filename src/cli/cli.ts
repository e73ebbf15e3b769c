import { generalHelp, helpOf } from './help.ts'
import { parseArguments } from './parsing/arguments.ts'
import { flagsOf, type Terminal } from './parsing/subcommand.ts'
import { findSubcommand, subcommands } from './subcommands.ts'

/**
 * Runs the subcommand on the command line.
 *
 * @throws StartupProblem when the arguments are invalid.
 * @throws Problem when the command cannot do what it was told.
 */
export async function run(
  argv: readonly string[],
  surroundings: Omit<Terminal, 'runCommand'>,
): Promise<void> {
  const terminal = { ...surroundings, runCommand: (next: readonly string[]) => run(next, surroundings) }
  const [first = '', ...rest] = argv
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  if (first === 'help' || options.some((word) => word === '--help' || word === '-h'))
    return terminal.print(helpFor(argv.filter((word) => word !== 'help' && !word.startsWith('-'))))
  if (first === '--version' || first === '-v') return run(['version', ...rest], terminal)
  const { name, subcommand, args } = findSubcommand(argv)
  if (subcommand.reads === 'options')
    return subcommand.run({ ...parseArguments([], { name, flags: {} }), all: args }, terminal)
  await subcommand.run(parseArguments(args, { ...subcommand, name, flags: flagsOf(subcommand) }), terminal)
}

/** The help of the command, or the group of commands, with these words. Of everything, if there is none. */
function helpFor(words: readonly string[]): string {
  const [first = '', second = ''] = words
  const isAsked = (name: string) => name === `${first} ${second}`.trim() || name === first
  const exact = Object.entries(subcommands).filter(([name]) => isAsked(name))
  const group = Object.entries(subcommands).filter(([name]) => name.startsWith(`${first} `))
  const found = exact.length > 0 ? exact : group
  return found.length > 0 && first !== '' ? helpOf(Object.fromEntries(found)) : generalHelp(subcommands)
}
