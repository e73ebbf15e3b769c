import type { ProblemCode } from '#contract/problems.ts'
import type { Permissions } from '#contract/users.ts'
import type { ShareRecord, UserRecord } from '#src/core/state.ts'

/** Why somebody with these permissions may not give links away; undefined means go ahead. Who cannot download cannot share. */
export function refusal(perm: Permissions): ProblemCode | undefined {
  return perm.admin || (perm.share && perm.download) ? undefined : 'auth.forbidden'
}

/** Whether `user` may see and end a link: its owner, or an administrator. */
export function mayManage(user: UserRecord, share: ShareRecord): boolean {
  return user.perm.admin || share.userID === user.id
}
