import type { GivenUser } from '#contract/users.ts'
import { wholePerm } from '#src/core/access/grants.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem } from '#src/core/problem.ts'
import { type Recheck, unconditional } from '#src/core/recheck.ts'
import type { UserRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { checkName } from '#src/core/text/user-names.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { cleanFields } from './fields.ts'
import type { Homes } from './homes.ts'
import { checkPassword } from './password-policy.ts'
import type { NewUser, Users } from './users.ts'

/** The one place where accounts come from, whoever asks for them: with their rights, their scope and their folder. */
export function createProvisioning(options: { store: Store; users: Users; homes: Homes; locks: KeyedLock }) {
  const { store, users, homes, locks } = options

  /** The account and its own folder, or neither. */
  async function addWithHome(
    user: Omit<NewUser, 'scope'>,
    scope: UserPath,
    how: { by?: number; recheck: Recheck },
  ): Promise<UserRecord> {
    const made = await users.add({ ...user, scope }, { isOwnScope: true, ...how })
    try {
      await homes.make(scope)
      const others = users.all().filter(({ id }) => id !== made.id)
      if (
        await homes.isAnothers(
          scope,
          others.map((other) => other.scope),
        )
      )
        throw new Problem('user.exists')
    } catch (error) {
      await users.withdraw(made.id)
      throw error
    }
    return made
  }

  return {
    /** Asks what can be asked without touching anything. @throws Problem `user.name`, `password.weak`, `password.common`. */
    checkNewcomer({ username, password }: { username: string; password: string }): void {
      const name = checkName(username)
      if (store.data.settings.createUserDir) homes.ofName(name)
      checkPassword(password, store.data.settings.minimumPasswordLength, username)
    },

    /**
     * Makes an account for somebody who signs up, or whom a proxy names for the first time. With `createUserDir` it gets a
     * new folder of its own, and an existing folder is never handed over; without, it gets the scope of the user defaults. It
     * never gets rights over the instance, whatever the defaults say (contract/README.md#sessions).
     *
     * @param given.lockPassword whether somebody else, such as a proxy, decides how they come in
     * @param recheck called before the account is made, which may have to wait
     * @throws Problem `user.exists`, `user.name`, `password.weak`, `password.common`.
     */
    signUp: (
      given: { username: string; password: string; lockPassword?: boolean },
      recheck: Recheck,
    ): Promise<UserRecord> =>
      locks.run('provisioning', recheck, async () => {
        const { defaults, createUserDir } = store.data.settings
        const perm = { ...defaults.perm, admin: false, execute: false }
        const user = { ...defaults, lockPassword: false, ...given, perm, commands: [], rules: [] }
        if (!createUserDir) {
          return users.add({ ...user, scope: await homes.checkScope(defaults.scope) }, { recheck })
        }
        const scope = homes.ofName(given.username)
        if (await homes.isThere(scope)) throw new Problem('user.exists')
        return addWithHome(user, scope, { recheck })
      }),

    /**
     * Makes an account as the administrator `by` describes it; what they leave out is as in the defaults. Where the
     * instance makes folders, an account without a scope, or with that of the defaults, gets one of its own.
     *
     * @param recheck called before the account is made, which may have to wait
     * @throws Problem `request.invalid`, and as `signUp`.
     */
    create: (
      by: number,
      given: GivenUser & { username: string },
      recheck: Recheck = unconditional,
    ): Promise<UserRecord> =>
      locks.run('provisioning', recheck, async () => {
        const { defaults, createUserDir } = store.data.settings
        const username = checkName(given.username)
        const perm = wholePerm(defaults.perm)
        const rest = { lockPassword: false, rules: [], password: given.password ?? '' }
        const user = { ...defaults, perm, ...rest, ...cleanFields(given), username }
        if (createUserDir && isUnspoken(given.scope, defaults.scope)) {
          return addWithHome(user, homes.ofName(username), { by, recheck })
        }
        const scope = await homes.checkScope(given.scope ?? defaults.scope)
        return users.add({ ...user, scope }, { by, recheck })
      }),
  }
}

export type Provisioning = ReturnType<typeof createProvisioning>

/** Whether a scope says nothing: it is missing, empty, or what a form was filled with (contract/compatibility.md#rules-and-scopes). */
function isUnspoken(scope: string | undefined, ofDefaults: string): boolean {
  const written = (text: string) => (['', './'].includes(text.trim()) ? '.' : text.trim())
  return scope === undefined || ['.', written(ofDefaults)].includes(written(scope))
}
