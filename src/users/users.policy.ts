import type { ProblemCode } from '#contract/problems.ts'
import { Preferences, type UserInput } from '#contract/users.ts'
import type { UserRecord } from '#src/state/state.ts'

/** Fields that users may change for themselves, besides the password (contract/README.md#users-and-settings). */
const ownFields = [...(Object.keys(Preferences.properties) as (keyof Preferences)[]), 'folderViews'] as const

const guardedFields = ['username', 'scope', 'perm', 'commands', 'rules', 'lockPassword'] as const

/** All fields that `which` may contain, besides `all`. */
export const userFields = [...ownFields, 'password', ...guardedFields] as const
export type UserField = (typeof userFields)[number]

/** The part of a request that describes a change of a user; without `which`: all fields in `data`. */
export interface UserChangeInput {
  which?: readonly string[]
  data: UserInput
}

/**
 * Whether a change affects only the caller's own preferences. Such a change needs no proof of the password
 * (contract/README.md#users-and-settings).
 */
export function isOwnPreferences(
  caller: UserRecord,
  id: number | undefined,
  change: UserChangeInput | null | undefined,
): boolean {
  if (caller.id !== id || !change) return false
  const { which = ['all'], data } = change
  const fields = which.includes('all') ? userFields.filter((field) => field in data) : which
  return fields.every(isOwnField)
}

/**
 * Whether the fields that a change has changed, such as `sorting.by`, are only the caller's own preferences. Then it is no
 * change of an account for the audit log. Old clients send the whole account to change one preference.
 */
export function changesOwnPreferences(caller: UserRecord, id: number, names: readonly string[]): boolean {
  return caller.id === id && names.every((name) => isOwnField(name.split('.')[0] ?? ''))
}

function isOwnField(field: string): boolean {
  return (ownFields as readonly string[]).includes(field)
}

/**
 * Whether a change of a user sets a new password and nothing else, as a user must who has a made-up password
 * (contract/README.md#first-password).
 */
export function isOnlyPassword(change: UserChangeInput | null | undefined): boolean {
  if (!change?.data.password) return false
  const { which = ['all'], data } = change
  const fields = which.includes('all') ? userFields.filter((field) => field in data) : which
  return fields.every((field) => field === 'password')
}

const guardedNames = ['all', 'id', ...guardedFields.map((field) => field.toLowerCase())]

/**
 * Why `caller` may not change `field` of the user `id`; undefined: permitted. Without a caller, it is the operator of the
 * machine, who may do what administrators may. For other callers the
 * guarded names match in any case, so that no spelling passes.
 */
export function refusal(caller: UserRecord | undefined, id: number, field: string): ProblemCode | undefined {
  const isKnown = field === 'all' || (userFields as readonly string[]).includes(field)
  if (!caller || caller.perm.admin) return isKnown ? undefined : 'request.invalid'
  if (caller.id !== id) return 'auth.forbidden'
  if (guardedNames.includes(field.toLowerCase())) return 'auth.forbidden'
  if (field === 'password' && caller.lockPassword) return 'password.locked'
  return isKnown ? undefined : 'request.invalid'
}

/**
 * Why `caller` may not delete the user `id`; undefined: permitted. A locked account is used by several people, so none
 * of them may delete it.
 */
export function removalRefusal(caller: UserRecord | undefined, id: number): ProblemCode | undefined {
  if (!caller || caller.perm.admin || (caller.id === id && !caller.lockPassword)) return undefined
  return 'auth.forbidden'
}
