import { flagsHelp } from '#src/config/help.ts'
import { loadConfig } from '#src/config/load.ts'
import { embeddedFile } from '#src/core/embedded.ts'
import { entryOf } from '#src/core/lookup.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { version } from '#src/core/version.ts'
import { readPassword } from './read-password.ts'
import { systemdUnit } from './systemd.ts'

/** The context of a subcommand: the arguments after it, the environment, and the two outputs. */
export interface Terminal {
  /** The command that starts this program again: the executable, or Node and a script. */
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadStream
  /** Prints one line of the result. */
  readonly print: (line: string) => void
  /** Prints one line of advice, separate from the result. */
  readonly warn: (line: string) => void
}

interface Subcommand {
  readonly usage: string
  readonly sentence: string
  run(args: readonly string[], terminal: Terminal): Promise<void>
}

const subcommands: Record<string, Subcommand> = {
  serve: {
    usage: '[serve] [flags]',
    sentence: 'Serves a folder. This is the default command.',
    run: async (args, { env, warn, print }) => {
      const config = await loadConfig(args, env, warn)
      // Imported only here: the other subcommands start faster without it and need no native add-on.
      const { serve } = await import('#src/main.ts')
      await serve(config, print)
    },
  },
  hash: {
    usage: 'hash [PASSWORD]',
    sentence:
      'Prints the hash of a password, for --password. Without PASSWORD, reads the first line of standard input.',
    run: async (args, { print, warn, stdin }) => {
      const plain = await readPassword(args, stdin)
      const { passwordWarning: weaknessOf } = await import('#src/users/password-policy.ts')
      const weakness = weaknessOf(plain, '')
      if (weakness) warn(weakness)
      const { hashPassword } = await import('#src/core/access/passwords.ts')
      print(await hashPassword(plain))
    },
  },
  systemd: {
    usage: 'systemd [flags]',
    sentence: 'Prints a hardened systemd unit that runs coffer serve with these flags.',
    run: async (args, { print, command: program }) => print(await systemdUnit(args, program)),
  },
  licences: {
    usage: 'licences',
    sentence: 'Prints the licences of Coffer and of all software in the executable.',
    run: async (args, { print }) => {
      refuseArguments('licences', args)
      const text = embeddedFile('licences.txt')
      if (!text)
        throw new StartupProblem(
          'Only the executable contains all licences: see LICENSE and node_modules instead.',
        )
      print(text.toString())
    },
  },
  version: {
    usage: 'version',
    sentence: 'Prints the version.',
    run: async (args, { print }) => {
      refuseArguments('version', args)
      print(`coffer ${version}`)
    },
  },
  help: {
    usage: 'help',
    sentence: 'Prints this help.',
    run: async (_, { print }) => print(help()),
  },
}

/**
 * Runs the subcommand on the command line.
 *
 * @throws StartupProblem when the arguments are invalid.
 */
export async function run(argv: readonly string[], terminal: Terminal): Promise<void> {
  const [first = '', ...rest] = argv
  if (argv.some((word) => word === '--help' || word === '-h')) return subcommands.help?.run([], terminal)
  if (first === '--version' || first === '-v') return subcommands.version?.run(rest, terminal)
  const named = first !== '' && !first.startsWith('-')
  const subcommand = entryOf(subcommands, named ? first : 'serve')
  if (!subcommand) throw new StartupProblem(`Unknown command ${first}: coffer help lists all commands.`)
  return subcommand.run(named ? rest : argv, terminal)
}

function help(): string {
  const rows = Object.values(subcommands).map(
    ({ usage, sentence }) => `  coffer ${usage.padEnd(18)}${sentence}`,
  )
  return [
    `Coffer ${version}: a self-hosted web file manager.`,
    '',
    ...rows,
    '',
    'Flags of serve and systemd. Each can also be set by an environment variable (COFFER_LOG_FORMAT for --log-format)',
    'or in the file of --config. A flag takes precedence over the environment, and the environment over the file.',
    '',
    flagsHelp(),
  ].join('\n')
}

function refuseArguments(subcommand: string, args: readonly string[]): void {
  if (args.length)
    throw new StartupProblem(`coffer ${subcommand} takes no arguments: remove ${args.join(' ')}.`)
}
