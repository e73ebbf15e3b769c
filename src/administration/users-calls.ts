import Type from 'typebox'
import { UserInput, type UserView } from '#contract/users.ts'
import type { Sessions } from '#src/auth/sessions.ts'
import { type ControlCall, controlCall } from '#src/control/control-call.ts'
import { CommandProblem } from '#src/core/problem.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { ExportedUser, ImportedUsers } from '#src/users/bulk-users.ts'
import type { PasswordReset } from '#src/users/password-reset.ts'
import type { Provisioning } from '#src/users/provisioning.ts'
import type { Users } from '#src/users/users.ts'

/** What the control calls on users need. */
export interface UserSources {
  users: Users
  provisioning: Provisioning
  sessions: Sessions
  resetPassword: PasswordReset['resetPassword']
  exportUsers: () => Promise<ExportedUser[]>
  importUsers: (
    users: readonly unknown[],
    how: { overwrite: boolean; replace: boolean },
  ) => Promise<ImportedUsers>
}

/** A user by id or by name. A number is always an id. */
export const Who = Type.String({ minLength: 1, maxLength: 256 })

/** Finds a user by id or name; with `isName`, only by name, which may be a number. @throws CommandProblem when there is none. */
export async function findUser(users: Users, who: string, isName = false): Promise<UserRecord> {
  const isId = !isName && /^\d+$/.test(who)
  const user = await (isId ? users.findById(Number(who)) : users.findByName(who))
  if (!user) throw new CommandProblem(`There is no user ${who}: coffer users ls lists all users.`)
  return user
}

/** The control calls on users. The operator of the machine needs no administrator. */
export function userCalls({ users, provisioning, sessions, resetPassword, ...bulk }: UserSources) {
  const view = (user: UserRecord): UserView => ({ ...user, password: '' })

  async function change(who: string, data: UserInput): Promise<UserRecord> {
    const user = await findUser(users, who)
    const endsSessions = await users.change(undefined, user.id, { which: ['all'], data })
    if (endsSessions) await sessions.endAll(user.id)
    return users.get(user.id)
  }

  return {
    'users/list': controlCall(Type.Object({}), async () => (await users.all()).map(view)),

    'users/find': controlCall(Type.Object({ who: Who }), async ({ who }) => view(await findUser(users, who))),

    'users/add': controlCall(
      Type.Object({ user: Type.Intersect([UserInput, Type.Object({ username: Type.String() })]) }),
      async ({ user }) => view(await provisioning.create(undefined, user)),
    ),

    'users/update': controlCall(Type.Object({ who: Who, data: UserInput }), async ({ who, data }) =>
      view(await change(who, data)),
    ),

    /** Sets a password, or makes one up, which the user must change. All sessions of the user end. */
    'users/password': controlCall(
      Type.Object({ who: Who, password: Type.Optional(Type.String({ maxLength: 1024 })) }),
      async ({ who, password }) => {
        const { id } = await findUser(users, who)
        const next = await resetPassword(id, password === undefined ? {} : { password })
        return { generated: password === undefined ? next : undefined }
      },
    ),

    'users/remove': controlCall(Type.Object({ who: Who }), async ({ who }) => {
      const user = await findUser(users, who)
      await users.remove(undefined, user.id)
      await sessions.endAll(user.id)
      return view(user)
    }),

    'users/export': controlCall(Type.Object({}), async () => bulk.exportUsers()),

    'users/import': controlCall(
      Type.Object({
        users: Type.Array(Type.Unknown(), { maxItems: 100_000 }),
        overwrite: Type.Boolean(),
        replace: Type.Boolean(),
      }),
      async ({ users: given, ...how }) => {
        const report = await bulk.importUsers(given, how)
        for (const id of report.changedIds) await sessions.endAll(id)
        return report
      },
    ),
  } satisfies Record<string, ControlCall<never, unknown>>
}
