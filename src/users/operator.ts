import { hashPassword } from '#src/core/access/passwords.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem, type Recheck } from '#src/core/problem.ts'
import type { UserRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { checkUserName } from '#src/core/text/user-names.ts'
import { checkPassword } from './password-policy.ts'
import { insertFirstAdmin, refuseTaken, replacePassword } from './records.ts'

/** Checks the password of the user `username` with the settings, and returns its hash. */
export function newHash({ data }: Store, password: string, username: string): Promise<string> {
  checkPassword(password, data.settings.minimumPasswordLength, username)
  return hashPassword(password)
}

/** What the operator of the machine does with accounts, which needs no administrator. */
export function createOperatorActions(store: Store) {
  const nameOf = (id: number): string => {
    const user = entryOf(store.data.users, id)
    if (!user) throw new Problem('user.unknown')
    return user.username
  }

  return {
    /**
     * Adds the first administrator, after `recheck`, which must refuse when there is one already.
     *
     * @throws Problem `user.exists`, `user.name`, `password.weak`, `password.common`.
     */
    async addFirstAdmin(
      { username: given, password }: { username: string; password: string },
      recheck: Recheck,
    ): Promise<UserRecord> {
      const username = checkUserName(given)
      const hash = await newHash(store, password, username)
      return store.update((draft) => {
        recheck()
        refuseTaken(draft, username)
        return insertFirstAdmin(draft, { username, hash })
      })
    },

    /**
     * Sets the password of a user for the operator of this machine, also a locked one. Does not end the user's sessions:
     * see `createPasswordReset`.
     *
     * @param mustChange whether the user must change it at the next sign-in. Ignored for a locked password.
     * @throws Problem `user.unknown`, `password.weak`, `password.common`.
     */
    async setPassword(id: number, password: string, mustChange: boolean): Promise<void> {
      const hash = await newHash(store, password, nameOf(id))
      await store.update((draft) => {
        const record = entryOf(draft.users, id)
        if (!record) throw new Problem('user.unknown')
        replacePassword(draft, record, { hash, mustChange: mustChange && !record.lockPassword })
      })
    },
  }
}
