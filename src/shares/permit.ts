import type { ShareRights } from '#contract/shares.ts'
import type { Principal } from '#src/access/principal.ts'
import { mayManage, refusal } from '#src/access/share-rights.ts'
import { Problem, passes } from '#src/core/problem.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'

/** Checks that the user may give these rights. Undefined: that the user may share at all. @throws Problem as `refusal`. */
export function permit({ user: { perm } }: Principal, rights?: ShareRights): void {
  const code = refusal(perm, rights)
  if (code) throw new Problem(code)
}

/**
 * Checks that the user may change or end a share: with the permissions for downloads, or with those for its own rights. So a
 * share that only receives files can be ended without the permission to download, and any share can be paused.
 *
 * @throws Problem as `permit`
 */
export function permitManaging(person: Principal, share: ShareRecord): void {
  if (!passes(() => permit(person, share.rights))) permit(person)
}

/** Checks that the user may still share these paths, because the request may have waited. */
export function recheck(person: Principal, paths: readonly UserPath[], rights?: ShareRights): void {
  person.check(paths)
  permit(person, rights)
}

/** The share, if the user may change it. @throws Problem `share.unknown`, `auth.forbidden`, and as `permit`. */
export function manageable(person: Principal, share: ShareRecord | undefined): ShareRecord {
  if (!share) {
    permit(person) // users who may not share do not learn which shares exist
    throw new Problem('share.unknown')
  }
  if (!mayManage(person.user, share)) throw new Problem('auth.forbidden')
  return share
}
