import type { TicketAction } from '#contract/schema/endpoint.ts'
import type { TokenUser } from '#contract/users.ts'
import { createActors } from '#src/access/authorize.ts'
import type { Actor, Claims } from '#src/access/principal.ts'
import type { Allows } from '#src/core/access/rules.ts'
import { Problem } from '#src/core/problem.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import { type Change, noChanges } from '#src/files/changes/change.ts'
import { openJail } from '#src/files/jail/jail.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { normalizePath, type UserPath } from '#src/files/paths/user-path.ts'
import type { Peer } from '#src/http/request-headers.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import type { Homes } from '#src/users/homes.ts'
import type { Provisioning } from '#src/users/provisioning.ts'
import type { Users } from '#src/users/users.ts'
import type { Captcha } from './captcha.ts'
import type { ExternalAuth } from './external-auth.ts'
import type { LoginLimiter } from './login-limiter.ts'
import { type Sessions, toTokenUser } from './sessions.ts'

/** The client that sent a request: its address and device. */
export interface ClientInfo {
  address: string
  device: string
}

/** The credentials that a user typed, and the response of the captcha. */
interface Credentials {
  username: string
  password: string
  recaptcha?: string
}

/** Returns the request body when it is needed. @throws the validation error when the body is invalid. */
type ReadBody<T> = () => T

/** Sign-in, sign-up, sign-out, and finding the user of a request. */
export function createAuth(options: {
  store: Store
  users: Users
  sessions: Sessions
  attempts: LoginLimiter
  homes: Homes
  provisioning: Provisioning
  /** Real path of the served folder. */
  servedRoot: string
  /** Real paths in the served folder that no user can reach. */
  secretPaths: readonly string[]
  externalAuth: ExternalAuth
  captcha: Captcha
}) {
  const { store, users, sessions, attempts, externalAuth, captcha } = options

  function openScope(scope: string, allows: Allows): Promise<Jail> {
    return openJail(options.servedRoot, normalizePath(scope).path, { allows, secret: options.secretPaths })
  }

  const tokens = createTokenUsers(externalAuth)
  const { actorOf, personOf } = createActors({ current: store.current, sessions, openScope })

  async function begin(user: UserRecord, from: ClientInfo, isProven: boolean): Promise<string> {
    await options.homes.create(user.scope)
    return sessions.start(tokens.of(user), { ...from, isProven })
  }

  /**
   * Reuses the session of the device: without passwords, every page load signs in, and one session is enough. A session of
   * another user ends.
   */
  async function reuseSession(
    user: UserRecord,
    from: ClientInfo,
    oldToken: string | undefined,
  ): Promise<string> {
    const valid = oldToken ? sessions.check(oldToken) : undefined
    if (!valid) return begin(user, from, false)
    if (valid.session.userId !== user.id) {
      await sessions.end(valid.session.userId, valid.session.id)
      return begin(user, from, false)
    }
    return sessions.renew(valid.session, tokens.of(user))
  }

  return {
    /**
     * Signs in and returns a token.
     *
     * @param readBody missing fields count as empty (contract/compatibility.md#conventions); not called when sign-in
     *   needs no password
     * @param oldToken the token that the device already has: a user who needs no password keeps its session
     * @throws Problem `auth.wrong`, `auth.limited`, `auth.unchecked`.
     */
    async login(
      readBody: ReadBody<Partial<Credentials> | null | undefined>,
      from: ClientInfo & Peer,
      oldToken: string | undefined,
    ): Promise<string> {
      const { address, device } = from
      const known = await externalAuth.authenticate(from)
      if (known) return reuseSession(known, { address, device }, oldToken)
      const { username = '', password = '', recaptcha } = readBody() ?? {}
      const user = await attempts.attempt(userNameKey(username), address, async () => {
        await captcha.verify(recaptcha, address)
        const verified = await users.verify(username, password)
        if (!verified) throw new Problem('auth.wrong')
        return verified
      })
      return begin(user, { address, device }, true)
    },

    /**
     * Creates an account for a new user, if sign-up is on.
     *
     * @throws Problem `signup.off`, `auth.limited`, `auth.unchecked`, and the problems of the provisioning.
     */
    async signup(readBody: ReadBody<Credentials>, { address }: ClientInfo): Promise<UserRecord> {
      const recheck = () => refuseSignUp(store, externalAuth)
      recheck()
      const { username, password, recaptcha } = readBody()
      // Invalid sign-ups must not count towards the rate limit.
      await options.provisioning.validateSignUp({ username, password })
      await attempts.countAction('SIGN-UP', address)
      await captcha.verify(recaptcha, address, { isNewcomer: true })
      return options.provisioning.signUp({ username, password }, recheck)
    },

    /** Access to a user's files without a session; undefined when the account does not exist. */
    personOf,

    /** The user of this token; undefined when the token is invalid. */
    findByToken(token: string, change: Change = noChanges): Actor | undefined {
      const valid = sessions.check(token)
      return valid && actorOf(valid.session, change, valid.claims)
    },

    /** The user of this ticket; undefined when it is invalid or not for `action` on `path`. */
    findByTicket(text: string, action: TicketAction, path: UserPath): Actor | undefined {
      const valid = sessions.checkTicket(text)
      if (valid?.ticket.action !== action || valid.ticket.path !== path) return undefined
      return actorOf(valid.session, noChanges)
    },

    /**
     * Ends the session of a request if the proxy names another user on it: another person uses the device.
     *
     * @throws Problem `auth.required`.
     */
    refuseOtherUser: createOtherUserCheck(options),

    /** A fresh token for the same session. @throws Problem `auth.required` for a ticket. */
    renew({ session, claims, user }: Actor): string {
      if (!claims) throw new Problem('auth.required')
      return sessions.renew(session, tokens.of(user))
    },

    /** Whether the user must change the password before anything else (contract/README.md#first-password). */
    mustChangePassword: tokens.mustChangePassword,

    /** Whether the client should renew: less than half of the token's lifetime is left, or the user has changed. */
    isStale({ claims, user }: Actor): boolean {
      if (!claims) return false
      return sessions.shouldRenew(claims) || !tokens.matches(claims, user)
    },
  }
}

