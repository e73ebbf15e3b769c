import type { Actor } from '#src/access/principal.ts'
import { type Clock, isFuture } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import type { Peer } from '#src/http/request-headers.ts'
import type { SessionRecord } from '#src/state/sessions.ts'
import type { Users } from '#src/users/users.ts'
import type { ExternalAuth } from './external-auth.ts'
import type { LoginLimiter } from './login-limiter.ts'
import type { Sessions } from './sessions.ts'

const proofLifeMs = 10 * 60_000

/** Requires proof of the password for sensitive requests, so that a stolen session cannot make them. */
export function createProof(options: {
  users: Users
  sessions: Pick<Sessions, 'alive' | 'note'>
  loginLimiter: LoginLimiter
  externalAuth: ExternalAuth
  clock: Clock
}) {
  const { users, sessions, loginLimiter: attempts, externalAuth, clock } = options

  /** Whether the user proved the password in the last ten minutes, at sign-in or later. A renewed token is no proof. */
  function isRecent({ created, proven = created }: SessionRecord): boolean {
    const now = clock()
    return now - proven < proofLifeMs && !isFuture(proven, now)
  }

  return {
    /**
     * Passes when `given` is the right password, or when the last proof is less than ten minutes old. A right password
     * is a new proof (contract/README.md#users-and-settings). If a proxy authenticates users, the proxy must name the
     * same user on this request. Without authentication the check always passes.
     *
     * @param given the password; undefined: the client sent none. An empty password is rejected with 400, because old
     *   clients end their session on 401.
     * @throws Problem `auth.proof`, `password.needed`, `password.current`, `auth.limited`; `auth.required` when the
     *   proxy names another user.
     */
    async check(
      { user, session }: Actor,
      given: string | undefined,
      from: Peer & { address: string },
    ): Promise<void> {
      if (externalAuth.method !== 'json') {
        if (!externalAuth.isUserConfirmed(user, from)) throw new Problem('auth.required')
        return
      }
      if (given) {
        await attempts.attempt(userNameKey(user.username), from.address, async () => {
          const verified = await users.verify(user.username, given)
          if (verified?.id !== user.id) throw new Problem('password.current')
        })
        // Set in memory only, and saved later with the last use. After a crash the user may have to prove it again.
        sessions.note(session.id, { proven: clock() })
        return
      }
      if (isRecent(sessions.alive(session.id) ?? session)) return
      throw new Problem(given === '' ? 'password.needed' : 'auth.proof', { minutes: proofLifeMs / 60_000 })
    },
  }
}

export type Proof = ReturnType<typeof createProof>
