import type { GivenUser, UserView } from '#contract/users.ts'
import { hashPassword, isHash, verifyPassword } from '#src/core/access/passwords.ts'
import { entryOf, removeEntry, setEntry } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { type Recheck, unconditional } from '#src/core/recheck.ts'
import type { State, UserRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { checkName, nameKey } from '#src/core/text/user-names.ts'
import { type Change, cleanFields, permitted, pick, refuse, settled } from './fields.ts'
import { type Homes, isSameScope } from './homes.ts'
import { checkPassword } from './password-policy.ts'
import { removalRefusal } from './users.policy.ts'

/** A new account; the password in plain text. */
export type NewUser = Omit<UserRecord, 'id'> & { password: string }

/** Who there is. */
function createDirectory(store: Store) {
  const all = () => Object.values(store.data.users).sort((a, b) => a.id - b.id)
  const get = (id: number): UserRecord => {
    const user = entryOf(store.data.users, id)
    if (!user) throw new Problem('user.unknown')
    return user
  }
  return {
    /** By id. */
    all,
    /** @throws Problem `user.unknown`. */
    get,
    /** The user with this id; undefined when it was deleted. */
    find: (id: number): UserRecord | undefined => entryOf(store.data.users, id),
    /** The user whose name has exactly these characters; undefined when there is none. */
    spelled: (username: string): UserRecord | undefined => all().find((one) => one.username === username),
    /** The user with this name, however it is cased; undefined when there is none. */
    named(username: string): UserRecord | undefined {
      const key = nameKey(username)
      return all().find((one) => nameKey(one.username) === key)
    },
    /** The administrator with the lowest id. @throws Problem `user.unknown` when there is none. */
    firstAdmin: (): UserRecord => get(all().find(({ perm }) => perm.admin)?.id ?? 0),
  }
}

/** The accounts: the only module that reads or writes users and password hashes. */
export function createUsers({ store, homes }: { store: Store; homes: Homes }) {
  const known = createDirectory(store)
  const { get, named } = known

  return {
    ...known,

    /** The user with this name and password; undefined when there is none, after the same time. */
    async verify(username: string, password: string): Promise<UserRecord | undefined> {
      const user = named(username)
      const stored = user && hashOf(store.data, user)
      const matches = await verifyPassword(stored, password)
      // It took a while: a password that was changed in the meantime is the old one.
      return matches && user && hashOf(store.data, user) === stored ? user : undefined
    },

    /**
     * Adds an account, on behalf of the administrator `by`, after `recheck`. Its own scope is one that nobody else has.
     *
     * @throws Problem `user.exists`, `user.name`, `password.weak`, `password.common`.
     */
    async add(
      { password, ...fields }: NewUser,
      { isOwnScope, by, recheck }: { isOwnScope?: boolean; by?: number | undefined; recheck: Recheck },
    ): Promise<UserRecord> {
      const username = checkName(fields.username)
      const hash = await newHash(password, username)
      return store.change((draft) => {
        recheck()
        if (by !== undefined && !entryOf(draft.users, by)?.perm.admin) throw new Problem('auth.forbidden')
        refuseTaken(draft, username)
        const others = Object.values(draft.users)
        if (isOwnScope && others.some(({ scope }) => isSameScope(scope, fields.scope))) {
          throw new Problem('user.exists')
        }
        return insert(draft, settled({ ...fields, username }), hash)
      })
    },

    /**
     * Changes the named fields of the user `id`, all or none. Answers whether their sessions must end.
     *
     * @throws Problem `auth.forbidden`, `user.unknown`, `request.invalid`, `user.last`, and as `add`.
     */
    async change(caller: UserRecord, id: number, change: Change): Promise<boolean> {
      const fields = permitted(caller, id, change)
      const user = get(id)
      const given = pick(change.data, fields)
      const edit = { ...cleanFields(changed(user, given)), ...(await movedScope(user, given)) }
      const hash = given.password && (await newHash(given.password, edit.username ?? user.username))
      if (edit.scope) await homes.make(edit.scope)
      return store.change((draft) => {
        const record = entryOf(draft.users, id)
        if (!record) throw new Problem('user.unknown')
        change.recheck?.()
        // Since the request began, the caller may have lost what let them ask.
        permitted(callerNow(draft, caller), id, change)
        if (edit.username !== undefined) refuseTaken(draft, edit.username, id)
        const next = settled({ ...record, ...edit })
        setEntry(draft.users, id, next)
        refuseWithoutAdmin(draft)
        if (hash) setEntry(draft.credentials.passwords, id, hash)
        return Boolean(hash) || (next.lockPassword && !record.lockPassword)
      })
    },

    /**
     * Deletes an account. The files stay, and so does the id: it is never given again.
     *
     * @throws Problem `auth.forbidden`, `user.unknown`, `user.last`.
     */
    async remove(caller: UserRecord, id: number, recheck = unconditional): Promise<void> {
      refuse(removalRefusal(caller, id))
      get(id)
      await store.change((draft) => {
        recheck()
        refuse(removalRefusal(callerNow(draft, caller), id))
        if (!entryOf(draft.users, id)) throw new Problem('user.unknown')
        erase(draft, id)
        refuseWithoutAdmin(draft)
      })
    },

    /** Takes back an account that was made just now and cannot be. */
    withdraw: (id: number): Promise<void> => store.change((draft) => erase(draft, id)),
  }

  function newHash(password: string, username: string): Promise<string> {
    checkPassword(password, store.data.settings.minimumPasswordLength, username)
    return hashPassword(password)
  }

  async function movedScope(user: UserRecord, { scope }: GivenUser): Promise<{ scope?: string }> {
    return scope === undefined || scope === user.scope ? {} : { scope: await homes.checkScope(scope) }
  }
}

export type Users = ReturnType<typeof createUsers>

function hashOf({ credentials }: Readonly<State>, { id }: UserRecord): string | undefined {
  return entryOf(credentials.passwords, id)
}

/** A form says all there is: a name that stays is not checked anew, for an older version may have let it pass. */
function changed({ username }: UserRecord, given: GivenUser): GivenUser {
  if (given.username !== username) return given
  const { username: _same, ...rest } = given
  return rest
}

function callerNow(draft: State, { id }: UserRecord): UserRecord {
  const caller = entryOf(draft.users, id)
  if (!caller) throw new Problem('auth.required')
  return caller
}

function refuseTaken(draft: State, username: string, but?: number): void {
  const key = nameKey(username)
  const isTaken = Object.values(draft.users).some((user) => user.id !== but && nameKey(user.username) === key)
  if (isTaken) throw new Problem('user.exists')
}

function refuseWithoutAdmin(draft: State): void {
  if (!Object.values(draft.users).some(({ perm }) => perm.admin)) throw new Problem('user.last')
}

/** Takes an account out of a state, with its links, which nobody could answer for any more. */
function erase(draft: State, id: number): void {
  removeEntry(draft.users, id)
  removeEntry(draft.credentials.passwords, id)
  for (const { hash, userID } of Object.values(draft.shares)) {
    if (userID === id) removeEntry(draft.shares, hash)
  }
}

/**
 * Puts an account into a state that is being made or changed; the name must be free.
 *
 * @param hash argon2id hash of its password
 */
export function insert(draft: State, fields: Omit<UserRecord, 'id'>, hash: string): UserRecord {
  const id = draft.nextUserId++
  const user = { ...fields, id }
  setEntry(draft.users, id, user)
  setEntry(draft.credentials.passwords, id, hash)
  return user
}

/** The hash of a password given at start, which may be a hash already. */
export async function hashGiven(password: string): Promise<string> {
  return isHash(password) ? password : hashPassword(password)
}

/** A user as the calls answer it. People who are no administrators do not learn where their folder lies. */
export function userView(user: UserRecord, isForAdmin: boolean): UserView {
  return { ...user, password: '', scope: isForAdmin ? user.scope : '' }
}
