import type { ProblemCode } from '#contract/problems.ts'
import type { ShareRights } from '#contract/shares.ts'
import type { Permissions } from '#contract/users.ts'
import { noPermissions } from '#src/state/defaults.ts'
import type { ShareRecord, UserRecord } from '#src/state/state.ts'

/** The permissions that the rights of a share give to visitors, as far as its owner has them. */
const permissionsOf: Record<ShareRights, readonly (keyof Permissions)[]> = {
  view: [],
  download: ['download'],
  upload: ['create'],
  'upload-view': ['create', 'download'],
  edit: ['create', 'download', 'modify', 'delete', 'rename'],
}

/**
 * Why a user with these permissions may not create shares with these rights; undefined: permitted. Every share needs the
 * download permission. A share also needs each permission that its rights give. The problem code names the missing
 * permission.
 */
export function refusal(perm: Permissions, rights: ShareRights = 'download'): ProblemCode | undefined {
  if (perm.admin) return undefined
  if (!perm.share) return 'share.right'
  const isMissing = (need: keyof Permissions) => !perm[need]
  if (rights === 'view' || permissionsOf[rights].includes('download'))
    if (!perm.download) return 'share.download'
  return permissionsOf[rights].some(isMissing) ? 'auth.forbidden' : undefined
}

/** The permissions of visitors: those of the rights that the owner has now. */
export function visitorPermissions(owner: Permissions, rights: ShareRights): Permissions {
  const given = permissionsOf[rights].filter((need) => owner.admin || owner[need])
  return { ...noPermissions, ...Object.fromEntries(given.map((need) => [need, true])) }
}

/** Whether `user` may see, change and delete a share: its owner or an administrator. */
export function mayManage(user: UserRecord, share: ShareRecord): boolean {
  return user.perm.admin || share.userID === user.id
}
