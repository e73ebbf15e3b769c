import { isDeepStrictEqual } from 'node:util'
import type { ProblemCode } from '#contract/problems.ts'
import type { Permissions, Rule } from '#contract/users.ts'
import { type Allows, compileRules, withoutDotfiles } from '#src/core/access/rules.ts'
import { Problem, passes, type Recheck } from '#src/core/problem.ts'
import { type Change, noChanges } from '#src/files/changes/change.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { SessionRecord } from '#src/state/sessions.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Current } from '#src/state/store.ts'
import type { Actor, Claims, Principal } from './principal.ts'

/**
 * The actions on a resource. `look` needs no permission beyond a login
 * (contract/compatibility.md#listings-and-files). `read` gets the bytes of a file: downloads, archives,
 * media. `preview` gets a smaller picture, `text` the text in the response about a file.
 */
export type Verb = 'look' | 'read' | 'preview' | 'text' | 'create' | 'save' | 'replace' | 'delete' | 'rename'

/** Each verb needs one of these permissions. A verb without any is allowed for everyone. */
const needs: Record<Verb, readonly (keyof Permissions)[]> = {
  look: [],
  read: ['download'],
  preview: ['download'],
  // Editing includes reading, so a user who may modify a text may read it.
  text: ['download', 'modify'],
  create: ['create'],
  save: ['modify'],
  replace: ['modify'],
  delete: ['delete'],
  rename: ['rename'],
}

/** What overrides the permissions of visitors: true allows, false refuses; see `Principal.sees`. */
const seen: Record<NonNullable<Principal['sees']>, Partial<Record<Verb, boolean>>> = {
  nothing: { look: false, read: false, preview: false, text: false },
  previews: { read: false, preview: true, text: true },
  'no-text': { text: false },
}

/** Returns why this person may not do `verb`, or undefined if the person may. The jail checks paths. */
export function denialOf(
  { user, sees }: Pick<Principal, 'user' | 'sees'>,
  verb: Verb,
): ProblemCode | undefined {
  const decided = sees && seen[sees][verb]
  if (decided !== undefined) return decided ? undefined : 'auth.forbidden'
  const { perm } = user
  const isOpen = perm.admin || needs[verb].length === 0
  return isOpen || needs[verb].some((need) => perm[need]) ? undefined : 'auth.forbidden'
}

/** Whether the person may create or change files. For a body that is still arriving: the exact verb is checked after it. */
export function maySend(person: Pick<Principal, 'user' | 'sees'>): boolean {
  return denialOf(person, 'create') === undefined || denialOf(person, 'save') === undefined
}

/** Throws unless the person has the permission for `verb` now. @throws Problem `auth.forbidden`, `auth.required`. */
export function authorize(person: Pick<Principal, 'user' | 'sees'>, verb: Verb): void {
  const code = denialOf(person, verb)
  if (code) throw new Problem(code)
}

/** Returns a function that checks again whether the person may do `verb` to `paths`; see `Principal.check`. */
export function recheckOf(
  person: Principal,
  verb: Verb,
  paths?: readonly UserPath[],
  folds?: boolean,
): Recheck {
  return () => {
    person.check(paths, folds)
    authorize(person, verb)
  }
}

/**
 * The same for an operation that has not started. Visitors have the rules of the moment when their request arrived,
 * so any change of the rules refuses a waiting request of a visitor.
 */
export function recheckWaiting(person: Principal, verb: Verb, paths: readonly UserPath[]): Recheck {
  return recheckOf(person, verb, person.quotaOwner.share === undefined ? paths : undefined)
}

/** Whether the person may still do `verb` while the operation is running; see `Principal.check`. */
export function isStillAllowed(person: Principal, verb: Verb, paths?: readonly UserPath[]): boolean {
  return passes(recheckOf(person, verb, paths))
}

/** Finds the user of a session; see `Actor`. `claims` come from the token, if the request had one. */
export function createActors(options: {
  current: Current
  sessions: { alive(id: string): unknown }
  openScope: (scope: string, allows: Allows) => Promise<Jail>
}) {
  const { current, sessions, openScope } = options
  const compiled = createRuleCache()

  const rulesOf = ({ rules }: UserRecord) => compiled(current.settings().rules, rules)

  /**
   * Access to a user's files without a session; undefined when the account does not exist.
   *
   * @param change the operation, if files will be changed
   */
  const principalOf = (userId: number, change: Change = noChanges): Principal | undefined => {
    const user = current.user(userId)
    if (!user) return undefined
    const { rules, allows } = rulesOf(user)
    const { scope, hideDotfiles } = user
    const currentUser = () => {
      const now = current.user(userId)
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
      const user = sessions.alive(session.id) ? current.user(session.userId) : undefined
      if (!user) throw new Problem('auth.required')
      return user
    }
    const initial = currentUser()
    return {
      get user() {
        return currentUser()
      },
      session,
      sender: { session: session.id },
      claims,
      change,
      get rules() {
        return rulesOf(currentUser()).rules
      },
      jail: () => {
        // A deleted account can still clean up after itself; `check` rejects everything else.
        const now = current.user(initial.id) ?? initial
        return openScope(initial.scope, withoutDotfiles(rulesOf(now).allows, now.hideDotfiles))
      },
      quotaOwner: { key: `user ${initial.id}` },
      ...createChecks(initial, currentUser, rulesOf),
    }
  }

  return { actorOf, personOf: principalOf }
}

/** Creates checks that the current record `user()` still has the access of `initial`; see `Principal.check`. */
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
  const hasAccess: Principal['hasAccess'] = (paths, folds) => passes(() => check(paths, folds))
  return { check, hasAccess }
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
