import type { ProblemCode } from '#contract/problems.ts'
import type { Preferences } from '#contract/users.ts'
import type { UserRecord } from '#src/core/state.ts'

/** Fields that everybody may change about themselves (contract W9), besides their password. */
export const ownFields = [
  'locale',
  'viewMode',
  'sorting',
  'singleClick',
  'hideDotfiles',
  'dateFormat',
  'aceEditorTheme',
  'redirectAfterCopyMove',
] as const satisfies (keyof Preferences)[]

const guarded = ['all', 'id', 'username', 'scope', 'perm', 'commands', 'rules', 'lockpassword']

/** Why `user` may not change `field` of their own record; undefined means go ahead. Names are told apart without case. */
export function refusal(user: UserRecord, field: string): ProblemCode | undefined {
  if ((ownFields as readonly string[]).includes(field)) return undefined
  if (field === 'password') return user.lockPassword && !user.perm.admin ? 'password.locked' : undefined
  return guarded.includes(field.toLowerCase()) ? 'auth.forbidden' : 'request.invalid'
}
