import type { ProblemCode } from '#contract/problems.ts'
import type { GivenUser } from '#contract/users.ts'
import { checkCommands, checkRules, cleanPreferences, wholePerm } from '#src/core/access/grants.ts'
import { Problem } from '#src/core/problem.ts'
import type { Recheck } from '#src/core/recheck.ts'
import { nothing, type UserRecord } from '#src/core/state/state.ts'
import { checkName } from '#src/core/text/user-names.ts'
import { refusal, type UserField, userFields } from './users.policy.ts'

/** A requested change of a user. */
export interface Change {
  /** Names of fields; `all`: every field in `data`. */
  which: readonly string[]
  data: GivenUser
  /** Called directly before the change is stored, because it may have waited. */
  recheck?: Recheck
}

/** The fields of a change. @throws Problem for a field that is unknown, missing, or not permitted for the caller. */
export function permitted(caller: UserRecord, id: number, { which, data }: Change): readonly UserField[] {
  for (const name of which)
    refuse(refusal(caller, id, name), { field: 'which', reason: `has no field ${name}` })
  if (which.includes('all')) return userFields.filter((field) => field in data)
  const fields = userFields.filter((field) => which.includes(field))
  const missing = fields.find((field) => field !== 'password' && !(field in data))
  if (missing) throw new Problem('request.invalid', { field: 'data', reason: `has no ${missing}` })
  return fields
}

/** @throws Problem with `code`, unless it is undefined. */
export function refuse(code: ProblemCode | undefined, details?: Record<string, string>): void {
  if (code) throw new Problem(code, details)
}

/** Copies only these fields of the given user. */
export function pick(data: GivenUser, fields: readonly UserField[]): GivenUser {
  return Object.fromEntries(fields.filter((field) => field in data).map((field) => [field, data[field]]))
}

/**
 * Validates given fields of a user and converts them to the stored form, without the password and the scope.
 *
 * @throws Problem `user.name`, `request.invalid`.
 */
export function cleanFields(given: GivenUser): Partial<Omit<UserRecord, 'id' | 'scope'>> {
  const { username, lockPassword, perm, commands, rules } = given
  return {
    ...cleanPreferences(given),
    ...(username !== undefined && { username: checkName(username) }),
    ...(lockPassword !== undefined && { lockPassword }),
    ...(perm && { perm: wholePerm({ ...nothing, ...perm }) }),
    ...(commands !== undefined && { commands: checkCommands(commands, 'data.commands') }),
    ...(rules !== undefined && { rules: checkRules(rules, 'data.rules') }),
  }
}

/** Gives administrators all permissions and removes `lockPassword` from them. */
export function settled<U extends Omit<UserRecord, 'id'>>(user: U): U {
  return { ...user, perm: wholePerm(user.perm), lockPassword: user.lockPassword && !user.perm.admin }
}
