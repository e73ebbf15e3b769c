import type { Permissions, Rule } from '#contract/users.ts'
import { effectivePermissions } from '#src/access/grants.ts'
import { patternFault } from '#src/core/access/pattern-fault.ts'
import { type Fields, RecordFault } from '#src/import/reading/fields.ts'
import { allPermissions } from '#src/state/defaults.ts'

/** Called with the outcome and the reason when something is not imported as it is. */
export type Tell = (outcome: 'changed' | 'dropped', reason: string) => void

// Limits of the API. Longer ones could not be saved again.
const [longestPath, longestPattern, mostRules] = [4096, 1000, 1000]

/** Why a pattern is not RE2. Undefined when it is. @throws RecordFault when there are too many. */
export type PatternCheck = (raw: string) => string | undefined

// A hostile pattern of 1000 characters takes up to half a second to check.
const mostPatternCharacters = 100_000

/** Returns a check of patterns that takes at most about a minute in all. Each pattern is checked once. */
export function createPatternCheck(): PatternCheck {
  const faults = new Map<string, string | undefined>()
  let length = 0
  return (raw) => {
    if (faults.has(raw)) return faults.get(raw)
    length += raw.length
    if (length > mostPatternCharacters)
      throw new RecordFault(`the patterns of the rules have more than ${mostPatternCharacters} characters`)
    const fault = patternFault(raw)
    faults.set(raw, fault)
    return fault
  }
}

/** Returns the permissions of a user or of new users. */
export function permissionsOf(perm: Fields, tell: Tell): Permissions {
  const names = Object.keys(allPermissions)
  const given = Object.fromEntries(names.map((name) => [name, perm.flag(name)]))
  // The entries are those of `allPermissions`, each true or false.
  const permissions = { ...(given as Permissions), ...(perm.flag('publish') && { publish: true }) }
  if (permissions.admin && names.some((name) => !perm.flag(name)))
    tell('changed', 'an administrator has all permissions in Coffer')
  return effectivePermissions(permissions)
}

/**
 * Returns the rules. A rule that never matches is left out.
 *
 * A pattern that is not RE2 made each request of the user fail in File Browser. Without such a rule the user could do more
 * than before, so it becomes a rule that denies everything, if it denies.
 */
export function rulesOf(rules: readonly Fields[], faultOfPattern: PatternCheck, tell: Tell): Rule[] {
  if (rules.length > mostRules) throw new RecordFault(`a list has more than ${mostRules} rules`)
  return rules.flatMap((rule, at) => {
    const mapped = ruleOf(rule)
    const fault = faultOf(mapped, faultOfPattern)
    if (fault === undefined) return [withBounds(mapped)]
    const name = `rule ${at + 1}`
    if (mapped.allow || !fault.couldMatch) {
      const text = mapped.regex ? mapped.regexp?.raw : mapped.path
      tell('dropped', `${name} (${text?.slice(0, 60)}): ${fault.reason}`)
      return []
    }
    tell('changed', `${name} now denies everything until you correct it: ${fault.reason}`)
    return [{ allow: false, path: '/', regex: false, regexp: null }]
  })
}

function ruleOf(rule: Fields): Rule {
  const regexp = rule.has('regexp') ? { raw: rule.fields('regexp').text('raw') } : null
  return { allow: rule.flag('allow'), path: rule.text('path'), regex: rule.flag('regex'), regexp }
}

/** Shortens the value that has no meaning: the pattern of a rule with a path, or the path of a rule with a pattern. */
function withBounds({ path, regexp, ...rule }: Rule): Rule {
  const raw = regexp?.raw.slice(0, longestPattern)
  return { ...rule, path: path.slice(0, longestPath), regexp: raw === undefined ? null : { raw } }
}

interface RuleFault {
  reason: string
  /** Whether it could match something in File Browser. */
  couldMatch: boolean
}

function faultOf({ regex, regexp, path }: Rule, faultOfPattern: PatternCheck): RuleFault | undefined {
  return regex ? patternReason(regexp?.raw ?? '', faultOfPattern) : pathReason(path)
}

function patternReason(raw: string, faultOfPattern: PatternCheck): RuleFault | undefined {
  if (raw.length > longestPattern)
    return { reason: `the pattern is longer than ${longestPattern}`, couldMatch: true }
  // An empty pattern matched every path.
  const reason = raw === '' ? 'the pattern is empty' : faultOfPattern(raw)
  return reason === undefined ? undefined : { reason, couldMatch: true }
}

function pathReason(path: string): RuleFault | undefined {
  if (!path.startsWith('/'))
    return { reason: 'its path has no leading slash, so it never matches', couldMatch: false }
  if (path.length > longestPath) return { reason: `its path is longer than ${longestPath}`, couldMatch: true }
  return undefined
}

/** Returns the names of programs. Before 2.33.9, the entries were patterns. Coffer allows only exact names. */
export function commandsOf(entries: readonly string[], tell: Tell): string[] {
  const names = new Set<string>()
  for (const entry of entries) {
    if (entry === '') continue
    const [, anchored] = /^\^?([^^$]+)\$?$/.exec(entry) ?? []
    const name = anchored ?? entry
    if (/[\s/\\\p{C}^$*?()[\]{}|]/u.test(name) || name.length > 255) {
      tell('dropped', `command ${entry.slice(0, 60)}: only the exact name of a program is allowed in Coffer`)
    } else {
      if (name !== entry)
        tell('changed', `command ${entry} is now ${name}, because Coffer compares exact names`)
      names.add(name)
    }
  }
  return [...names]
}

/** Whether the order of the rules matters, so that the first and the last match differ. */
export function dependsOnOrder(rules: readonly Rule[]): boolean {
  return rules.some(({ allow }) => allow) && rules.some(({ allow }) => !allow)
}
