// Checks and edits of the users in a changing state.
import { removeEntry, setEntry } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import { firstUser, type State, type UserRecord } from '#src/state/state.ts'

/** Whether a state has an administrator. */
export function hasAdmin({ users }: Readonly<State>): boolean {
  return Object.values(users).some(({ perm }) => perm.admin)
}

/** @throws Problem `user.exists` when another user than `exceptId` has this name. */
export function refuseTaken(draft: State, username: string, exceptId?: number): void {
  const key = userNameKey(username)
  const isTaken = Object.values(draft.users).some(
    (user) => user.id !== exceptId && userNameKey(user.username) === key,
  )
  if (isTaken) throw new Problem('user.exists')
}

/** @throws Problem `user.last` when no administrator is left. */
export function refuseWithoutAdmin(draft: State): void {
  if (!hasAdmin(draft)) throw new Problem('user.last')
}

/** Sets the hash of a user's password, and whether the user must change it at the next sign-in. */
export function replacePassword(
  draft: State,
  { mustChangePassword: _before, ...user }: UserRecord,
  { hash, mustChange = false }: { hash: string; mustChange?: boolean },
): void {
  setEntry(draft.users, user.id, { ...user, ...(mustChange && { mustChangePassword: true }) })
  setEntry(draft.credentials.passwords, user.id, hash)
}

/** Removes an account and its shares from a state. */
export function erase(draft: State, id: number): void {
  removeEntry(draft.users, id)
  removeEntry(draft.credentials.passwords, id)
  for (const { hash, userID } of Object.values(draft.shares)) {
    if (userID === id) removeEntry(draft.shares, hash)
  }
}

/**
 * Adds an account to a new or changing state. The name must be free.
 *
 * @param hash argon2id hash of its password
 */
export function insertUser(draft: State, fields: Omit<UserRecord, 'id'>, hash: string): UserRecord {
  const id = draft.nextUserId++
  const user = { ...fields, id }
  setEntry(draft.users, id, user)
  setEntry(draft.credentials.passwords, id, hash)
  return user
}

/** Adds the first administrator to a new or changing state. The name must be free. */
export function insertFirstAdmin(
  draft: State,
  { username, hash, mustChange = false }: { username: string; hash: string; mustChange?: boolean },
): UserRecord {
  const fields = { ...firstUser, username, lockPassword: false, commands: [], rules: [] }
  return insertUser(draft, { ...fields, ...(mustChange && { mustChangePassword: true }) }, hash)
}
