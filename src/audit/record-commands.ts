import type { ControlCall, ControlCallContext, ControlCalls } from '#src/control/control-call.ts'
import { Problem } from '#src/core/problem.ts'
import type { Audit } from './audit.ts'
import { type AuditEntry, command } from './entry.ts'

/** What a command has changed: names, never values. */
interface Changed {
  kind: 'users' | 'settings' | 'trash'
  what: string
}

/** The inputs of the control calls that are recorded, as far as their records need them. */
interface Input {
  who?: string
  user?: { username: string }
  data?: object
  settings?: object
  event?: string
  users?: unknown[]
  dryRun?: boolean
}

const fieldsOf = (data: object = {}) => Object.keys(data).sort().join(', ')

/** The control calls that change something, or that read all secrets. */
const recorded: Readonly<Record<string, (input: Input) => Changed | undefined>> = {
  'users/add': ({ user }) => ({ kind: 'users', what: user?.username ?? '' }),
  'users/update': ({ who, data }) => ({ kind: 'users', what: `${who}: ${fieldsOf(data)}` }),
  'users/password': ({ who }) => ({ kind: 'users', what: `${who}: password` }),
  'users/remove': ({ who }) => ({ kind: 'users', what: who ?? '' }),
  'users/export': () => ({ kind: 'users', what: 'all users' }),
  'users/import': ({ users = [] }) => ({ kind: 'users', what: `${users.length} users` }),
  'settings/change': ({ settings }) => ({ kind: 'settings', what: fieldsOf(settings) }),
  'rules/add': ({ who }) => rulesOf(who),
  'rules/remove': ({ who }) => rulesOf(who),
  'commands/add': ({ event }) => ({ kind: 'settings', what: `commands.${event}` }),
  'commands/remove': ({ event }) => ({ kind: 'settings', what: `commands.${event}` }),
  'trash/empty': () => ({ kind: 'trash', what: 'all entries' }),
  'trash/rebuild': () => ({ kind: 'trash', what: 'the records' }),
  'backup/write': () => ({ kind: 'settings', what: 'a backup was written' }),
  'backup/restore': ({ dryRun }) =>
    dryRun ? undefined : { kind: 'settings', what: 'a backup was restored' },
}

function rulesOf(who: string | undefined): Changed {
  return who === undefined ? { kind: 'settings', what: 'rules' } : { kind: 'users', what: `${who}: rules` }
}

/** Returns the control calls of commands, so that what they change is recorded. */
export function recordCommands<All extends ControlCalls>(all: All, audit: Pick<Audit, 'note'>): All {
  const entries = Object.entries(all).map(([name, one]) => {
    const describe = new Map(Object.entries(recorded)).get(name)
    return [name, describe ? recording(name, one, { describe, audit }) : one]
  })
  return Object.fromEntries(entries) as All
}

function recording(
  name: string,
  { input: schema, run }: ControlCall<Input, unknown>,
  { describe, audit }: { describe: (input: Input) => Changed | undefined; audit: Pick<Audit, 'note'> },
): ControlCall<Input, unknown> {
  return {
    input: schema,
    async run(input: Input, context: ControlCallContext) {
      const changed = describe(input)
      const note = (outcome: AuditEntry['outcome'], code = '') => {
        if (!changed) return
        const detail = [code, `coffer ${name.replace('/', ' ')}: ${changed.what}`].filter(Boolean).join(' ')
        audit.note({ kind: changed.kind, outcome, who: command, detail })
      }
      try {
        const result = await run(input, context)
        note('done')
        return result
      } catch (error) {
        note('failed', error instanceof Problem ? error.code : '')
        throw error
      }
    },
  }
}
