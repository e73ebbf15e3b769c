import type { ProblemCode } from '#contract/problems.ts'
import type { ShareRights } from '#contract/shares.ts'
import type { Permissions } from '#contract/users.ts'
import { noPermissions } from '#src/state/defaults.ts'
import type { ShareRecord, UserRecord } from '#src/state/state.ts'
import type { Principal } from './principal.ts'

/** What the rights of a share mean. */
interface Meaning {
  /** The permissions that visitors get, as far as the owner has them. */
  permissions: readonly (keyof Permissions)[]
  /** Visitors see or get contents, so the owner must be allowed to download. */
  gives: boolean
  /** Visitors send files. */
  receives: boolean
  /** Visitors add files to the shared folder, so a share of one file is of no use. */
  needsFolder: boolean
  /** What overrides the permissions; see `Principal.sees`. */
  sees?: Principal['sees']
}

/** The only place that decides what the rights of a share are (contract/README.md#rights-of-a-share). */
const meanings: Record<ShareRights, Meaning> = {
  view: { permissions: [], gives: true, receives: false, needsFolder: false, sees: 'previews' },
  download: { permissions: ['download'], gives: true, receives: false, needsFolder: false },
  upload: { permissions: ['create'], gives: false, receives: true, needsFolder: true, sees: 'nothing' },
  'upload-view': { permissions: ['create', 'download'], gives: true, receives: true, needsFolder: true },
  edit: {
    permissions: ['create', 'download', 'modify', 'delete', 'rename'],
    gives: true,
    receives: true,
    needsFolder: false,
  },
}

/** What a share allows. */
export function meaningOf({ rights = 'download' }: Pick<ShareRecord, 'rights'>): Meaning {
  return meanings[rights]
}

/**
 * Why a user with these permissions may not create shares with these rights; undefined: permitted. A share needs each
 * permission that its rights give. The problem code names the missing permission.
 */
export function refusal(perm: Permissions, rights: ShareRights = 'download'): ProblemCode | undefined {
  if (perm.admin) return undefined
  if (!perm.share) return 'share.right'
  const { gives, permissions } = meanings[rights]
  if (gives && !perm.download) return 'share.download'
  return permissions.some((need) => !perm[need]) ? 'auth.forbidden' : undefined
}

/** Whether visitors may use a share of this owner now: the owner may share and still has what is given. */
export function isUsable(perm: Permissions, share: Pick<ShareRecord, 'rights'>): boolean {
  return refusal(perm, meaningOf(share).gives ? 'download' : 'upload') === undefined
}

/** The permissions of visitors: those of the rights that the owner has now. */
export function visitorPermissions(owner: Permissions, share: Pick<ShareRecord, 'rights'>): Permissions {
  const given = meaningOf(share).permissions.filter((need) => owner.admin || owner[need])
  return { ...noPermissions, ...Object.fromEntries(given.map((need) => [need, true])) }
}

/** Whether `user` may see, change and delete a share: its owner or an administrator. */
export function mayManage(user: UserRecord, share: ShareRecord): boolean {
  return user.perm.admin || share.userID === user.id
}
