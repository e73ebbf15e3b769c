import type { Rule } from '#contract/users.ts'
import { compileRules } from '#src/core/rules.ts'
import type { UserRecord } from '#src/core/state.ts'
import type { Jail } from '#src/files/jail.ts'
import type { SessionRecord } from './sessions.ts'
import type { Claims } from './token.ts'

/** Somebody who is signed in, for the length of one request. */
export interface Actor {
  /**
   * The record of now, not of the moment the request began: a body may take hours to come, and meanwhile rights are
   * taken away and sessions end. @throws Problem `auth.required` when the session or the account has ended.
   */
  readonly user: UserRecord
  session: SessionRecord
  /** Undefined when a ticket let them in. */
  claims: Claims | undefined
  /** Global rules, then their own: the last match wins. */
  rules: readonly Rule[]
  /** What they may reach. @throws Problem `path.unknown` when their folder is missing. */
  jail(): Promise<Jail>
}

/** Compiles rules once for as long as nobody changes them: the state is replaced as a whole, so identity tells. */
export function createRuleCache() {
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
  allows: (path: string) => boolean
}
