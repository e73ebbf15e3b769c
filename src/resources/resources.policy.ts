import type { ProblemCode } from '#contract/problems.ts'
import type { Permissions } from '#contract/users.ts'
import type { Person } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { holds, type Recheck } from '#src/core/recheck.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'

/**
 * What may be done to a resource. Looking needs no permission beyond a login (contract/compatibility.md#listings-and-files). `read` is to get a file as it
 * is: downloads, archives, previews of pictures and media. `text` is to get the text in the answer about a file.
 */
export type Verb = 'look' | 'read' | 'text' | 'create' | 'save' | 'replace' | 'delete' | 'rename'

/** The permissions of which each verb needs one; a verb that needs none is open to everybody. */
const needs: Record<Verb, readonly (keyof Permissions)[]> = {
  look: [],
  read: ['download'],
  // Who may change a text can read it: editing needs the text.
  text: ['download', 'modify'],
  create: ['create'],
  save: ['modify'],
  replace: ['modify'],
  delete: ['delete'],
  rename: ['rename'],
}

/** Why somebody with these permissions may not do `verb`; undefined means go ahead. Paths are the jail's business. */
export function denialOf(perm: Permissions, verb: Verb): ProblemCode | undefined {
  const isOpen = perm.admin || needs[verb].length === 0
  return isOpen || needs[verb].some((need) => perm[need]) ? undefined : 'auth.forbidden'
}

/** Refuses `verb` to somebody with these permissions. @throws Problem `auth.forbidden`. */
export function authorize(perm: Permissions, verb: Verb): void {
  const code = denialOf(perm, verb)
  if (code) throw new Problem(code)
}

/** What checks again that somebody may do `verb` to `paths`; see `Person.check`. */
export function recheckOf(person: Person, verb: Verb, paths?: readonly UserPath[], folds?: boolean): Recheck {
  return () => {
    person.check(paths, folds)
    authorize(person.user.perm, verb)
  }
}

/**
 * The same for work that has not begun. Of visitors, whose rules are those of the moment when they came, any change of the
 * rules is a refusal.
 */
export function recheckWaiting(person: Person, verb: Verb, paths: readonly UserPath[]): Recheck {
  return recheckOf(person, verb, person.payer.link === undefined ? paths : undefined)
}

/** Whether somebody may still do `verb`, now that it is under way; see `Person.check`. */
export function isStillAllowed(person: Person, verb: Verb, paths?: readonly UserPath[]): boolean {
  return holds(recheckOf(person, verb, paths))
}
