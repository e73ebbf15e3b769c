import type { ProblemCode } from '#contract/problems.ts'
import type { Permissions } from '#contract/users.ts'
import type { ShareRecord, UserRecord } from '#src/core/state/state.ts'

/**
 * Why somebody with these permissions may not give links away; undefined means go ahead. A link lets others download, so it
 * needs that right too; the refusal names the right that is missing.
 */
export function refusal(perm: Permissions): ProblemCode | undefined {
  if (perm.admin) return undefined
  if (!perm.share) return 'share.right'
  return perm.download ? undefined : 'share.download'
}

/** Whether `user` may see and end a link: its owner, or an administrator. */
export function mayManage(user: UserRecord, share: ShareRecord): boolean {
  return user.perm.admin || share.userID === user.id
}
