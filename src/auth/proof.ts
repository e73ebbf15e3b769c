import { type Clock, isFuture } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'
import { nameKey } from '#src/core/text/user-names.ts'
import type { Users } from '#src/users/users.ts'
import type { Actor } from './actor.ts'
import type { ExternalAuth, Peer } from './external-auth.ts'
import type { LoginLimiter } from './login-limiter.ts'
import type { SessionRecord } from './sessions.ts'

const proofLifeMs = 10 * 60_000

/** Asks the holder of a session to prove that they are its user, for calls that a stolen session must not make. */
export function createProof(options: {
  users: Users
  attempts: LoginLimiter
  vouching: ExternalAuth
  clock: Clock
}) {
  const { users, attempts, vouching, clock } = options

  /** Whether the password was proven in the last ten minutes, by sign-in or later. A renewed token proves nothing. */
  function isRecent({ created, proven = created }: SessionRecord): boolean {
    const now = clock()
    return now - proven < proofLifeMs && !isFuture(proven, now)
  }

  return {
    /**
     * Passes when `given` is the right password, which then also counts for the next ten minutes, or when there was a proof
     * in the last ten (contract/README.md#users-and-settings). Behind a proxy that signs people in, the proxy must name the same user on this very
     * request. Without sign-in there is nothing to prove.
     *
     * @param given the password; undefined: the client sent none. An empty one is refused with 400, because old
     *   clients end their session on 401.
     * @throws Problem `auth.proof`, `password.needed`, `password.current`, `auth.limited`; `auth.required` when the proxy names another user.
     */
    async check(
      { user, session }: Actor,
      given: string | undefined,
      from: Peer & { address: string },
    ): Promise<void> {
      if (vouching.method !== 'json') {
        if (!vouching.names(user, from)) throw new Problem('auth.required')
        return
      }
      if (given) {
        await attempts.attempt(nameKey(user.username), from.address, async () => {
          const verified = await users.verify(user.username, given)
          if (verified?.id !== user.id) throw new Problem('password.current')
        })
        // Kept in memory, and written down with the last use: after a crash the password is asked for once more.
        session.proven = clock()
        return
      }
      if (isRecent(session)) return
      throw new Problem(given === '' ? 'password.needed' : 'auth.proof', { minutes: proofLifeMs / 60_000 })
    },
  }
}

export type Proof = ReturnType<typeof createProof>
