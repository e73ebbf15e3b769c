import Type, { type Static } from 'typebox'
import { hashPassword, isHash } from '#src/core/access/passwords.ts'
import { CommandProblem, Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { schemaProblem } from '#src/core/storage/schema-fault.ts'
import { validatorOf } from '#src/core/storage/validator.ts'
import { checkUserName, userNameKey } from '#src/core/text/user-names.ts'
import type { Draft } from '#src/state/draft.ts'
import { type UserRecord, UserRecord as userSchema } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { validatedFields, withAdminRules } from './fields.ts'
import type { Homes } from './homes.ts'
import { erase, insertUser, refuseWithoutAdmin } from './records.ts'

/** A user as `users export` writes it: the record, with the hash of the password. */
export const ExportedUser = Type.Object(
  { ...userSchema.properties, password: Type.String() },
  { additionalProperties: false },
)
export type ExportedUser = Static<typeof ExportedUser>

/** What an import has done: the names of the users. */
export interface ImportedUsers {
  added: string[]
  updated: string[]
  removed: string[]
  /** They exist, and `overwrite` was not given. */
  skipped: string[]
  /** Ids of users whose sessions must end. */
  changedIds: number[]
}

/** Returns all users with the hashes of their passwords, by id. */
export async function exportUsers({ users, passwords }: Store): Promise<ExportedUser[]> {
  const withHash = async (user: UserRecord) => ({ ...user, password: (await passwords.of(user.id)) ?? '' })
  return Promise.all((await users.list()).map(withHash))
}

/**
 * Adds the given users, all or none. New users get new ids, so that they inherit nothing of a deleted user. A user whose
 * name exists stays as it is, or gets the given fields with `overwrite`. With `replace`, all other users are deleted.
 *
 * @throws Problem `user.last` when no administrator would be left, and the problems of single users, as a CommandProblem
 *   that names the user.
 */
export async function importUsers(
  { store, homes }: { store: Store; homes: Homes },
  given: readonly unknown[],
  how: { overwrite: boolean; replace: boolean },
): Promise<ImportedUsers> {
  const users: ExportedUser[] = []
  for (const [at, one] of given.entries()) {
    const user = await checked(one, homes).catch((error: unknown) => nameUser(error, one, at))
    if (users.some((other) => userNameKey(other.username) === userNameKey(user.username)))
      throw new CommandProblem(`The file contains two users named ${user.username}: remove one of them.`)
    users.push(user)
  }
  // Without a password, a user can sign in only through a proxy, or after `coffer users passwd`.
  const unusableHash = users.every(({ password }) => password !== '') ? '' : await hashPassword(randomId(32))
  return store.change((draft) => merge(draft, users, { ...how, unusableHash }))
}

async function checked(given: unknown, homes: Homes): Promise<ExportedUser> {
  const validator = validatorOf(ExportedUser)
  if (!validator.Check(given)) throw schemaProblem(validator, given, 'the user')
  if (given.password !== '' && !isHash(given.password))
    throw new Problem('request.invalid', {
      field: 'password',
      reason: 'must be a hash, as coffer hash prints it',
    })
  const { id: _id, scope, password, ...fields } = given
  const user = { ...given, ...validatedFields(fields), username: checkUserName(given.username), password }
  return withAdminRules({ ...user, scope: await homes.checkScope(scope) })
}

function nameUser(error: unknown, given: unknown, at: number): never {
  if (!(error instanceof Problem)) throw error
  const { username } = (given ?? {}) as { username?: unknown }
  const name = typeof username === 'string' ? `${at + 1} (${username})` : at + 1
  throw new CommandProblem(`User ${name} of the file cannot be imported: ${error.message}.`, { cause: error })
}

function merge(
  draft: Draft,
  users: readonly ExportedUser[],
  how: { overwrite: boolean; replace: boolean; unusableHash: string },
): ImportedUsers {
  const report: ImportedUsers = { added: [], updated: [], removed: [], skipped: [], changedIds: [] }
  if (how.replace) eraseOthers(draft, users, report)
  const existing = new Map(draft.users.list().map((user) => [userNameKey(user.username), user]))
  for (const { password, ...user } of users) {
    const known = existing.get(userNameKey(user.username))
    if (!known) {
      insertUser(draft, user, password || how.unusableHash)
      report.added.push(user.username)
    } else if (how.overwrite || how.replace) {
      draft.users.set(known.id, { ...user, id: known.id })
      if (password) draft.passwords.set(known.id, password)
      report.updated.push(user.username)
      report.changedIds.push(known.id)
    } else report.skipped.push(user.username)
  }
  refuseWithoutAdmin(draft)
  return report
}

/** Deletes all users whose names are not among the given ones. */
function eraseOthers(draft: Draft, users: readonly ExportedUser[], report: ImportedUsers): void {
  const kept = new Set(users.map(({ username }) => userNameKey(username)))
  for (const { id, username } of draft.users.list()) {
    if (kept.has(userNameKey(username))) continue
    erase(draft, id)
    report.removed.push(username)
    report.changedIds.push(id)
  }
}
