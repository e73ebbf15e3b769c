import { Problem } from '#src/core/problem.ts'
import type { ShareRecord } from '#src/state/state.ts'

/** Finds sessions of users who visit shares. */
export interface Members {
  /** The session of an access token. Undefined when it is invalid. */
  sessionOf(token: string): string | undefined
  /** The id of the user of a session. Undefined when the session has ended. */
  userOf(session: string): number | undefined
}

/**
 * The session in which a named person visits a share. Undefined for a share that everybody can open.
 *
 * @param sessions the sessions that the request proves
 * @throws Problem `share.people`
 */
export function memberSession(
  { people }: Pick<ShareRecord, 'people'>,
  sessions: readonly (string | undefined)[],
  members: Members,
): string | undefined {
  if (!people) return undefined
  const isNamed = (session: string | undefined) => {
    const user = session === undefined ? undefined : members.userOf(session)
    return user !== undefined && people.includes(user)
  }
  const found = sessions.find(isNamed)
  if (found === undefined) throw new Problem('share.people')
  return found
}
