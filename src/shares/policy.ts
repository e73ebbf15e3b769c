import type { SharingPolicy } from '#contract/shares.ts'
import { meaningOf } from '#src/access/share-rights.ts'
import { Problem } from '#src/core/problem.ts'
import type { ShareRecord, UserRecord } from '#src/state/state.ts'

const daySeconds = 86_400

/** Why this user may not share, or not with these rights. Undefined: the policy allows it. */
function refusalOf({ who, uploads }: SharingPolicy, { perm }: UserRecord, share: ShareRecord) {
  if (who === 'administrators' && !perm.admin) return 'share.right'
  return !uploads && meaningOf(share).receives ? 'share.uploads' : undefined
}

/** Whether visitors may use a share of this owner now, as far as the policy is concerned. */
export function isInPolicy(policy: SharingPolicy, owner: UserRecord, share: ShareRecord): boolean {
  return refusalOf(policy, owner, share) === undefined
}

/**
 * Checks a new or changed share (contract/README.md#policy-of-shares).
 *
 * @throws Problem `share.right`, `share.uploads`, `share.passwordless`, `share.endless`.
 */
export function checkPolicy(policy: SharingPolicy, owner: UserRecord, share: ShareRecord, now: number): void {
  const code = refusalOf(policy, owner, share)
  if (code) throw new Problem(code)
  if (policy.password && share.password === '' && !share.people) throw new Problem('share.passwordless')
  const { longest } = policy
  // From now: a share may be prolonged. One second more, because the end is in whole seconds.
  const latest = now / 1000 + longest * daySeconds + 1
  if (longest > 0 && (share.expire === 0 || share.expire > latest))
    throw new Problem('share.endless', { days: longest })
}
