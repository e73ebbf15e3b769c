import type { ProblemCode } from '#contract/problems.ts'
import { maxFolderViews, type UserInput } from '#contract/users.ts'
import { checkCommands, checkRules, cleanPreferences, effectivePermissions } from '#src/core/access/grants.ts'
import { Problem, type Recheck } from '#src/core/problem.ts'
import { noPermissions, type UserRecord } from '#src/core/state/state.ts'
import { checkUserName } from '#src/core/text/user-names.ts'
import { refusal, type UserField, userFields } from './users.policy.ts'

/** A requested change of a user. */
export interface UserChange {
  /** Names of fields; `all`: every field in `data`. */
  which: readonly string[]
  data: UserInput
  /** Called directly before the change is stored, because it may have waited. */
  recheck?: Recheck
}

/** The fields of a change. @throws Problem for a field that is unknown, missing, or not permitted for the caller. */
export function permittedFields(
  caller: UserRecord | undefined,
  id: number,
  { which, data }: UserChange,
): readonly UserField[] {
  for (const name of which)
    throwIfRefused(refusal(caller, id, name), {
      field: 'which',
      reason: `contains the unknown field ${name}`,
    })
  if (which.includes('all')) return userFields.filter((field) => field in data)
  const fields = userFields.filter((field) => which.includes(field))
  const missing = fields.find((field) => field !== 'password' && !(field in data))
  if (missing) throw new Problem('request.invalid', { field: 'data', reason: `does not contain ${missing}` })
  return fields
}

/** @throws Problem with `code`, unless it is undefined. */
export function throwIfRefused(code: ProblemCode | undefined, details?: Record<string, string>): void {
  if (code) throw new Problem(code, details)
}

/** Copies only these fields of the given user. */
export function pickFields(data: UserInput, fields: readonly UserField[]): UserInput {
  return Object.fromEntries(fields.filter((field) => field in data).map((field) => [field, data[field]]))
}

/**
 * Validates given fields of a user and converts them to the stored form, without the password and the scope.
 *
 * @throws Problem `user.name`, `request.invalid`.
 */
export function validatedFields(given: UserInput): Partial<Omit<UserRecord, 'id' | 'scope'>> {
  const { username, lockPassword, perm, commands, rules } = given
  return {
    ...cleanPreferences(given),
    ...(username !== undefined && { username: checkUserName(username) }),
    ...(lockPassword !== undefined && { lockPassword }),
    ...(perm && { perm: effectivePermissions({ ...noPermissions, ...perm }) }),
    ...(commands !== undefined && { commands: checkCommands(commands, 'data.commands') }),
    ...(rules !== undefined && { rules: checkRules(rules, 'data.rules') }),
  }
}

/** Gives administrators all permissions and removes `lockPassword` from them. */
export function withAdminRules<U extends Omit<UserRecord, 'id'>>(user: U): U {
  return {
    ...user,
    perm: effectivePermissions(user.perm),
    lockPassword: user.lockPassword && !user.perm.admin,
  }
}

/**
 * Forgets the orders, or the view modes, of single folders when that of all folders has changed. Clients that know only
 * one for all folders must see what the user has chosen in them.
 */
export function withoutOverruledViews<U extends UserRecord>(user: U, before: UserRecord): U {
  const { folderViews, rememberViews, sorting, viewMode } = user
  const isSorted = sorting.by !== before.sorting.by || sorting.asc !== before.sorting.asc
  const isMode = viewMode !== before.viewMode
  if (!folderViews || rememberViews === false || !(isSorted || isMode)) return user
  const rest = Object.entries(folderViews).map(([path, view]) => {
    const { sorting: order, metadataOrder, viewMode: mode, ...others } = view
    const kept = {
      ...(!isSorted && order && { sorting: order }),
      ...(!isSorted && metadataOrder && { metadataOrder }),
      ...(!isMode && mode && { viewMode: mode }),
    }
    return [path, { ...others, ...kept }] as const
  })
  return { ...user, folderViews: Object.fromEntries(rest.filter(([, view]) => Object.keys(view).length > 0)) }
}

/**
 * Changes the given parts of views of folders, and removes the views given as null. Forgets the views that were changed
 * longest ago, so that at most `maxFolderViews` remain.
 */
export function withFolderViews<U extends Pick<UserRecord, 'folderViews'>>(
  user: U,
  given: UserInput['folderViews'],
): U {
  if (!given) return user
  const views = new Map(Object.entries(user.folderViews ?? {}))
  for (const [path, view] of Object.entries(given)) {
    const folder = path.replace(/\/+$/, '') || '/'
    const before = views.get(folder)
    views.delete(folder)
    if (view) views.set(folder, { ...before, ...view })
  }
  return { ...user, folderViews: Object.fromEntries([...views].slice(-maxFolderViews)) }
}
