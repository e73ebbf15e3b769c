import type { UserInput, UserView } from '#contract/users.ts'
import { onState, withState } from '#src/cli/parsing/run-call.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { findState } from '#src/start/state-folder.ts'
import { stateConfig } from '../parsing/arguments.ts'
import { fieldFlags, givenFields } from '../parsing/field-flags.ts'
import { failWrite, readExport, writeExport } from '../parsing/files.ts'
import { refusePublicPlace } from '../parsing/public-place.ts'
import { readPassword } from '../parsing/read-password.ts'
import { type Arguments, jsonFlag, type Subcommand, type Terminal } from '../parsing/subcommand.ts'
import { printResult, textTable, visible } from '../parsing/table.ts'

const lockFlag = { lockPassword: { description: 'Whether the user may not change the password.' } }

/** The commands for users. They work while the server runs and when it does not. */
export const userCommands: Readonly<Record<string, Subcommand>> = {
  'users add': {
    usage: 'NAME [PASSWORD]',
    sentence:
      'Creates a user. Without PASSWORD, asks for it, or reads the first line of standard input. Other fields are as in the settings.',
    words: [1, 2],
    flags: { ...jsonFlag, ...lockFlag, ...fieldFlags },
    reads: 'state',
    async run(args, terminal) {
      const [username = '', given] = args.words
      const password = await readPassword(given, terminal.stdin, `Password of ${visible(username)}: `)
      await withState(args, terminal, async (call) => {
        const { defaults } = (await call('settings/get', {})) ?? {}
        const user = { username, password, ...lockOf(args), ...givenFields(args, defaults) }
        printUser(args, terminal, await call('users/add', { user }), 'Created')
      })
    },
  },
  'users ls': {
    sentence: 'Lists all users.',
    flags: jsonFlag,
    ...onState(async (call, args, terminal) => printUsers(args, terminal, await call('users/list', {}))),
  },
  'users find': {
    usage: 'NAME|ID',
    sentence: 'Shows one user. A number is always an id.',
    words: [1, 1],
    flags: jsonFlag,
    ...onState(async (call, args, terminal) =>
      printUsers(args, terminal, [await call('users/find', { who: wordOf(args) })]),
    ),
  },
  'users update': {
    usage: 'NAME|ID',
    sentence: 'Changes the given fields of a user.',
    words: [1, 1],
    flags: {
      ...jsonFlag,
      username: { short: 'u', value: 'NAME', description: 'The new name.' },
      password: {
        short: 'p',
        value: 'TEXT',
        description: 'The new password; coffer users passwd asks for it.',
      },
      ...lockFlag,
      ...fieldFlags,
    },
    ...onState(async (call, args, terminal) => {
      const who = wordOf(args)
      const data = changesOf(args, await call('users/find', { who }))
      printUser(args, terminal, await call('users/update', { who, data }), 'Changed')
    }),
  },
  'users passwd': {
    usage: 'NAME|ID [PASSWORD]',
    sentence:
      'Sets the password of a user and ends all sessions of the user. Without PASSWORD, asks for it, or reads the first line of standard input.',
    words: [1, 2],
    flags: { ...jsonFlag, generate: { description: 'Makes up a password and prints it.' } },
    reads: 'state',
    async run(args, terminal) {
      const who = wordOf(args)
      const prompt = `New password of ${visible(who)}: `
      const password = args.has('generate')
        ? undefined
        : await readPassword(args.words[1], terminal.stdin, prompt)
      await withState(args, terminal, async (call) => {
        const { generated } = await call('users/password', { who, ...(password && { password }) })
        const toText = () => generated ?? `The password of ${visible(who)} is changed.`
        printResult(args, terminal, { value: { who, generated }, toText })
      })
    },
  },
  'users rm': {
    usage: 'NAME|ID',
    sentence: 'Deletes a user and the shares of the user. The files stay.',
    words: [1, 1],
    flags: jsonFlag,
    ...onState(async (call, args, terminal) =>
      printUser(args, terminal, await call('users/remove', { who: wordOf(args) }), 'Deleted'),
    ),
  },
  'users export': {
    usage: 'FILE',
    sentence: 'Writes all users with the hashes of their passwords to a .json or .yaml file.',
    words: [1, 1],
    flags: jsonFlag,
    reads: 'state',
    async run(args, terminal) {
      const file = wordOf(args)
      const config = await stateConfig(args, terminal.env)
      const state = await findState(config)
      const own = state ? [state.file, state.folder] : []
      await refusePublicPlace(file, { own, root: config.root }).catch(failWrite(file))
      await withState(args, terminal, async (call) => {
        const users = await call('users/export', {})
        await writeExport(file, users)
        const toText = () => `${users.length} users are in ${file}.`
        printResult(args, terminal, { value: { users: users.length }, toText })
      })
    },
  },
  'users import': {
    usage: 'FILE',
    sentence:
      'Creates the users of a file that users export has written, all or none. For files of File Browser: coffer import.',
    words: [1, 1],
    flags: {
      ...jsonFlag,
      overwrite: { description: 'Changes users that exist. Without it, they stay as they are.' },
      replace: { description: 'Also deletes all users that the file does not contain.' },
    },
    reads: 'state',
    async run(args, terminal) {
      const users = await readExport(wordOf(args))
      if (!Array.isArray(users)) throw new StartupProblem(`${wordOf(args)} must contain a list of users.`)
      await withState(args, terminal, async (call) => {
        const how = { overwrite: args.has('overwrite'), replace: args.has('replace') }
        const { changedIds: _ids, ...report } = await call('users/import', { users, ...how })
        const lines = Object.entries(report).map(
          ([what, names]) => `${what}: ${names.map(visible).join(', ') || 'none'}`,
        )
        printResult(args, terminal, { value: report, toText: () => lines.join('\n') })
        if (report.skipped.length > 0) terminal.warn('Skipped users exist: add --overwrite to change them.')
      })
    },
  },
}

function wordOf(args: Arguments): string {
  return args.words[0] ?? ''
}

function lockOf(args: Arguments): Pick<UserInput, 'lockPassword'> {
  const lockPassword = args.choice('lockPassword')
  return lockPassword === undefined ? {} : { lockPassword }
}

function changesOf(args: Arguments, user: UserView): UserInput {
  const [username, password] = [args.value('username'), args.value('password')]
  const data = {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...lockOf(args),
    ...givenFields(args, user),
  }
  if (Object.keys(data).length > 0) return data
  throw new StartupProblem('There is nothing to change: coffer users update --help lists all flags.')
}

function printUser(args: Arguments, terminal: Terminal, user: UserView, done: string): void {
  const toText = () => `${done} the user ${visible(user.username)} (id ${user.id}).`
  printResult(args, terminal, { value: user, toText })
}

function printUsers(args: Arguments, terminal: Terminal, users: readonly UserView[]): void {
  const rows = users.map((user) => [
    user.id,
    user.username,
    user.scope,
    user.locale || '-',
    permissionsOf(user),
  ])
  const toText = () => textTable(['ID', 'NAME', 'SCOPE', 'LANGUAGE', 'PERMISSIONS'], rows)
  printResult(args, terminal, { value: users, toText })
}

function permissionsOf({ perm, lockPassword }: UserView): string {
  const names = Object.entries(perm).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
  const shown = perm.admin ? ['admin'] : names
  return [...(shown.length > 0 ? shown : ['none']), ...(lockPassword ? ['(locked password)'] : [])].join(' ')
}
