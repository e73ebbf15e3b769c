import type { ProblemCode } from '#contract/problems.ts'
import type { Permissions } from '#contract/users.ts'
import type { ShareRecord, UserRecord } from '#src/state/state.ts'

/**
 * Why a user with these permissions may not create shares; undefined: permitted. A share lets visitors download, so it
 * needs the download permission too. The problem code names the missing permission.
 */
export function refusal(perm: Permissions): ProblemCode | undefined {
  if (perm.admin) return undefined
  if (!perm.share) return 'share.right'
  return perm.download ? undefined : 'share.download'
}

/** Whether `user` may see and delete a share: its owner or an administrator. */
export function mayManage(user: UserRecord, share: ShareRecord): boolean {
  return user.perm.admin || share.userID === user.id
}
