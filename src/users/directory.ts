import { Problem } from '#src/core/problem.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'

/** Finds and lists users. */
export function createDirectory({ users, current }: Store) {
  return {
    /** All users, by id. */
    all: users.list,
    /** @throws Problem `user.unknown`. */
    async get(id: number): Promise<UserRecord> {
      const user = await users.byId(id)
      if (!user) throw new Problem('user.unknown')
      return user
    },
    /** The user with this id; undefined when it was deleted. */
    findById: users.byId,
    /** The user with exactly this name; undefined when there is none. */
    findByExactName: users.byExactName,
    /** The user with this name in any case and Unicode form; undefined when there is none. */
    findByName: users.byName,
    /** Whether there is an administrator. There is none until the server is set up. */
    hasAdmin: current.hasAdmin,
    /** The administrator with the lowest id. @throws Problem `user.unknown` when there is none. */
    async firstAdmin(): Promise<UserRecord> {
      const admin = (await users.list()).find(({ perm }) => perm.admin)
      if (!admin) throw new Problem('user.unknown')
      return admin
    },
  }
}
