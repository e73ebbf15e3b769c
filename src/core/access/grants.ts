import type { GivenPreferences, GivenRules, Permissions, Preferences, Rule } from '#contract/users.ts'
import { Problem } from '#src/core/problem.ts'
import { everything } from '#src/core/state/state.ts'
import { patternFault } from './pattern-fault.ts'

/** The permissions that a set of them comes to: an administrator has them all. */
export function wholePerm(perm: Permissions): Permissions {
  return perm.admin ? { ...everything } : perm
}

/**
 * Rules as they are stored: whole, and each one able to match.
 *
 * @param field what the refusal names, followed by the number of the rule and the value in it, as `rules.2.regexp.raw`
 * @throws Problem `request.invalid` for a pattern that is not RE2, with the place of the fault in it, and for a path that
 * would never match, unless it is an empty one to allow.
 */
export function checkRules(given: GivenRules, field: string): Rule[] {
  return (given ?? []).map(({ allow = false, path = '', regex = false, regexp = null }, at) => {
    const rule: Rule = { allow, path, regex, regexp: regexp && { raw: regexp.raw ?? '' } }
    const reason = faultOf(rule)
    const value = rule.regex ? 'regexp.raw' : 'path'
    if (reason) throw new Problem('request.invalid', { field: `${field}.${at}.${value}`, reason })
    return rule
  })
}

function faultOf(rule: Rule): string | undefined {
  if (rule.regex) return rule.regexp?.raw ? patternFault(rule.regexp.raw) : 'has no pattern'
  // A form's new row (contract/compatibility.md#users): it allows nothing and is nobody's mistake. One that denies would be.
  if (rule.allow && rule.path === '') return undefined
  return rule.path.startsWith('/') ? undefined : 'has no path that begins with a slash'
}

/**
 * Program names as they are stored, each once.
 *
 * @throws Problem `request.invalid` for what cannot be the name of a program.
 */
export function checkCommands(given: readonly string[] | null, field: string): string[] {
  const names = new Set((given ?? []).filter((name) => name !== ''))
  for (const name of names) {
    if (/[\s/\\\p{C}]/u.test(name)) {
      throw new Problem('request.invalid', {
        field,
        reason: `${JSON.stringify(name)} is not the name of a program`,
      })
    }
  }
  return [...names]
}

/** Preferences as they are stored: an empty view mode or sorting means the usual one (contract/compatibility.md#users). */
export function cleanPreferences(given: GivenPreferences): Partial<Preferences> {
  const { locale, viewMode, sorting, singleClick, hideDotfiles } = given
  const { dateFormat, aceEditorTheme, redirectAfterCopyMove, theme } = given
  return {
    ...(locale !== undefined && { locale }),
    ...(viewMode !== undefined && { viewMode: viewMode || 'list' }),
    ...(sorting && { sorting: { by: sorting.by || 'name', asc: sorting.asc ?? false } }),
    ...(singleClick !== undefined && { singleClick }),
    ...(hideDotfiles !== undefined && { hideDotfiles }),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(aceEditorTheme !== undefined && { aceEditorTheme }),
    ...(redirectAfterCopyMove !== undefined && { redirectAfterCopyMove }),
    ...(theme !== undefined && { theme }),
  }
}
