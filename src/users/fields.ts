import type { ProblemCode } from '#contract/problems.ts'
import type { GivenUser } from '#contract/users.ts'
import { checkCommands, checkRules, cleanPreferences, wholePerm } from '#src/core/access/grants.ts'
import { Problem } from '#src/core/problem.ts'
import type { Recheck } from '#src/core/recheck.ts'
import { nothing, type UserRecord } from '#src/core/state/state.ts'
import { checkName } from '#src/core/text/user-names.ts'
import { refusal, type UserField, userFields } from './users.policy.ts'

/** What is to be changed about a user. */
export interface Change {
  /** Names of fields; `all`: every one that `data` has. */
  which: readonly string[]
  data: GivenUser
  /** Called when the change is made, which may have had to wait. */
  recheck?: Recheck
}

/** The fields that a change names. @throws Problem for one that is unknown, not the caller's to change, or missing. */
export function permitted(caller: UserRecord, id: number, { which, data }: Change): readonly UserField[] {
  for (const name of which)
    refuse(refusal(caller, id, name), { field: 'which', reason: `has no field ${name}` })
  if (which.includes('all')) return userFields.filter((field) => field in data)
  const fields = userFields.filter((field) => which.includes(field))
  const missing = fields.find((field) => field !== 'password' && !(field in data))
  if (missing) throw new Problem('request.invalid', { field: 'data', reason: `has no ${missing}` })
  return fields
}

/** Throws the refusal that there is, if there is one. */
export function refuse(code: ProblemCode | undefined, details?: Record<string, string>): void {
  if (code) throw new Problem(code, details)
}

/** Of what is said about a user, only these fields. */
export function pick(data: GivenUser, fields: readonly UserField[]): GivenUser {
  return Object.fromEntries(fields.filter((field) => field in data).map((field) => [field, data[field]]))
}

/**
 * What a caller says about a user, as it is stored; the password and the scope are not here.
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

/** An administrator may do everything and cannot be locked out of their password. */
export function settled<U extends Omit<UserRecord, 'id'>>(user: U): U {
  return { ...user, perm: wholePerm(user.perm), lockPassword: user.lockPassword && !user.perm.admin }
}
