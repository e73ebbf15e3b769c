import { hashPassword } from '#src/core/access/passwords.ts'
import { Problem, type Recheck } from '#src/core/problem.ts'
import { checkUserName } from '#src/core/text/user-names.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { checkPassword } from './password-policy.ts'
import { insertFirstAdmin, refuseTaken, replacePassword } from './records.ts'

/** Checks the password of the user `username` with the settings, and returns its hash. */
export async function newHash({ settings }: Store, password: string, username: string): Promise<string> {
  const { minimumPasswordLength } = await settings.get()
  checkPassword(password, minimumPasswordLength, username)
  return hashPassword(password)
}

/** What the operator of the machine does with accounts, which needs no administrator. */
export function createOperatorActions(store: Store) {
  const nameOf = async (id: number): Promise<string> => {
    const user = await store.users.byId(id)
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
      return store.change((draft) => {
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
      const hash = await newHash(store, password, await nameOf(id))
      await store.change((draft) => {
        const record = draft.users.get(id)
        if (!record) throw new Problem('user.unknown')
        replacePassword(draft, record, { hash, mustChange: mustChange && !record.lockPassword })
      })
    },
  }
}
