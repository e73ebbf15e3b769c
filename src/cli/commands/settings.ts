import type { SettingsInput } from '#contract/settings.ts'
import type { Rule } from '#contract/users.ts'
import { onState, withState } from '#src/cli/parsing/run-call.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { indexRange } from '../parsing/arguments.ts'
import { fieldFlags, givenSettings, settingFlags } from '../parsing/field-flags.ts'
import { readExport, writeExport } from '../parsing/files.ts'
import {
  type Arguments,
  type Flags,
  jsonFlag,
  type Subcommand,
  type Terminal,
} from '../parsing/subcommand.ts'
import { printResult, textTable, visible } from '../parsing/table.ts'

const ofUser: Flags = {
  username: { short: 'u', value: 'NAME', description: 'The rules of this user, instead of those for all.' },
  id: { short: 'i', value: 'NUMBER', description: 'The rules of the user with this id.' },
}

/** The commands for settings, rules, and commands that are bound to events. */
export const settingCommands: Readonly<Record<string, Subcommand>> = {
  'config cat': {
    sentence: 'Prints the settings.',
    flags: jsonFlag,
    ...onState(async (call, args, terminal) => {
      const settings = await call('settings/get', {})
      const { stringify } = await import('yaml')
      printResult(args, terminal, { value: settings, toText: () => stringify(settings).trimEnd() })
    }),
  },
  'config set': {
    sentence: 'Changes the given settings. Flags for fields of users change what new users get.',
    flags: { ...jsonFlag, ...settingFlags, ...fieldFlags },
    reads: 'state',
    run: (args, terminal) => changeSettings(args, terminal, givenSettings(args)),
  },
  'config export': {
    usage: 'FILE',
    sentence: 'Writes the settings to a .json or .yaml file.',
    words: [1, 1],
    ...onState(async (call, args, terminal) => {
      const [file = ''] = args.words
      const { authMethod: _option, ...settings } = await call('settings/get', {})
      await writeExport(file, { settings })
      terminal.print(`The settings are in ${file}.`)
    }),
  },
  'config import': {
    usage: 'FILE',
    sentence:
      'Changes all settings to those of a file that config export has written. For files of File Browser: coffer import.',
    words: [1, 1],
    flags: jsonFlag,
    reads: 'state',
    async run(args, terminal) {
      const [file = ''] = args.words
      const content = await readExport(file)
      const { settings } = (content ?? {}) as { settings?: unknown }
      if (typeof settings !== 'object' || settings === null || 'key' in settings)
        throw new StartupProblem(
          `${file} is no export of Coffer's settings: import a file of File Browser with coffer import.`,
        )
      await changeSettings(args, terminal, settings)
    },
  },
  'rules ls': {
    sentence: 'Lists the rules for all users, or of one user, with their indexes.',
    flags: { ...jsonFlag, ...ofUser },
    ...onState(async (call, args, terminal) =>
      printRules(args, terminal, await call('rules/list', whoOf(args))),
    ),
  },
  'rules add': {
    usage: 'PATH|EXPRESSION',
    sentence: 'Adds a rule at the end, where it takes precedence. It denies, unless --allow is given.',
    words: [1, 1],
    flags: {
      ...jsonFlag,
      allow: { short: 'a', description: 'The rule allows.' },
      regex: { short: 'r', description: 'The argument is a regular expression (RE2).' },
      ...ofUser,
    },
    ...onState(async (call, args, terminal) => {
      const [text = ''] = args.words
      const [allow, regex] = [args.has('allow'), args.has('regex')]
      const rule = { allow, regex, path: regex ? '' : text, regexp: regex ? { raw: text } : null }
      printRules(args, terminal, await call('rules/add', { ...whoOf(args), rules: [rule] }))
    }),
  },
  'rules rm': {
    usage: 'INDEX [END]',
    sentence: 'Removes the rule with this index, or the rules from INDEX to END.',
    words: [1, 2],
    flags: { ...jsonFlag, ...ofUser },
    ...onState(async (call, args, terminal) =>
      printRules(args, terminal, await call('rules/remove', { ...whoOf(args), ...indexRange(args.words) })),
    ),
  },
  'cmds ls': {
    sentence: 'Lists the commands that are bound to events, with their indexes.',
    flags: {
      ...jsonFlag,
      event: { short: 'e', value: 'EVENT', description: 'Only those of this event, such as upload.' },
    },
    ...onState(async (call, args, terminal) => {
      const all = Object.entries(await call('commands/list', {}))
      const wanted = args.value('event')
      const shown = all.filter(([event]) => !wanted || event === wanted || event.endsWith(`_${wanted}`))
      if (wanted && shown.length === 0) throw new StartupProblem(`There is no event ${wanted}.`)
      printCommands(args, terminal, Object.fromEntries(shown))
    }),
  },
  'cmds add': {
    usage: 'EVENT COMMAND…',
    sentence: 'Binds a command to an event such as after_upload. Put it in quotes if it contains flags.',
    words: [2, 1000],
    flags: jsonFlag,
    ...onState(async (call, args, terminal) => {
      const [event = '', ...words] = args.words
      printCommands(args, terminal, {
        [event]: await call('commands/add', { event, line: words.join(' ') }),
      })
    }),
  },
  'cmds rm': {
    usage: 'EVENT INDEX [END]',
    sentence: 'Removes the command with this index from an event, or the commands from INDEX to END.',
    words: [2, 3],
    flags: jsonFlag,
    ...onState(async (call, args, terminal) => {
      const [event = '', ...range] = args.words
      const lines = await call('commands/remove', { event, ...indexRange(range) })
      printCommands(args, terminal, { [event]: lines })
    }),
  },
}

async function changeSettings(args: Arguments, terminal: Terminal, given: SettingsInput): Promise<void> {
  await withState(args, terminal, async (call) => {
    const settings = await call('settings/change', { settings: given })
    printResult(args, terminal, { value: settings, toText: () => 'The settings are changed.' })
  })
}

function whoOf(args: Arguments): { who?: string; isName?: boolean } {
  const [name, id] = [args.value('username'), args.value('id')]
  if (name !== undefined && id !== undefined)
    throw new StartupProblem('--username and --id cannot be used together: remove one of them.')
  if (id !== undefined && !/^\d+$/.test(id)) throw new StartupProblem(`--id must be a number; it is "${id}".`)
  if (id !== undefined) return { who: id }
  return name === undefined ? {} : { who: name, isName: true }
}

function printRules(args: Arguments, terminal: Terminal, rules: readonly Rule[]): void {
  const rows = rules.map(({ allow, regex, path, regexp }, index) => [
    index,
    allow ? 'allow' : 'deny',
    regex ? 'expression' : 'path',
    regex ? (regexp?.raw ?? '') : path,
  ])
  const toText = () =>
    rows.length === 0 ? 'There are no rules.' : textTable(['INDEX', 'EFFECT', 'KIND', 'RULE'], rows)
  printResult(args, terminal, { value: rules, toText })
}

function printCommands(args: Arguments, terminal: Terminal, events: Record<string, readonly string[]>): void {
  const lines = Object.entries(events).flatMap(([event, bound]) => [
    ...(bound.length > 0 ? [event] : []),
    ...bound.map((line, index) => `  ${index}  ${visible(line)}`),
  ])
  printResult(args, terminal, { value: events, toText: () => lines.join('\n') || 'There are no commands.' })
}
