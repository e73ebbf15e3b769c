import { isDeepStrictEqual } from 'node:util'
import type { Rule } from '#contract/users.ts'
import { type Allows, compileRules, type ScopedRule, withoutDotfiles } from '#src/core/access/rules.ts'
import type { QuotaOwner } from '#src/core/concurrency/partitioned-semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import { passes } from '#src/core/recheck.ts'
import type { UserRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { type Change, noChanges } from '#src/files/changes/change.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Users } from '#src/users/users.ts'
import type { SessionRecord, Sessions } from './sessions.ts'
import type { Claims } from './token.ts'

/** The user in whose name files are read: the signed-in user, or the user who created a share. */
export interface Principal {
  /**
   * The current record, not the record at the start of the request: a request body may take hours to arrive, and
   * meanwhile permissions are revoked and sessions end.
   *
   * @throws Problem `auth.required` when the session has ended or the account was deleted.
   */
  readonly user: UserRecord
  /** Global rules, then the user's rules: the last match wins. For a signed-in user the current rules, like `user`. */
  readonly rules: readonly ScopedRule[]
  /** Opens the user's scope with the current rules. @throws Problem `path.unknown` when the folder is missing. */
  jail(): Promise<Jail>
  /** The operation of the request. Everything that the request changes on the disk is recorded there. */
  readonly change: Change
  /** The owner of the quota that this user's work counts against. */
  readonly quotaOwner: QuotaOwner
  /**
   * Checks that the access from the start of the request still holds: session and account (or share), scope, and rules.
   * With `paths`, only the rules for these paths matter. Without `paths`, any change of the rules counts as a loss of
   * access. For requests that wait or run for a long time.
   *
   * @param folds whether the disk ignores case or Unicode form in these paths
   * @throws Problem as the request would if it began now: `auth.required`, `auth.forbidden`, `path.forbidden`,
   * `share.unknown`
   */
  check(paths?: readonly UserPath[], folds?: boolean): void
  /** Whether `check` passes without an error. */
  stands(paths?: readonly UserPath[], folds?: boolean): boolean
  /** Address of the page that shows these files; undefined: `/files`. */
  pageUrl?: string | undefined
  /** Name of the root folder on that page; undefined: no name, because the name of a scope is private. */
  rootName?: string | undefined
}

/** A signed-in user, for the duration of one request. */
export interface Actor extends Principal {
  session: SessionRecord
  /** Undefined when the request was authenticated by a ticket. */
  claims: Claims | undefined
}

/** Finds the user of a session; see `Actor`. `claims` come from the token, if the request had one. */
export function createActors(options: {
  store: Store
  users: Users
  sessions: Sessions
  openScope: (scope: string, allows: Allows) => Promise<Jail>
}) {
  const { store, users, sessions, openScope } = options
  const compiled = createRuleCache()

  const rulesOf = ({ rules }: UserRecord) => compiled(store.data.settings.rules, rules)

  /**
   * Access to a user's files without a session; undefined when the account does not exist.
   *
   * @param change the operation, if files will be changed
   */
  const principalOf = (userId: number, change: Change = noChanges): Principal | undefined => {
    const user = users.findById(userId)
    if (!user) return undefined
    const { rules, allows } = rulesOf(user)
    const { scope, hideDotfiles } = user
    const currentUser = () => {
      const now = users.findById(userId)
      if (!now) throw new Problem('auth.required')
      return now
    }
    return {
      user,
      rules,
      change,
      jail: () => openScope(scope, withoutDotfiles(allows, hideDotfiles)),
      quotaOwner: { key: `user ${userId}` },
      ...createChecks(user, currentUser, rulesOf),
    }
  }

  const actorOf = (session: SessionRecord, change: Change, claims?: Claims): Actor => {
    const currentUser = () => {
      const user = sessions.alive(session.id) ? users.findById(session.userId) : undefined
      if (!user) throw new Problem('auth.required')
      return user
    }
    const initial = currentUser()
    return {
      get user() {
        return currentUser()
      },
      session,
      claims,
      change,
      get rules() {
        return rulesOf(currentUser()).rules
      },
      jail: () => {
        // A deleted account can still clean up after itself; `check` rejects everything else.
        const now = users.findById(initial.id) ?? initial
        return openScope(initial.scope, withoutDotfiles(rulesOf(now).allows, now.hideDotfiles))
      },
      quotaOwner: { key: `user ${initial.id}` },
      ...createChecks(initial, currentUser, rulesOf),
    }
  }

  return { actorOf, personOf: principalOf }
}

/** Creates checks that the current record `user()` still has the access of `initial`; see `Person.check`. */
function createChecks(initial: UserRecord, user: () => UserRecord, rulesOf: (user: UserRecord) => Compiled) {
  const { rules: before } = rulesOf(initial)
  const check: Principal['check'] = (paths, folds) => {
    const now = user()
    if (now.scope !== initial.scope) throw new Problem('auth.forbidden')
    const { rules, allows } = rulesOf(now)
    // Every change replaces the objects of the state, so the contents are compared.
    const isSame = rules === before || isDeepStrictEqual(rules, before)
    if (isSame && now.hideDotfiles === initial.hideDotfiles) return
    if (!paths) throw new Problem('auth.forbidden')
    // The error names the first path, which the client requested. The others may be hidden from this user.
    const [path = ''] = paths
    const mayReach = withoutDotfiles(allows, now.hideDotfiles)
    if (!paths.every((each) => mayReach(each, folds))) throw new Problem('path.forbidden', { path })
  }
  const hasAccess: Principal['stands'] = (paths, folds) => passes(() => check(paths, folds))
  return { check, stands: hasAccess }
}

/** Compiles rules again only after a change. Every change replaces the rules, so object identity shows a change. */
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
