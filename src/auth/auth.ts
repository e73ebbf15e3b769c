import type { TicketAction } from '#contract/endpoint.ts'
import type { Allows } from '#src/core/access/rules.ts'
import { Problem } from '#src/core/problem.ts'
import type { UserRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { nameKey } from '#src/core/text/user-names.ts'
import { openJail } from '#src/files/jail/jail.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { typedPath, type UserPath } from '#src/files/paths/user-path.ts'
import type { Homes } from '#src/users/homes.ts'
import type { Provisioning } from '#src/users/provisioning.ts'
import type { Users } from '#src/users/users.ts'
import { type Actor, createActors } from './actor.ts'
import type { Captcha } from './captcha.ts'
import type { ExternalAuth, Peer } from './external-auth.ts'
import type { LoginLimiter } from './login-limiter.ts'
import type { Sessions } from './sessions.ts'
import { type Claims, tokenUser } from './token.ts'

/** Where a request comes from. */
export interface From {
  address: string
  device: string
}

/** What a person types to come in, and what the human check answered them. */
interface Given {
  username: string
  password: string
  recaptcha?: string
}

/** Tells what was typed, once it matters. @throws when it is not of the right shape. */
type Telling<T> = () => T

/** Signing in, up and out, and the question who is asking. */
export function createAuth(options: {
  store: Store
  users: Users
  sessions: Sessions
  attempts: LoginLimiter
  homes: Homes
  provisioning: Provisioning
  /** Real path of the served folder, and the real paths in it that nobody reaches. */
  served: string
  secret: readonly string[]
  vouching: ExternalAuth
  humanCheck: Captcha
}) {
  const { store, users, sessions, attempts, vouching, humanCheck } = options

  function openScope(scope: string, allows: Allows): Promise<Jail> {
    return openJail(options.served, typedPath(scope).path, { allows, secret: options.secret })
  }

  // Which record a token was last found to tell of: a record that changes is another object.
  const told = new WeakMap<Claims, UserRecord>()
  function tellsOf(claims: Claims, user: UserRecord): boolean {
    if (told.get(claims) === user) return true
    if (JSON.stringify(claims.user) !== JSON.stringify(tokenUser(user))) return false
    told.set(claims, user)
    return true
  }

  const { actorOf, personOf } = createActors({ store, users, sessions, openScope })

  async function begin(user: UserRecord, from: From, isProven: boolean): Promise<string> {
    await options.homes.make(user.scope)
    return sessions.begin(tokenUser(user), { ...from, isProven })
  }

  /** Every opening of the page signs such a person in: one session is enough for all of them. */
  async function enter(user: UserRecord, from: From, held: string | undefined): Promise<string> {
    const good = held ? sessions.check(held) : undefined
    if (good?.session.userId !== user.id) return begin(user, from, false)
    return sessions.renew(good.session, tokenUser(user))
  }

  return {
    /**
     * Signs in and answers a token.
     *
     * @param telling what is missing counts as empty (contract/compatibility.md#conventions); nobody is asked who comes in without a password
     * @param held the token that the device has: somebody who is let in without a password goes on with its session
     * @throws Problem `auth.wrong`, `auth.limited`, `auth.unchecked`.
     */
    async login(
      telling: Telling<Partial<Given> | null | undefined>,
      from: From & Peer,
      held: string | undefined,
    ): Promise<string> {
      const { address, device } = from
      const known = await vouching.whoAsks(from)
      if (known) return enter(known, { address, device }, held)
      const { username = '', password = '', recaptcha } = telling() ?? {}
      const user = await attempts.attempt(nameKey(username), address, async () => {
        await humanCheck.pass(recaptcha, address)
        const verified = await users.verify(username, password)
        if (!verified) throw new Problem('auth.wrong')
        return verified
      })
      return begin(user, { address, device }, true)
    },

    /**
     * Makes an account for a stranger, when the instance lets them.
     *
     * @throws Problem `signup.off`, `auth.limited`, `auth.unchecked`, and what the provisioning refuses.
     */
    async signup(telling: Telling<Given>, { address }: From): Promise<void> {
      const recheck = () => refuseSignUp(store, vouching)
      recheck()
      const { username, password, recaptcha } = telling()
      // What cannot be an account takes nobody's chance to make one.
      options.provisioning.checkNewcomer({ username, password })
      await attempts.note('SIGN-UP', address)
      await humanCheck.pass(recaptcha, address, { isNewcomer: true })
      await options.provisioning.signUp({ username, password }, recheck)
    },

    /** A user as somebody who looks at files, without a session; undefined when the account has gone. */
    personOf,

    /** Who presents this token; undefined when nobody does. */
    byToken(token: string): Actor | undefined {
      const good = sessions.check(token)
      return good && actorOf(good.session, good.claims)
    },

    /** Who presents this ticket for `action` on `path`; undefined when it is for something else. */
    byTicket(text: string, action: TicketAction, path: UserPath): Actor | undefined {
      const good = sessions.checkTicket(text)
      if (good?.ticket.action !== action || good.ticket.path !== path) return undefined
      return actorOf(good.session)
    },

    /** A fresh token for the same session. @throws Problem `auth.required` for a ticket. */
    renew({ session, claims, user }: Actor): string {
      if (!claims) throw new Problem('auth.required')
      return sessions.renew(session, tokenUser(user))
    },

    /** Whether the client should renew: half the life is over, or the token tells of a user who has changed. */
    isStale({ claims, user }: Actor): boolean {
      if (!claims) return false
      return sessions.isHalfOver(claims) || !tellsOf(claims, user)
    },
  }
}

function refuseSignUp({ data }: Store, { method }: ExternalAuth): void {
  if (!data.settings.signup || method !== 'json') throw new Problem('signup.off')
}

export type Auth = ReturnType<typeof createAuth>
