import { isDeepStrictEqual } from 'node:util'
import type { Rule } from '#contract/users.ts'
import { type Allows, compileRules, hiding, type PlacedRule } from '#src/core/access/rules.ts'
import type { QuotaOwner } from '#src/core/concurrency/partitioned-semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import { holds } from '#src/core/recheck.ts'
import type { UserRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Users } from '#src/users/users.ts'
import type { SessionRecord, Sessions } from './sessions.ts'
import type { Claims } from './token.ts'

/** Somebody who looks at files: signed in, or in the name of whoever shared them. */
export interface Person {
  /**
   * The record of now, not of the moment the request began: a body may take hours to come, and meanwhile rights are
   * taken away and sessions end. @throws Problem `auth.required` when the session or the account has ended.
   */
  readonly user: UserRecord
  /** Global rules, then their own: the last match wins. For somebody signed in those of now, as `user` is. */
  readonly rules: readonly PlacedRule[]
  /** What they may reach by the rules of now. @throws Problem `path.unknown` when their folder is missing. */
  jail(): Promise<Jail>
  /** In whose share their work is counted. */
  readonly payer: QuotaOwner
  /**
   * Checks that the access they began with still holds: session and account or link, scope, and rules. With `paths`
   * only the rules about these count, without them any change of the rules does. For what waits and for what takes long.
   *
   * @param folds whether names on these paths have several spellings
   * @throws Problem as the call would if it were made now: `auth.required`, `auth.forbidden`, `path.forbidden`,
   * `share.unknown`
   */
  check(paths?: readonly UserPath[], folds?: boolean): void
  /** Whether `check` throws nothing. */
  stands(paths?: readonly UserPath[], folds?: boolean): boolean
  /** Address of the page that shows what they look at; undefined: `/files`. */
  page?: string | undefined
  /** What the top of it is called; undefined: nothing, for the name of a scope is nobody's business. */
  top?: string | undefined
}

/** Somebody who is signed in, for the length of one request. */
export interface Actor extends Person {
  session: SessionRecord
  /** Undefined when a ticket let them in. */
  claims: Claims | undefined
}

/** Answers who holds a session; see `Actor`. The claims are those of the token, if one was shown. */
export function createActors(options: {
  store: Store
  users: Users
  sessions: Sessions
  openScope: (scope: string, allows: Allows) => Promise<Jail>
}) {
  const { store, users, sessions, openScope } = options
  const compiled = createRuleCache()

  const rulesOf = ({ rules }: UserRecord) => compiled(store.data.settings.rules, rules)

  /** A user as a person who looks at files, without a session; undefined when the account has gone. */
  const personOf = (userId: number): Person | undefined => {
    const user = users.find(userId)
    if (!user) return undefined
    const { rules, allows } = rulesOf(user)
    const { scope, hideDotfiles } = user
    const userNow = () => {
      const now = users.find(userId)
      if (!now) throw new Problem('auth.required')
      return now
    }
    return {
      user,
      rules,
      jail: () => openScope(scope, hiding(allows, hideDotfiles)),
      payer: { key: `user ${userId}` },
      ...checker(user, userNow, rulesOf),
    }
  }

  const actorOf = (session: SessionRecord, claims?: Claims): Actor => {
    const userNow = () => {
      const user = sessions.alive(session.id) ? users.find(session.userId) : undefined
      if (!user) throw new Problem('auth.required')
      return user
    }
    const begun = userNow()
    return {
      get user() {
        return userNow()
      },
      session,
      claims,
      get rules() {
        return rulesOf(userNow()).rules
      },
      jail: () => {
        // An account that has ended still cleans up after itself; whatever else it does, `check` refuses.
        const now = users.find(begun.id) ?? begun
        return openScope(begun.scope, hiding(rulesOf(now).allows, now.hideDotfiles))
      },
      payer: { key: `user ${begun.id}` },
      ...checker(begun, userNow, rulesOf),
    }
  }

  return { actorOf, personOf }
}

/** What checks that `user`, read when it is called, still has the access of `begun`; see `Person.check`. */
function checker(begun: UserRecord, user: () => UserRecord, rulesOf: (user: UserRecord) => Compiled) {
  const { rules: before } = rulesOf(begun)
  const check: Person['check'] = (paths, folds) => {
    const now = user()
    if (now.scope !== begun.scope) throw new Problem('auth.forbidden')
    const { rules, allows } = rulesOf(now)
    // The state is another object after every change: what counts is what it says.
    const isSame = rules === before || isDeepStrictEqual(rules, before)
    if (isSame && now.hideDotfiles === begun.hideDotfiles) return
    if (!paths) throw new Problem('auth.forbidden')
    // Only the first is what was asked for; the others may be names that this person cannot see.
    const [path = ''] = paths
    const mayReach = hiding(allows, now.hideDotfiles)
    if (!paths.every((each) => mayReach(each, folds))) throw new Problem('path.forbidden', { path })
  }
  const stands: Person['stands'] = (paths, folds) => holds(() => check(paths, folds))
  return { check, stands }
}

/** Compiles rules once for as long as nobody changes them: the state is replaced as a whole, so identity tells. */
function createRuleCache() {
  const cache = new WeakMap<readonly Rule[], WeakMap<readonly Rule[], Compiled>>()
  return (global: readonly Rule[], own: readonly Rule[]): Compiled => {
    const ofGlobal = cache.get(global) ?? new WeakMap<readonly Rule[], Compiled>()
    cache.set(global, ofGlobal)
    const known = ofGlobal.get(own)
    if (known) return known
    const rules = [...global, ...own]
    const made = { rules, allows: compileRules(rules) }
    ofGlobal.set(own, made)
    return made
  }
}

interface Compiled {
  rules: readonly Rule[]
  allows: Allows
}
