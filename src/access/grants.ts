import {
  type Permissions,
  Preferences,
  type PreferencesInput,
  type Rule,
  type RulesInput,
} from '#contract/users.ts'
import { patternFault } from '#src/core/access/pattern-fault.ts'
import { Problem } from '#src/core/problem.ts'
import { allPermissions } from '#src/state/defaults.ts'

/** Returns the effective permissions. An administrator has all of them. */
export function effectivePermissions(perm: Permissions): Permissions {
  return perm.admin ? { ...allPermissions } : perm
}

/**
 * Returns the rules in the form in which they are stored: with all fields, each able to match.
 *
 * @param field the field in the problem; the number of the rule and the faulty field follow it, such as
 * `rules.2.regexp.raw`
 * @throws Problem `request.invalid` for a pattern that is not RE2, with the position of the error, and for a path that
 * can never match. An empty path in a rule that allows is accepted.
 */
export function checkRules(given: RulesInput, field: string): Rule[] {
  return (given ?? []).map(({ allow = false, path = '', regex = false, regexp = null }, at) => {
    const rule: Rule = { allow, path, regex, regexp: regexp && { raw: regexp.raw ?? '' } }
    const reason = faultOf(rule)
    const value = rule.regex ? 'regexp.raw' : 'path'
    if (reason) throw new Problem('request.invalid', { field: `${field}.${at}.${value}`, reason })
    return rule
  })
}

function faultOf(rule: Rule): string | undefined {
  if (rule.regex) return rule.regexp?.raw ? patternFault(rule.regexp.raw) : 'must not be empty'
  // A new row of a form allows nothing, and is not an error (contract/compatibility.md#users). An empty rule that
  // denies is one.
  if (rule.allow && rule.path === '') return undefined
  return rule.path.startsWith('/') ? undefined : 'must begin with a slash'
}

/**
 * Returns the names of programs in the form in which they are stored, without duplicates.
 *
 * @throws Problem `request.invalid` for text that cannot be the name of a program.
 */
export function checkCommands(given: readonly string[] | null, field: string): string[] {
  const names = new Set((given ?? []).filter((name) => name !== ''))
  for (const name of names) {
    if (/[\s/\\\p{C}]/u.test(name)) {
      throw new Problem('request.invalid', {
        field,
        reason: `${JSON.stringify(name)} is not a program name`,
      })
    }
  }
  return [...names]
}

/**
 * Returns preferences as they are stored. An empty view mode or sorting becomes the default
 * (contract/compatibility.md#users).
 */
export function cleanPreferences(given: PreferencesInput): Partial<Preferences> {
  const { viewMode, sorting } = given
  const names = Object.keys(Preferences.properties) as (keyof Preferences)[]
  const present = names.filter((name) => given[name] !== undefined)
  return {
    ...Object.fromEntries(present.map((name) => [name, given[name]])),
    ...(viewMode !== undefined && { viewMode: viewMode || 'list' }),
    ...(sorting && { sorting: { by: sorting.by || 'name', asc: sorting.asc ?? false } }),
    ...(given.columns && { columns: [...new Set(given.columns)] }),
  }
}
