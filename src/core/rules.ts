import { posix } from 'node:path'
import { RE2JS } from 're2js'
import type { Rule } from '#contract/users.ts'

/**
 * A rule as somebody meets it who stands in a folder below the one that the rule speaks of: `base` is where they stand.
 * Undefined: at the top.
 */
export type PlacedRule = Rule & { base?: string }

/**
 * Turns rules into one question: may this path be reached? The last rule that matches decides, and what no rule matches
 * is allowed (contract W5). A plain path covers itself and all below it, by whole names; a pattern is RE2, unanchored.
 * A pattern that cannot be compiled denies everything: a rule that is not understood fails closed.
 */
export function compileRules(rules: readonly PlacedRule[]): (path: string) => boolean {
  if (rules.length === 0) return () => true
  const compiled = rules.map((rule) => ({ allow: rule.allow, matches: matcher(rule) }))
  if (compiled.some(({ matches }) => !matches)) return () => false
  const latest = compiled.reverse()
  return (path) => latest.find(({ matches }) => matches?.(path))?.allow ?? true
}

/**
 * The same question for somebody who may have dotfiles hidden from them: what has such a name anywhere on its path is
 * denied as well (reference 10). Paths are normal, so no name is `.` or `..`.
 */
export function hiding(allows: (path: string) => boolean, hideDotfiles: boolean): (path: string) => boolean {
  return hideDotfiles ? (path) => !path.includes('/.') && allows(path) : allows
}

function matcher(rule: PlacedRule): ((path: string) => boolean) | undefined {
  const { base } = rule
  const matches = matcherAtTop(rule)
  if (!base || !matches) return matches
  return (path) => matches(path === '/' ? base : base + path)
}

function matcherAtTop(rule: Rule): ((path: string) => boolean) | undefined {
  if (!rule.regex) return plain(rule.path)
  const pattern = patternOf(rule)
  // A folder is asked about as `/a`; patterns such as `^/a/` mean it too.
  return pattern && ((path) => pattern.matcher(path).find() || pattern.matcher(`${path}/`).find())
}

/** The compiled pattern of a rule; undefined when it is not RE2 or empty. */
export function patternOf(rule: Rule): RE2JS | undefined {
  try {
    return rule.regexp?.raw ? RE2JS.compile(rule.regexp.raw) : undefined
  } catch {
    return undefined // RE2JS says why in its own words; callers only need to know that it is none
  }
}

function plain(written: string): (path: string) => boolean {
  if (!written.startsWith('/')) return () => false // reference 10: such a path never matched
  // Paths are asked about in their one normal form; a rule that kept `//` or `.` would deny nothing.
  const folder = posix.normalize(written).replace(/\/+$/, '')
  return (path) => path === folder || path.startsWith(`${folder}/`)
}