/** The users in tokens, and whether they must change their password. */
function createTokenUsers({ method }: Pick<ExternalAuth, 'method'>) {
  // Users who sign in without a password never must change it, nor a user who may not.
  const mustChangePassword = ({ mustChangePassword: isMadeUp, lockPassword }: UserRecord): boolean =>
    isMadeUp === true && !lockPassword && method === 'json'

  const of = (user: UserRecord): TokenUser => {
    const { mustChangePassword: _isMadeUp, ...rest } = toTokenUser(user)
    return mustChangePassword(user) ? { ...rest, mustChangePassword: true } : rest
  }

  // The user record that last matched each token. A changed record is a new object.
  const lastMatch = new WeakMap<Claims, UserRecord>()
  return {
    of,
    mustChangePassword,
    /** Whether a token contains the user as it is now. */
    matches(claims: Claims, user: UserRecord): boolean {
      if (lastMatch.get(claims) === user) return true
      if (JSON.stringify(claims.user) !== JSON.stringify(of(user))) return false
      lastMatch.set(claims, user)
      return true
    },
  }
}

function createOtherUserCheck({
  sessions,
  externalAuth,
}: {
  sessions: Sessions
  externalAuth: ExternalAuth
}) {
  return ({ user, session, claims }: Actor, from: () => Peer): void => {
    if (externalAuth.method !== 'proxy' || !externalAuth.isOtherNamed(user, from())) return
    // A ticket can be sent to other people, so a request with a ticket does not show who uses the device.
    // The session ends in memory at once. If its file stays, the next request with it after a restart ends it again.
    if (claims) sessions.end(user.id, session.id).catch(() => undefined)
    throw new Problem('auth.required')
  }
}

function refuseSignUp({ current }: Store, { method }: ExternalAuth): void {
  if (!current.settings().signup || method !== 'json') throw new Problem('signup.off')
}

export type Auth = ReturnType<typeof createAuth>
