import type { ProblemCode } from '#contract/problems.ts'
import type { Permissions } from '#contract/users.ts'
import type { Person } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import type { UserPath } from '#src/files/user-path.ts'

/** What may be done to a resource. Looking needs no permission beyond a login (reference 3.1). */
export type Verb = 'look' | 'read' | 'create' | 'save' | 'replace' | 'delete' | 'rename'

const needs: Record<Verb, keyof Permissions | undefined> = {
  look: undefined,
  read: 'download',
  create: 'create',
  save: 'modify',
  replace: 'modify',
  delete: 'delete',
  rename: 'rename',
}

/** Why somebody with these permissions may not do `verb`; undefined means go ahead. Paths are the jail's business. */
export function refusal(perm: Permissions, verb: Verb): ProblemCode | undefined {
  const need = needs[verb]
  return !need || perm.admin || perm[need] ? undefined : 'auth.forbidden'
}

/** Refuses `verb` to somebody with these permissions. @throws Problem `auth.forbidden`. */
export function permit(perm: Permissions, verb: Verb): void {
  const code = refusal(perm, verb)
  if (code) throw new Problem(code)
}

/** Whether somebody may still do `verb`, now that it is under way; see `Person.stands`. */
export function mayStill(
  person: Person,
  verb: Verb,
  about?: { paths: readonly UserPath[]; folds: boolean },
): boolean {
  return person.stands(about?.paths, about?.folds) && refusal(person.user.perm, verb) === undefined
}
