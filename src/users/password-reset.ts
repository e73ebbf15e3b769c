import type { Sessions } from '#src/auth/sessions.ts'
import { randomId } from '#src/core/secret.ts'
import type { Users } from './users.ts'

/** Returns a password of 96 random bits. */
export function generatePassword(): string {
  return randomId(12)
}

/** Sets lost passwords for the operator of this machine. Needs no administrator, and no proof of the old password. */
export function createPasswordReset({ users, sessions }: { users: Users; sessions: Sessions }) {
  return {
    /**
     * Sets the password of a user and ends all of the user's sessions. Returns the new password.
     *
     * @param given.password undefined: Coffer generates one
     * @param given.mustChange whether the user must change it at the next sign-in; undefined: only a generated one.
     *   Ignored for a user whose password is locked.
     * @throws Problem `user.unknown`, `password.weak`, `password.common`.
     */
    async resetPassword(
      id: number,
      { password, mustChange = password === undefined }: { password?: string; mustChange?: boolean } = {},
    ): Promise<string> {
      const next = password ?? generatePassword()
      await users.setPassword(id, next, mustChange)
      await sessions.endAll(id)
      return next
    },
  }
}

export type PasswordReset = ReturnType<typeof createPasswordReset>
