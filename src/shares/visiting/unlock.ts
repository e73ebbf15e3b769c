import type { LoginLimiter } from '#src/auth/login-limiter.ts'
import { verifyPassword } from '#src/core/access/passwords.ts'
import { Problem } from '#src/core/problem.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Shares } from '../shares.ts'
import { type Members, memberSession } from './members.ts'
import type { Tickets } from './tickets.ts'

/** What a request proves. */
export interface Proofs {
  address: string
  /** The password that the visitor typed; undefined: none. */
  password: string | undefined
  /** The token from an earlier unlock. */
  token: string | undefined
  /** The access token of a signed-in user. Undefined: none. */
  bearer?: string | undefined
}

/** A share that the visitor may open. */
interface Unlocked {
  share: ShareRecord
  /** Unlocks the share again. Undefined: it needs no token. */
  token: string | undefined
  /** The session of the named person who visits it. Undefined: it is for everybody. */
  session: string | undefined
}

/** Creates the function that checks who may open a share. */
export function createUnlock(options: {
  tickets: Tickets
  members: Members
  attempts: LoginLimiter
  renewHash: Shares['renewHash']
}) {
  const { tickets, members, attempts, renewHash } = options

  /**
   * Checks the token or the password. Returns the share as it is now, because the right password may replace its hash.
   *
   * @throws Problem `share.password`, `share.people`, `auth.limited`.
   */
  return async function unlock(share: ShareRecord, proofs: Proofs): Promise<Unlocked> {
    const { password, address, token, bearer } = proofs
    const ticket = token ? tickets.read(share, token) : undefined
    const sessions = [bearer && members.sessionOf(bearer), ticket?.session]
    const session = memberSession(share, sessions, members)
    // The ticket of another session would end with that one.
    if (ticket && ticket.session === session) return { share, token, session }
    if (share.password === '') return { share, token: session && tickets.unlocking(share, session), session }
    if (password === undefined) throw new Problem('share.password')
    await attempts.attempt(`SHARE ${share.hash}`, address, async () => {
      if (!(await verifyPassword(share.password, password))) throw new Problem('share.password')
    })
    const current = await renewHash(share, password)
    return { share: current, token: tickets.unlocking(current, session), session }
  }
}
