import { entryOf } from '#src/core/lookup.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { backupCommands } from './commands/backup.ts'
import { basicCommands } from './commands/basic.ts'
import { completionCommand } from './commands/completion.ts'
import { containerCommand } from './commands/container.ts'
import { doctorCommand } from './commands/doctor.ts'
import { healthCommand } from './commands/health.ts'
import { auditCommands } from './commands/history/audit.ts'
import { trashCommands } from './commands/history/trash.ts'
import { importCommand } from './commands/import.ts'
import { settingCommands } from './commands/settings.ts'
import { userCommands } from './commands/users.ts'
import type { Subcommand } from './parsing/subcommand.ts'

/** All subcommands by name, in the order of the help. */
export const subcommands: Readonly<Record<string, Subcommand>> = {
  ...basicCommands,
  ...userCommands,
  ...settingCommands,
  completion: completionCommand(() => subcommands),
  import: importCommand,
  health: healthCommand,
  container: containerCommand,
  ...backupCommands,
  ...auditCommands,
  ...trashCommands,
  ...doctorCommand,
}

/**
 * Finds the subcommand that a command line begins with. Without a name, it is `serve`.
 *
 * @returns its name, and the arguments after the name
 * @throws StartupProblem when there is no such subcommand.
 */
export function findSubcommand(argv: readonly string[]): {
  name: string
  subcommand: Subcommand
  args: readonly string[]
} {
  const [first = '', second = ''] = argv
  const isNamed = first !== '' && !first.startsWith('-')
  const name = isNamed ? first : 'serve'
  for (const [each, count] of [
    [`${name} ${second}`, 2],
    [name, isNamed ? 1 : 0],
  ] as const) {
    const subcommand = entryOf(subcommands, each)
    if (subcommand) return { name: each, subcommand, args: argv.slice(count) }
  }
  const group = Object.keys(subcommands).filter((each) => each.startsWith(`${name} `))
  if (group.length > 0)
    throw new StartupProblem(`coffer ${name} needs one of these words: ${secondWords(group)}.`)
  throw new StartupProblem(`Unknown command ${name}: coffer help lists all commands.`)
}

function secondWords(names: readonly string[]): string {
  return names.map((name) => name.split(' ')[1]).join(', ')
}
