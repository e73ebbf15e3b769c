import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { hasAdmin } from './records.ts'

/** Finds and lists users. */
export function createDirectory(store: Store) {
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
    /** Whether there is an administrator. There is none until the server is set up. */
    hasAdmin: (): boolean => hasAdmin(store.data),
    /** The administrator with the lowest id. @throws Problem `user.unknown` when there is none. */
    firstAdmin: (): UserRecord => get(all().find(({ perm }) => perm.admin)?.id ?? 0),
  }
}
