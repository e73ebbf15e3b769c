import { Problem } from '#src/core/problem.ts'
import type { Users } from '#src/users/users.ts'
import type { ClientInfo } from './auth.ts'
import type { LoginLimiter } from './login-limiter.ts'
import { type Sessions, toTokenUser } from './sessions.ts'
import { setupCodeCheck } from './setup-code.ts'

/** The code that the operator has read in the log, and the account of the first administrator. */
interface SetupInput {
  code: string
  username: string
  password: string
}

/**
 * Lets the operator create the first administrator in a browser, with a code that the server has printed. Possible while
 * there is no administrator, and never again.
 *
 * @param options.code the printed code
 * @param options.username the proposed name of the administrator
 */
export function createSetup(options: {
  users: Users
  sessions: Sessions
  attempts: LoginLimiter
  code: string
  username: string
}) {
  const { users, sessions, attempts, code } = options
  const isRight = setupCodeCheck(code)
  let isOpen = true

  function isPending(): boolean {
    // The last administrator cannot be deleted, so once there is one, the set-up is over.
    if (isOpen && users.hasAdmin()) isOpen = false
    return isOpen
  }

  function refuseWhenDone(): void {
    if (!isPending()) throw new Problem('request.unknown')
  }

  return {
    /** Whether the server has no administrator and waits for its set-up. */
    isPending,

    /** The proposed name of the first administrator; empty when the server is set up. */
    proposedName: (): string => (isPending() ? options.username : ''),

    /**
     * Creates the first administrator, signs in and returns the token.
     *
     * @param readInput called only while the set-up is pending
     * @throws Problem `request.unknown` when there is an administrator, `auth.wrong` for a wrong code, `auth.limited`,
     *   and the problems of a new account.
     */
    async complete(readInput: () => SetupInput, from: ClientInfo): Promise<string> {
      refuseWhenDone()
      const { code: typed, ...account } = readInput()
      await attempts.attempt('SET-UP', from.address, async () => {
        if (!isRight(typed)) throw new Problem('auth.wrong')
      })
      // Of two clients with the right code, the second one is refused here.
      const user = await users.addFirstAdmin(account, refuseWhenDone)
      return sessions.start(toTokenUser(user), { ...from, isProven: true })
    },
  }
}

export type Setup = ReturnType<typeof createSetup>
