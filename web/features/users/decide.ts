import type { Rule } from '#contract/users.ts'
import { normalizeRule } from '#web/shared/forms/user-draft.ts'

interface Decision {
  isAllowed: boolean
  /** The number of the rule that decides, from 1; 0: no rule matches. */
  rule: number
}

/**
 * Whether rules allow a path, as the server decides it (`src/core/access/rules.ts`): the last rule that matches decides,
 * and a pattern that cannot be read denies everything.
 */
export function decide(rules: readonly Rule[], path: string): Decision {
  const full = `/${path.trim()}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')
  const matches = rules.map((rule) => matchOf(rule, full))
  const faulty = matches.indexOf(undefined)
  if (faulty >= 0) return { isAllowed: false, rule: faulty + 1 }
  const last = matches.lastIndexOf(true)
  return { isAllowed: rules[last]?.allow ?? true, rule: last + 1 }
}

function matchOf(rule: Rule, path: string): boolean | undefined {
  if (!rule.regex) {
    const folder = normalizeRule(rule).path.replace(/\/+$/, '')
    return rule.path !== '' && (path === folder || path.startsWith(`${folder}/`))
  }
  try {
    const pattern = new RegExp(rule.regexp?.raw || '[', 'u')
    return pattern.test(path) || pattern.test(`${path}/`)
  } catch {
    return undefined
  }
}
