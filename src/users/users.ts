import type { UserInput, UserView } from '#contract/users.ts'
import { hashPassword, isHash, verifyPassword } from '#src/core/access/passwords.ts'
import { entryOf, removeEntry, setEntry } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { type Recheck, unconditional } from '#src/core/recheck.ts'
import type { State, UserRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { checkUserName, userNameKey } from '#src/core/text/user-names.ts'
import {
  permittedFields,
  pickFields,
  throwIfRefused,
  type UserChange,
  validatedFields,
  withAdminRules,
} from './fields.ts'
import { type Homes, isSameScope } from './homes.ts'
import { checkPassword } from './password-policy.ts'
import { removalRefusal } from './users.policy.ts'

/** A new account, with the password in plain text. */
export type NewUser = Omit<UserRecord, 'id'> & { password: string }

/** Finds and lists users. */
function createDirectory(store: Store) {
  const all = () => Object.values(store.data.users).sort((a, b) => a.id - b.id)
  const get = (id: number): UserRecord => {
    const user = entryOf(store.data.users, id)
    if (!user) throw new Problem('user.unknown')
    return user
  }
  return {
    /** All users, by id. */
    all,
    /** @throws Problem `user.unknown`. */
    get,
    /** The user with this id; undefined when it was deleted. */
    findById: (id: number): UserRecord | undefined => entryOf(store.data.users, id),
    /** The user with exactly this name; undefined when there is none. */
    findByExactName: (username: string): UserRecord | undefined =>
      all().find((one) => one.username === username),
    /** The user with this name in any case and Unicode form; undefined when there is none. */
    findByName(username: string): UserRecord | undefined {
      const key = userNameKey(username)
      return all().find((one) => userNameKey(one.username) === key)
    },
    /** The administrator with the lowest id. @throws Problem `user.unknown` when there is none. */
    firstAdmin: (): UserRecord => get(all().find(({ perm }) => perm.admin)?.id ?? 0),
  }
}

/** Manages accounts. The only module that reads or writes users and password hashes. */
export function createUsers({ store, homes }: { store: Store; homes: Homes }) {
  const known = createDirectory(store)
  const { get, findByName: named } = known

  return {
    ...known,

    /** The user with this name and password; undefined when there is none. Takes the same time in both cases. */
    async verify(username: string, password: string): Promise<UserRecord | undefined> {
      const user = named(username)
      const stored = user && hashOf(store.data, user)
      const matches = await verifyPassword(stored, password)
      // The check takes time. A password that was changed meanwhile is rejected.
      return matches && user && hashOf(store.data, user) === stored ? user : undefined
    },

    /**
     * Adds an account on behalf of the administrator `by`, after `recheck`. With `isOwnScope`, no other user may have
     * the same scope.
     *
     * @throws Problem `user.exists`, `user.name`, `password.weak`, `password.common`.
     */
    async add(
      { password, ...fields }: NewUser,
      { isOwnScope, by, recheck }: { isOwnScope?: boolean; by?: number | undefined; recheck: Recheck },
    ): Promise<UserRecord> {
      const username = checkUserName(fields.username)
      const hash = await newHash(password, username)
      return store.update((draft) => {
        recheck()
        if (by !== undefined && !entryOf(draft.users, by)?.perm.admin) throw new Problem('auth.forbidden')
        refuseTaken(draft, username)
        const others = Object.values(draft.users)
        if (isOwnScope && others.some(({ scope }) => isSameScope(scope, fields.scope))) {
          throw new Problem('user.exists')
        }
        return insertUser(draft, withAdminRules({ ...fields, username }), hash)
      })
    },

    /**
     * Changes the named fields of the user `id`, all or none. Returns whether the user's sessions must end.
     *
     * @throws Problem `auth.forbidden`, `user.unknown`, `request.invalid`, `user.last`, and the problems of `add`.
     */
    async change(caller: UserRecord, id: number, change: UserChange): Promise<boolean> {
      const fields = permittedFields(caller, id, change)
      const user = get(id)
      const given = pickFields(change.data, fields)
      const edit = { ...validatedFields(withoutSameName(user, given)), ...(await newScope(user, given)) }
      const hash = given.password && (await newHash(given.password, edit.username ?? user.username))
      if (edit.scope) await homes.create(edit.scope)
      return store.update((draft) => {
        const record = entryOf(draft.users, id)
        if (!record) throw new Problem('user.unknown')
        change.recheck?.()
        // The caller may have lost permissions since the request began.
        permittedFields(callerNow(draft, caller), id, change)
        if (edit.username !== undefined) refuseTaken(draft, edit.username, id)
        const next = withAdminRules({ ...record, ...edit })
        setEntry(draft.users, id, next)
        refuseWithoutAdmin(draft)
        if (hash) setEntry(draft.credentials.passwords, id, hash)
        return Boolean(hash) || (next.lockPassword && !record.lockPassword)
      })
    },

    /**
     * Deletes an account. The files stay. The id is never used again.
     *
     * @throws Problem `auth.forbidden`, `user.unknown`, `user.last`.
     */
    async remove(caller: UserRecord, id: number, recheck = unconditional): Promise<void> {
      throwIfRefused(removalRefusal(caller, id))
      get(id)
      await store.update((draft) => {
        recheck()
        throwIfRefused(removalRefusal(callerNow(draft, caller), id))
        if (!entryOf(draft.users, id)) throw new Problem('user.unknown')
        erase(draft, id)
        refuseWithoutAdmin(draft)
      })
    },

    /** Removes a new account whose creation failed. */
    undoAdd: (id: number): Promise<void> => store.update((draft) => erase(draft, id)),
  }

  function newHash(password: string, username: string): Promise<string> {
    checkPassword(password, store.data.settings.minimumPasswordLength, username)
    return hashPassword(password)
  }

  async function newScope(user: UserRecord, { scope }: UserInput): Promise<{ scope?: string }> {
    return scope === undefined || scope === user.scope ? {} : { scope: await homes.checkScope(scope) }
  }
}

export type Users = ReturnType<typeof createUsers>

function hashOf({ credentials }: Readonly<State>, { id }: UserRecord): string | undefined {
  return entryOf(credentials.passwords, id)
}

/** Drops an unchanged name. A form sends all fields, and an older version may have accepted a now invalid name. */
function withoutSameName({ username }: UserRecord, given: UserInput): UserInput {
  if (given.username !== username) return given
  const { username: _same, ...rest } = given
  return rest
}

function callerNow(draft: State, { id }: UserRecord): UserRecord {
  const caller = entryOf(draft.users, id)
  if (!caller) throw new Problem('auth.required')
  return caller
}

function refuseTaken(draft: State, username: string, exceptId?: number): void {
  const key = userNameKey(username)
  const isTaken = Object.values(draft.users).some(
    (user) => user.id !== exceptId && userNameKey(user.username) === key,
  )
  if (isTaken) throw new Problem('user.exists')
}

function refuseWithoutAdmin(draft: State): void {
  if (!Object.values(draft.users).some(({ perm }) => perm.admin)) throw new Problem('user.last')
}

/** Removes an account and its shares from a state. */
function erase(draft: State, id: number): void {
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

/** Hashes a password that was given at the start, unless it already is a hash. */
export async function hashUnlessHashed(password: string): Promise<string> {
  return isHash(password) ? password : hashPassword(password)
}

/** A user as sent in responses. Only administrators see the scope. */
export function toUserView(user: UserRecord, isForAdmin: boolean): UserView {
  return { ...user, password: '', scope: isForAdmin ? user.scope : '' }
}
