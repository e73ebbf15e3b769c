import type { Permissions } from '#contract/users.ts'
import type { Principal } from '#src/access/principal.ts'
import { Problem, type Recheck } from '#src/core/problem.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'

/** Whether these permissions allow publishing. */
export function mayPublish({ admin, publish }: Permissions): boolean {
  return admin || publish === true
}

/** @throws Problem `auth.forbidden`. */
export function authorizePublishing({ user }: Principal): void {
  if (!mayPublish(user.perm)) throw new Problem('auth.forbidden')
}

/** Returns a function that checks again whether the person may publish this path; see `Principal.check`. */
export function recheckPublishing(person: Principal, path: UserPath): Recheck {
  return () => {
    person.check([path])
    authorizePublishing(person)
  }
}
