import { flagsHelp } from '#src/config/help.ts'
import { version } from '#src/core/version.ts'
import { type Flag, flagsOf, type Subcommand } from './parsing/subcommand.ts'

/** Returns the help: all commands, and the options of `serve`. */
export function generalHelp(subcommands: Readonly<Record<string, Subcommand>>): string {
  return [
    `Coffer ${version}: a self-hosted web file manager.`,
    '',
    ...columns(Object.entries(subcommands).map(([name, each]) => [callOf(name, each), each.sentence])),
    ...columns([
      [
        'coffer help [COMMAND]',
        'Prints this help, or the help of one command. So does coffer COMMAND --help.',
      ],
    ]),
    '',
    'Flags of serve and systemd. Each can also be set by an environment variable (COFFER_LOG_FORMAT for --log-format)',
    'or in the file of --config. A flag takes precedence over the environment, and the environment over the file.',
    '',
    flagsHelp(),
  ].join('\n')
}

/** Returns the help of the given commands: how to call each, and its flags. */
export function helpOf(subcommands: Readonly<Record<string, Subcommand>>): string {
  const parts = Object.entries(subcommands).map(([name, subcommand]) => {
    const flags = Object.entries(flagsOf(subcommand)).map(
      ([flag, each]) => [flagText(flag, each), each.description] as const,
    )
    const options = subcommand.reads === 'options' ? ['', flagsHelp()] : []
    return [callOf(name, subcommand), `  ${subcommand.sentence}`, ...columns(flags, '    '), ...options].join(
      '\n',
    )
  })
  return parts.join('\n\n')
}

function callOf(name: string, { usage = '' }: Subcommand): string {
  return `coffer ${name === 'serve' ? '[serve]' : name} ${usage}`.trimEnd()
}

function flagText(name: string, { short, value }: Flag): string {
  return `${short ? `-${short},` : '   '} --${name}${value ? ` ${value}` : ''}`
}

/** Two columns. A long entry of the first column gets a line of its own. */
function columns(rows: readonly (readonly [string, string])[], indent = '  '): string[] {
  const most = 30
  const width = Math.min(most, Math.max(0, ...rows.map(([first]) => first.length)))
  return rows.flatMap(([first, second]) =>
    first.length > width
      ? [`${indent}${first}`, `${indent}${''.padEnd(width + 2)}${second}`]
      : [`${indent}${first.padEnd(width + 2)}${second}`],
  )
}
