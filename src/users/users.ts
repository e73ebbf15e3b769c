import type { ProblemCode } from '#contract/problems.ts'
import type { GivenUser, UserView } from '#contract/users.ts'
import { checkCommands, checkPerm, checkRules, cleanPreferences, wholePerm } from '#src/core/grants.ts'
import { checkName, nameKey } from '#src/core/names.ts'
import { hashPassword, isHash, verifyPassword } from '#src/core/password.ts'
import { Problem } from '#src/core/problem.ts'
import { nothing, type State, type UserRecord } from '#src/core/state.ts'
import type { Store } from '#src/core/store.ts'
import { type Homes, isSameScope } from './homes.ts'
import { checkPassword } from './password-policy.ts'
import { refusal, removalRefusal, type UserField, userFields } from './users.policy.ts'

/** A new account; the password in plain text. */
export type NewUser = Omit<UserRecord, 'id'> & { password: string }

/** What is to be changed about a user. */
export interface Change {
  /** Names of fields; `all`: every one that `data` has. */
  which: readonly string[]
  data: GivenUser
  /** Throws unless the caller has proved who they are. Needed: not only if they offered to. */
  prove: Proof
}

/** Throws unless somebody has proved who they are; `isNeeded` says whether they must, or may. */
export type Proof = (isNeeded: boolean) => Promise<void>

/** The accounts: the only module that reads or writes users and password hashes. */
export function createUsers({ store, homes }: { store: Store; homes: Homes }) {
  const all = () => Object.values(store.data.users).sort((a, b) => a.id - b.id)
  const get = (id: number): UserRecord => {
    const user = store.data.users[id]
    if (!user) throw new Problem('user.unknown')
    return user
  }

  return {
    /** By id. */
    all,
    /** @throws Problem `user.unknown`. */
    get,
    /** The user with this id; undefined when it was deleted. */
    find: (id: number): UserRecord | undefined => store.data.users[id],

    /** The user with this name and password; undefined when there is none, after the same time. */
    async verify(username: string, password: string): Promise<UserRecord | undefined> {
      const key = nameKey(username)
      const user = all().find((one) => nameKey(one.username) === key)
      const stored = user && store.data.credentials.passwords[user.id]
      const matches = await verifyPassword(stored, password)
      // It took a while: a password that was changed in the meantime is the old one.
      return matches && user && store.data.credentials.passwords[user.id] === stored ? user : undefined
    },

    /**
     * Adds an account, on behalf of the administrator `by`. Its own scope is one that nobody else has.
     *
     * @throws Problem `user.exists`, `user.name`, `password.weak`, `password.common`.
     */
    async add(
      { password, ...fields }: NewUser,
      { isOwnScope, by }: { isOwnScope?: boolean; by?: number | undefined } = {},
    ): Promise<UserRecord> {
      const username = checkName(fields.username)
      const hash = await newHash(password, username)
      return store.change((draft) => {
        if (by !== undefined && !draft.users[by]?.perm.admin) throw new Problem('auth.forbidden')
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
      const edit = { ...cleanFields(given), ...(await movedScope(user, given)) }
      await change.prove(Boolean(given.password) && caller.id === id)
      const hash = given.password && (await newHash(given.password, edit.username ?? user.username))
      if (edit.scope) await homes.make(edit.scope)
      return store.change((draft) => {
        const record = draft.users[id]
        if (!record) throw new Problem('user.unknown')
        // Since the request began, the caller may have lost what let them ask.
        permitted(callerNow(draft, caller), id, change)
        if (edit.username !== undefined) refuseTaken(draft, edit.username, id)
        const next = settled({ ...record, ...edit })
        draft.users[id] = next
        refuseWithoutAdmin(draft)
        if (hash) draft.credentials.passwords[id] = hash
        return Boolean(hash) || (next.lockPassword && !record.lockPassword)
      })
    },

    /**
     * Deletes an account. The files stay, and so does the id: it is never given again.
     *
     * @throws Problem `auth.forbidden`, `user.unknown`, `user.last`.
     */
    async remove(caller: UserRecord, id: number, prove: Proof): Promise<void> {
      refuse(removalRefusal(caller, id))
      get(id)
      await prove(caller.id === id)
      await store.change((draft) => {
        refuse(removalRefusal(callerNow(draft, caller), id))
        if (!draft.users[id]) throw new Problem('user.unknown')
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

/** The fields that a change names. @throws Problem for one that is unknown, not the caller's to change, or missing. */
function permitted(caller: UserRecord, id: number, { which, data }: Change): readonly UserField[] {
  for (const name of which)
    refuse(refusal(caller, id, name), { field: 'which', reason: `has no field ${name}` })
  if (which.includes('all')) return userFields.filter((field) => field in data)
  const fields = userFields.filter((field) => which.includes(field))
  const missing = fields.find((field) => field !== 'password' && !(field in data))
  if (missing) throw new Problem('request.invalid', { field: 'data', reason: `has no ${missing}` })
  return fields
}

function refuse(code: ProblemCode | undefined, details?: Record<string, string>): void {
  if (code) throw new Problem(code, details)
}

function callerNow(draft: State, { id }: UserRecord): UserRecord {
  const caller = draft.users[id]
  if (!caller) throw new Problem('auth.required')
  return caller
}

function pick(data: GivenUser, fields: readonly UserField[]): GivenUser {
  return Object.fromEntries(fields.filter((field) => field in data).map((field) => [field, data[field]]))
}

/**
 * What a caller says about a user, as it is stored; the password and the scope are not here.
 *
 * @throws Problem `user.name`, `request.invalid`.
 */
export function cleanFields(given: GivenUser): Partial<Omit<UserRecord, 'id' | 'scope'>> {
  const { username, lockPassword, perm, commands, rules } = given
  return {
    ...cleanPreferences(given),
    ...(username !== undefined && { username: checkName(username) }),
    ...(lockPassword !== undefined && { lockPassword }),
    ...(perm && { perm: checkPerm({ ...nothing, ...perm }, 'data.perm') }),
    ...(commands !== undefined && { commands: checkCommands(commands, 'data.commands') }),
    ...(rules !== undefined && { rules: checkRules(rules, 'data.rules') }),
  }
}

/** An administrator may do everything and cannot be locked out of their password (specification, section 4). */
function settled<U extends Omit<UserRecord, 'id'>>(user: U): U {
  return { ...user, perm: wholePerm(user.perm), lockPassword: user.lockPassword && !user.perm.admin }
}

function refuseTaken(draft: State, username: string, but?: number): void {
  const key = nameKey(username)
  const isTaken = Object.values(draft.users).some((user) => user.id !== but && nameKey(user.username) === key)
  if (isTaken) throw new Problem('user.exists')
}

function refuseWithoutAdmin(draft: State): void {
  if (!Object.values(draft.users).some(({ perm }) => perm.admin)) throw new Problem('user.last')
}

function erase(draft: State, id: number): void {
  delete draft.users[id]
  delete draft.credentials.passwords[id]
}

/**
 * Puts an account into a state that is being made or changed; the name must be free.
 *
 * @param hash argon2id hash of its password
 */
export function insert(draft: State, fields: Omit<UserRecord, 'id'>, hash: string): UserRecord {
  const id = draft.nextUserId++
  const user = { ...fields, id }
  draft.users[id] = user
  draft.credentials.passwords[id] = hash
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
