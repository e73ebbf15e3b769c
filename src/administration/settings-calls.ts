import { isDeepStrictEqual } from 'node:util'
import Type from 'typebox'
import { SettingsFields, type SettingsView } from '#contract/settings.ts'
import { type Rule, RulesInput } from '#contract/users.ts'
import { type ControlCall, controlCall } from '#src/control/control-call.ts'
import { entryOf, setEntry } from '#src/core/lookup.ts'
import { CommandProblem } from '#src/core/problem.ts'
import type { Settings } from '#src/settings/settings.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Users } from '#src/users/users.ts'
import { findUser, Who } from './users-calls.ts'

const Index = Type.Integer({ minimum: 0 })
const Range = { from: Index, to: Index }

/** The control calls on the settings of the instance, on rules and on commands that are bound to events. */
export function settingsCalls({ settings, users }: { settings: Settings; users: Users }) {
  return {
    'settings/get': controlCall(Type.Object({}), async (): Promise<SettingsView> => settings.get()),

    'settings/change': controlCall(Type.Object({ settings: SettingsFields }), async ({ settings: given }) => {
      await settings.change(undefined, given)
      return settings.get()
    }),
    ...ruleCalls({ settings, users }),
    ...commandCalls(settings),
  } satisfies Record<string, ControlCall<never, unknown>>
}

/** The rules of the instance, or of the user `who`. */
function ruleCalls({ settings, users }: { settings: Settings; users: Users }) {
  const ofUser = { who: Type.Optional(Who), isName: Type.Optional(Type.Boolean()) }

  async function change(
    { who, isName }: { who?: string; isName?: boolean },
    edit: (rules: readonly Rule[]) => Rule[],
  ): Promise<Rule[]> {
    if (who === undefined) {
      await settings.change(undefined, ({ rules }) => ({ rules: edit(rules) }))
      return (await settings.get()).rules
    }
    for (;;) {
      const { id, rules } = await findUser(users, who, isName)
      let hasChanged = false
      const recheck = (present: UserRecord) => {
        hasChanged = !isDeepStrictEqual(present.rules, rules)
        if (hasChanged) throw new CommandProblem('The rules were changed by somebody else at the same time.')
      }
      try {
        await users.change(undefined, id, {
          which: ['rules'],
          data: { rules: edit(rules) },
          recheck,
        })
        return (await users.get(id)).rules
      } catch (error) {
        if (!hasChanged) throw error
      }
    }
  }

  return {
    'rules/list': controlCall(
      Type.Object(ofUser),
      async ({ who, isName }) =>
        (await (who === undefined ? settings.get() : findUser(users, who, isName))).rules,
    ),

    'rules/add': controlCall(Type.Object({ ...ofUser, rules: RulesInput }), async ({ rules, ...whose }) =>
      change(whose, (present) => [...present, ...((rules ?? []) as Rule[])]),
    ),

    'rules/remove': controlCall(Type.Object({ ...ofUser, ...Range }), async ({ from, to, ...whose }) =>
      change(whose, (present) => withoutRange(present, { from, to }, 'rule')),
    ),
  }
}

/** The command lines that are bound to events. */
function commandCalls(settings: Settings) {
  const Event = Type.String({ pattern: '^(before|after)_[a-z]{1,20}$' })
  const linesOf = async (event: string): Promise<readonly string[]> => {
    const { commands } = await settings.get()
    const lines = entryOf(commands, event)
    if (lines) return lines
    const known = Object.keys(commands).join(', ')
    throw new CommandProblem(`There is no event ${event}: use ${known}.`)
  }

  async function change(event: string, edit: (lines: readonly string[]) => string[]): Promise<string[]> {
    await linesOf(event)
    await settings.change(undefined, ({ commands }) => {
      const next = { ...commands }
      setEntry(next, event, edit(entryOf(commands, event) ?? []))
      return { commands: next }
    })
    return [...(await linesOf(event))]
  }

  return {
    'commands/list': controlCall(Type.Object({}), async () => (await settings.get()).commands),

    'commands/add': controlCall(
      Type.Object({
        event: Event,
        line: Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\0\\r\\n]*$' }),
      }),
      async ({ event, line }) => change(event, (lines) => [...lines, line]),
    ),

    'commands/remove': controlCall(Type.Object({ event: Event, ...Range }), async ({ event, ...range }) =>
      change(event, (lines) => withoutRange(lines, range, 'command')),
    ),
  }
}

/** The list without the entries from `from` to `to`, which are indexes. @throws CommandProblem for indexes outside. */
function withoutRange<T>(list: readonly T[], { from, to }: { from: number; to: number }, what: string): T[] {
  if (to < list.length && from <= to) return list.toSpliced(from, to - from + 1)
  const known = list.length === 0 ? `there is no ${what}` : `the indexes are 0 to ${list.length - 1}`
  throw new CommandProblem(`There is no ${what} with the index ${Math.max(from, to)}: ${known}.`)
}
