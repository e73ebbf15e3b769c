import type { Preferences, UserView } from '#contract/users.ts'
import { checkName, nameKey } from '#src/core/names.ts'
import { hashPassword, isHash, verifyPassword } from '#src/core/password.ts'
import { Problem } from '#src/core/problem.ts'
import type { State, UserRecord } from '#src/core/state.ts'
import type { Store } from '#src/core/store.ts'
import { ownFields, refusal } from './users.policy.ts'

/** A new account; the password in plain text. */
export type NewUser = Omit<UserRecord, 'id'> & { password: string }

/** What a person changes about themselves. */
export interface OwnChange {
  which: readonly string[]
  data: Partial<Preferences> & { password?: string }
  /** Called before a password changes: throws unless they proved who they are. */
  prove(): Promise<void>
}

/** The accounts: the only module that reads or writes users and password hashes. */
export function createUsers(store: Store) {
  const all = () => Object.values(store.data.users)
  const get = (id: number): UserRecord => {
    const user = store.data.users[id]
    if (!user) throw new Problem('user.unknown')
    return user
  }

  return {
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

    /** Adds an account. @throws Problem `user.exists`, `user.name`, `password.weak`, `password.common`. */
    async add({ password, ...fields }: NewUser): Promise<UserRecord> {
      const username = checkName(fields.username)
      checkPassword(password, store.data.settings.minimumPasswordLength, username)
      const hash = await hashPassword(password)
      return store.change((draft) => {
        const isTaken = Object.values(draft.users).some(
          (user) => nameKey(user.username) === nameKey(username),
        )
        if (isTaken) throw new Problem('user.exists')
        return insert(draft, { ...fields, username }, hash)
      })
    },

    /** Changes one's own preferences or password; all the named fields or none. Answers whether the password changed. */
    async changeOwn(user: UserRecord, change: OwnChange): Promise<boolean> {
      const { which, data } = change
      for (const field of which) permit(user, field, data)
      const password = which.includes('password') ? data.password : undefined
      const hash = password && (await newHash(user, password, change))
      await store.change((draft) => {
        const record = draft.users[user.id]
        if (!record) throw new Problem('user.unknown')
        for (const field of ownFields.filter((one) => which.includes(one))) {
          Object.assign(record, { [field]: data[field] })
        }
        if (hash) draft.credentials.passwords[user.id] = hash
      })
      return Boolean(hash)
    },
  }

  async function newHash(user: UserRecord, password: string, change: OwnChange): Promise<string> {
    await change.prove()
    checkPassword(password, store.data.settings.minimumPasswordLength, user.username)
    return hashPassword(password)
  }
}

export type Users = ReturnType<typeof createUsers>

function permit(user: UserRecord, field: string, data: OwnChange['data']): void {
  const code = refusal(user, field)
  if (code) throw new Problem(code, { field: 'which', reason: `has no field ${field}` })
  if (field !== 'password' && !(field in data)) {
    throw new Problem('request.invalid', { field: 'data', reason: `has no ${field}` })
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
  draft.users[id] = user
  draft.credentials.passwords[id] = hash
  return user
}

/** The hash of a password given at start, which may be a hash already. */
export async function hashGiven(password: string): Promise<string> {
  return isHash(password) ? password : hashPassword(password)
}

function checkPassword(password: string, minimum: number, username: string): void {
  if ([...password].length < minimum) throw new Problem('password.weak', { minimum })
  // Long, yet the first that anybody tries: one repeated character, a plain run, the name itself.
  const isPlain = /^(.)\1*$/.test(password) || '01234567890123456789'.includes(password)
  const key = nameKey(password)
  if (
    isPlain ||
    key === nameKey(username) ||
    /^(password|qwertyuiop|letmein|administrator)\d*!*$/.test(key)
  ) {
    throw new Problem('password.common')
  }
}

/** A user as the calls answer it. People who are no administrators do not learn where their folder lies. */
export function userView(user: UserRecord, isForAdmin: boolean): UserView {
  return { ...user, password: '', scope: isForAdmin ? user.scope : '' }
}
