import { isDeepStrictEqual } from 'node:util'
import type { Rule } from '#contract/users.ts'
import { Problem } from '#src/core/problem.ts'
import { type Allows, compileRules, hiding, type PlacedRule } from '#src/core/rules.ts'
import type { UserRecord } from '#src/core/state.ts'
import type { Store } from '#src/core/store.ts'
import type { Jail } from '#src/files/jail.ts'
import type { UserPath } from '#src/files/user-path.ts'
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
  /** Global rules, then their own: the last match wins. */
  rules: readonly PlacedRule[]
  /** What they may reach. @throws Problem `path.unknown` when their folder is missing. */
  jail(): Promise<Jail>
  /**
   * Whether what let them in holds at this moment: the session and the account or the link, the scope, and the rules, of
   * which those about `paths` alone count when they are given. For what takes long: nobody goes on with what was taken away.
   *
   * @param folds whether names on these paths have several spellings
   */
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

  /** Whether a user who began like this is let in alike by now. */
  function isAsBegun(
    user: UserRecord | undefined,
    {
      begun,
      paths,
      folds,
      ...first
    }: Pick<UserRecord, 'scope' | 'hideDotfiles'> & {
      begun: readonly Rule[]
      paths: readonly UserPath[] | undefined
      folds: boolean | undefined
    },
  ): boolean {
    if (user?.scope !== first.scope) return false
    const { rules, allows } = compiled(store.data.settings.rules, user.rules)
    // The state is another object after every change: what counts is what it says.
    const isSame = rules === begun || isDeepStrictEqual(rules, begun)
    if (isSame && user.hideDotfiles === first.hideDotfiles) return true
    const mayReach = hiding(allows, user.hideDotfiles)
    return paths?.every((path) => mayReach(path, folds)) ?? false
  }

  /** A user as a person who looks at files, without a session; undefined when the account has gone. */
  const personOf = (userId: number): Person | undefined => {
    const user = users.find(userId)
    if (!user) return undefined
    const { rules, allows } = compiled(store.data.settings.rules, user.rules)
    const { scope, hideDotfiles } = user
    return {
      user,
      rules,
      jail: () => openScope(scope, hiding(allows, hideDotfiles)),
      stands: (paths, folds) =>
        isAsBegun(users.find(userId), { scope, hideDotfiles, begun: rules, paths, folds }),
    }
  }

  const actorOf = (session: SessionRecord, claims?: Claims): Actor => {
    const found = () => (sessions.alive(session.id) ? users.find(session.userId) : undefined)
    const userNow = () => {
      const user = found()
      if (!user) throw new Problem('auth.required')
      return user
    }
    const { scope, rules: own, hideDotfiles } = userNow()
    const { rules, allows } = compiled(store.data.settings.rules, own)
    return {
      get user() {
        return userNow()
      },
      session,
      claims,
      rules,
      jail: () => openScope(scope, hiding(allows, hideDotfiles)),
      stands: (paths, folds) => isAsBegun(found(), { scope, hideDotfiles, begun: rules, paths, folds }),
    }
  }

  return { actorOf, personOf }
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
