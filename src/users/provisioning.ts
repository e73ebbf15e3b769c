import type { UserInput } from '#contract/users.ts'
import { effectivePermissions } from '#src/access/grants.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem, type Recheck, unconditional } from '#src/core/problem.ts'
import { checkUserName } from '#src/core/text/user-names.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { validatedFields } from './fields.ts'
import type { Homes } from './homes.ts'
import { checkPassword } from './password-policy.ts'
import type { NewUser, Users } from './users.ts'

/** Creates all accounts, for sign-ups, proxies and administrators, with their permissions, scope and home folder. */
export function createProvisioning(options: {
  settings: Store['settings']
  users: Users
  homes: Homes
  locks: KeyedLock
}) {
  const { settings, users, homes, locks } = options

  /** Creates the account and its home folder, or neither. */
  async function addWithHome(
    user: Omit<NewUser, 'scope'>,
    scope: UserPath,
    how: { by?: number | undefined; recheck: Recheck },
  ): Promise<UserRecord> {
    const account = await users.add({ ...user, scope }, { isOwnScope: true, ...how })
    try {
      await homes.create(scope)
      const others = (await users.all()).filter(({ id }) => id !== account.id)
      if (
        await homes.isSameFolderAsAny(
          scope,
          others.map((other) => other.scope),
        )
      )
        throw new Problem('user.exists')
    } catch (error) {
      await users.undoAdd(account.id)
      throw error
    }
    return account
  }

  return {
    /** Validates a sign-up without any change. @throws Problem `user.name`, `password.weak`, `password.common`. */
    async validateSignUp({ username, password }: { username: string; password: string }): Promise<void> {
      const name = checkUserName(username)
      const { createUserDir, minimumPasswordLength } = await settings.get()
      if (createUserDir) await homes.homeOf(name)
      checkPassword(password, minimumPasswordLength, username)
    },

    /**
     * Creates an account at sign-up, or when a proxy names a user for the first time. With `createUserDir` the account
     * gets a new home folder, never an existing folder. Without, it gets the default scope. It never gets administrator
     * or execute permission, even if the defaults have them (contract/README.md#sessions).
     *
     * @param given.lockPassword whether the user signs in by other means, such as a proxy
     * @param recheck called directly before the account is created, because the request may have waited
     * @throws Problem `user.exists`, `user.name`, `password.weak`, `password.common`.
     */
    signUp: (
      given: { username: string; password: string; lockPassword?: boolean },
      recheck: Recheck,
    ): Promise<UserRecord> =>
      locks.run('provisioning', recheck, async () => {
        const { defaults, createUserDir } = await settings.get()
        const perm = { ...defaults.perm, admin: false, execute: false }
        const user = { ...defaults, lockPassword: false, ...given, perm, commands: [], rules: [] }
        if (!createUserDir) {
          return users.add({ ...user, scope: await homes.checkScope(defaults.scope) }, { recheck })
        }
        const scope = await homes.homeOf(given.username)
        if (await homes.exists(scope)) throw new Problem('user.exists')
        return addWithHome(user, scope, { recheck })
      }),

    /**
     * Creates an account on behalf of the administrator `by`, or of the operator of the machine if `by` is undefined.
     * Missing fields get the default values. With
     * `createUserDir`, an account without a scope, or with the default scope, gets a home folder.
     *
     * @param recheck called directly before the account is created, because the request may have waited
     * @throws Problem `request.invalid`, and the problems of `signUp`.
     */
    create: (
      by: number | undefined,
      given: UserInput & { username: string },
      recheck: Recheck = unconditional,
    ): Promise<UserRecord> =>
      locks.run('provisioning', recheck, async () => {
        const { defaults, createUserDir } = await settings.get()
        const username = checkUserName(given.username)
        const perm = effectivePermissions(defaults.perm)
        const rest = { lockPassword: false, rules: [], password: given.password ?? '' }
        const user = { ...defaults, perm, ...rest, ...validatedFields(given), username }
        if (createUserDir && isDefaultScope(given.scope, defaults.scope)) {
          return addWithHome(user, await homes.homeOf(username), { by, recheck })
        }
        const scope = await homes.checkScope(given.scope ?? defaults.scope)
        return users.add({ ...user, scope }, { by, recheck })
      }),
  }
}

export type Provisioning = ReturnType<typeof createProvisioning>

/**
 * Whether a scope is missing, empty or the default. An unchanged form sends the default
 * (contract/compatibility.md#rules-and-scopes).
 */
function isDefaultScope(scope: string | undefined, ofDefaults: string): boolean {
  const written = (text: string) => (['', './'].includes(text.trim()) ? '.' : text.trim())
  return scope === undefined || ['.', written(ofDefaults)].includes(written(scope))
}
