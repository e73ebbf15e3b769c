import type { TicketAction } from '#contract/schema/endpoint.ts'
import type { TokenUser } from '#contract/users.ts'
import type { Claims } from '#src/access/principal.ts'
import { type Clock, isFuture } from '#src/core/clock.ts'
import type { Logger } from '#src/core/log/log.ts'
import { setBounded } from '#src/core/memory/bounded-map.ts'
import { decodeJson, encodeJson, equalsInConstantTime, hmac, randomId } from '#src/core/secret.ts'
import type { SessionRecord, SessionStore } from '#src/state/sessions.ts'
import type { UserRecord } from '#src/state/state.ts'
import { signTicket, type Ticket, ticketLifeMs, verifyTicket } from './ticket.ts'

const idleMs = 30 * 24 * 60 * 60_000
// Renewal does not extend this: a stolen session ends after this time.
const maxAgeMs = 90 * 24 * 60 * 60_000
// A script that signs in for every request must not fill the disk. The least recently used sessions end.
const mostPerUser = 200

/** Issues, looks up, renews and ends sessions, their tokens and their tickets (contract/README.md#sessions). */
export function createSessions(options: {
  records: SessionStore
  key: () => Buffer
  clock: Clock
  tokenLifeMs: number
  log: Pick<Logger, 'warn'>
  /** Called when a user has signed in. Undefined in commands, which serve no requests. */
  onStart?: ((session: SessionRecord, username: string) => void) | undefined
}) {
  const { records, key, clock, log } = options
  const lifecycle = createLifecycle(records, clock)
  const { alive } = lifecycle
  const read = createTokenReader(key)

  /** Only logs a write error: sign-in must work on a full disk, because a user must sign in to free space. */
  async function keep(session: SessionRecord): Promise<void> {
    const errno = await records.keep(session)
    if (errno)
      log.warn({ errno }, 'the server cannot save a session to disk; the session ends when the server stops')
  }

  function issue(session: SessionRecord, user: TokenUser): string {
    const iat = Math.floor(clock() / 1000)
    const exp = iat + Math.ceil(options.tokenLifeMs / 1000)
    return signToken({ iat, exp, sid: session.id, user }, key())
  }

  return {
    /**
     * Starts a session and returns its first token.
     *
     * @param from.isProven whether the user has just entered the password
     */
    async start(
      user: TokenUser,
      { isProven, ...from }: { device: string; address: string; isProven: boolean },
    ): Promise<string> {
      const now = clock()
      const session: SessionRecord = {
        id: randomId(),
        userId: user.id,
        created: now,
        lastUse: now,
        ...from,
        proven: isProven ? now : 0,
      }
      await keep(session)
      options.onStart?.(session, user.username)
      const oldest = (await lifecycle.ofUser(user.id)).slice(mostPerUser)
      await Promise.all(oldest.map(({ id }) => records.remove(id)))
      return issue(session, user)
    },

    /** The session and claims of a valid token. Renewal does not invalidate the older tokens of a session. */
    check(token: string): { session: SessionRecord; claims: Claims } | undefined {
      const claims = read(token, clock())
      const session = claims && alive(claims.sid)
      if (!session) return undefined
      records.note(session.id, { lastUse: clock() })
      return { session, claims }
    },

    /** Issues a new token for a session, with the current user record. */
    renew: issue,

    /** Issues a ticket for one action on one path, on behalf of `session`. */
    ticket(session: SessionRecord, action: TicketAction, path: string): string {
      return signTicket({ action, path, sid: session.id, until: clock() + ticketLifeMs }, key())
    },

    /** The session and the ticket, if both are valid now. */
    checkTicket(text: string): { session: SessionRecord; ticket: Ticket } | undefined {
      const ticket = verifyTicket(text, key(), clock())
      const session = ticket && alive(ticket.sid)
      return session && { session, ticket }
    },

    ...lifecycle,

    /** Whether a token should be renewed: less than half of its lifetime is left. */
    shouldRenew: (claims: Claims) => claims.exp * 1000 - clock() < options.tokenLifeMs / 2,
  }
}

export type Sessions = ReturnType<typeof createSessions>

