// Checks and edits of the users in a changing state.

import { Problem } from '#src/core/problem.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import { firstUser } from '#src/state/defaults.ts'
import type { Draft } from '#src/state/draft.ts'
import type { UserRecord } from '#src/state/state.ts'

/** @throws Problem `user.exists` when another user than `exceptId` has this name. */
export function refuseTaken(draft: Draft, username: string, exceptId?: number): void {
  const key = userNameKey(username)
  const isTaken = draft.users
    .list()
    .some((user) => user.id !== exceptId && userNameKey(user.username) === key)
  if (isTaken) throw new Problem('user.exists')
}

/** @throws Problem `user.last` when no administrator is left. */
export function refuseWithoutAdmin(draft: Draft): void {
  if (!draft.users.list().some(({ perm }) => perm.admin)) throw new Problem('user.last')
}

/** Sets the hash of a user's password, and whether the user must change it at the next sign-in. */
export function replacePassword(
  draft: Draft,
  { mustChangePassword: _before, ...user }: UserRecord,
  { hash, mustChange = false }: { hash: string; mustChange?: boolean },
): void {
  draft.users.set(user.id, { ...user, ...(mustChange && { mustChangePassword: true }) })
  draft.passwords.set(user.id, hash)
}

/** Removes an account and its shares from a state. */
export function erase(draft: Draft, id: number): void {
  draft.users.remove(id)
  draft.passwords.remove(id)
  for (const { hash, userID } of draft.links.list()) {
    if (userID === id) draft.links.remove(hash)
  }
}

/**
 * Adds an account to a new or changing state. The name must be free.
 *
 * @param hash argon2id hash of its password
 */
export function insertUser(draft: Draft, fields: Omit<UserRecord, 'id'>, hash: string): UserRecord {
  const id = draft.newUserId()
  const user = { ...fields, id }
  draft.users.set(id, user)
  draft.passwords.set(id, hash)
  return user
}

/** Adds the first administrator to a new or changing state. The name must be free. */
export function insertFirstAdmin(
  draft: Draft,
  { username, hash, mustChange = false }: { username: string; hash: string; mustChange?: boolean },
): UserRecord {
  const fields = { ...firstUser, username, lockPassword: false, commands: [], rules: [] }
  return insertUser(draft, { ...fields, ...(mustChange && { mustChangePassword: true }) }, hash)
}
