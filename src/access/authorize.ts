import type { ProblemCode } from '#contract/problems.ts'
import type { Permissions } from '#contract/users.ts'
import { Problem, passes, type Recheck } from '#src/core/problem.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Principal } from './principal.ts'

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

/** Verbs that visitors of a share have besides the permissions, or not at all; see `Principal.sees`. */
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