/** Finds, lists, ends and saves sessions. */
function createLifecycle(records: SessionStore, clock: Clock) {
  function findActive(id: string): SessionRecord | undefined {
    const session = records.current(id)
    if (!session || !isOver(session, clock())) return session
    // Removed, so that no change of the clock revives it. The record leaves memory at once. If deleting the file fails,
    // the next start tries again.
    void records.remove(id).catch(() => {})
    return undefined
  }

  const listOfUser = async (userId: number) =>
    (await records.ofUser(userId)).filter(({ id }) => findActive(id)).sort((a, b) => b.lastUse - a.lastUse)

  return {
    /** The session with this id, unless it has ended, was unused for thirty days, or began ninety days ago. */
    alive: findActive,

    /** Notes what a request has changed. */
    note: records.note,

    /** A user's sessions, last used first. */
    ofUser: listOfUser,

    /** Ends one session of a user. Returns whether it existed. */
    async end(userId: number, id: string): Promise<boolean> {
      return (await records.byId(id))?.userId === userId && records.remove(id)
    },

    /** Ends all sessions of a user, except the one with the id `exceptId`. */
    async endAll(userId: number, exceptId?: string): Promise<void> {
      const theirs = (await records.ofUser(userId)).filter(({ id }) => id !== exceptId)
      await Promise.all(theirs.map(({ id }) => records.remove(id)))
    },

    /** Saves when sessions were last used, and removes expired sessions. */
    async save(): Promise<void> {
      for (const session of await records.list()) {
        if (findActive(session.id)) await records.keep(session)
        else await records.remove(session.id)
      }
    },
  }
}

function isOver({ created, lastUse, proven = 0 }: SessionRecord, now: number): boolean {
  if ([created, lastUse, proven].some((at) => isFuture(at, now))) return true
  return now - lastUse >= idleMs || now - created >= maxAgeMs
}

const header = encodeJson({ alg: 'HS256', typ: 'JWT' })

/** Signs claims into a three-part token (RFC 7519, HS256). */
export function signToken(claims: Claims, key: Buffer): string {
  const body = `${header}.${encodeJson({ iss: 'Coffer', ...claims })}`
  return `${body}.${hmac(body, key)}`
}

/** Returns the claims if the signature is valid, the token is not from the future, and it has not expired. */
export function verifyToken(token: string, key: Buffer, nowMs: number): Claims | undefined {
  const [head, payload, mac, more] = token.split('.')
  // The header is only compared: a token cannot choose its own algorithm (RFC 8725 §3.1).
  if (head !== header || !payload || !mac || more !== undefined) return undefined
  if (!equalsInConstantTime(mac, hmac(`${head}.${payload}`, key))) return undefined
  const claims = decodeJson(payload) as Claims | undefined
  return claims && isCurrent(claims, nowMs) ? claims : undefined
}

function isCurrent({ iat, exp }: Claims, nowMs: number): boolean {
  if (typeof iat !== 'number' || typeof exp !== 'number') return false
  return exp * 1000 > nowMs && !isFuture(iat * 1000, nowMs)
}

// Clients send the same token with every request. The oldest entries are evicted.
const mostKnown = 1000

/**
 * Reads tokens like `readToken`, and caches those with a valid signature: the same text is valid again under the same
 * key. The expiry is checked on every call.
 */
export function createTokenReader(key: () => Buffer): (token: string, nowMs: number) => Claims | undefined {
  const known = new Map<string, Claims>()
  let lastKey: Buffer | undefined
  return (token, nowMs) => {
    const now = key()
    if (!lastKey?.equals(now)) known.clear()
    lastKey = now
    const claims = known.get(token)
    if (claims) return isCurrent(claims, nowMs) ? claims : undefined
    const read = verifyToken(token, now, nowMs)
    if (read) setBounded(known, token, read, mostKnown)
    return read
  }
}

/** The part of a user that a token carries (contract/compatibility.md#tokens). */
export function toTokenUser(user: UserRecord): TokenUser {
  const { scope: _scope, rules: _rules, folderViews: _views, ...rest } = user
  return rest
}
