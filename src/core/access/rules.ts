import { posix } from 'node:path'
import { RE2JS } from 're2js'
import type { Rule } from '#contract/users.ts'
import { foldPath } from '#src/core/text/fold.ts'

/**
 * A rule as somebody meets it who stands in a folder below the one that the rule speaks of: `base` is where they stand.
 * Undefined: at the top.
 */
export type PlacedRule = Rule & { base?: string }

/**
 * Whether a path may be reached.
 *
 * @param folds whether names on this path have several spellings, as on disks that ignore case. A rule that denies then
 * denies every spelling; a rule that allows still means the one spelling that it is written in.
 */
export type Allows = (path: string, folds?: boolean) => boolean

/**
 * Turns rules into one question: may this path be reached? The last rule that matches decides, and what no rule matches
 * is allowed (contract/README.md#resources). A plain path covers itself and all below it, by whole names; a pattern is RE2, unanchored.
 * A pattern that cannot be compiled denies everything: a rule that is not understood fails closed.
 */
export function compileRules(rules: readonly PlacedRule[]): Allows {
  if (rules.length === 0) return () => true
  const compiled = rules.map((rule) => ({ allow: rule.allow, matches: matcher(rule) }))
  if (compiled.some(({ matches }) => !matches)) return () => false
  const latest = compiled.reverse()
  return (path, folds = false) =>
    latest.find(({ allow, matches }) => matches?.(path, folds && !allow))?.allow ?? true
}

/**
 * The same question for somebody who may have dotfiles hidden from them: what has such a name anywhere on its path is
 * denied as well (contract/compatibility.md#rules-and-scopes). Paths are normal, so no name is `.` or `..`.
 */
export function hiding(allows: Allows, hideDotfiles: boolean): Allows {
  return hideDotfiles ? (path, folds) => !path.includes('/.') && allows(path, folds) : allows
}

/** Whether a rule matches a path; with `inAnySpelling`, also when it matches another spelling of it. */
type Matches = (path: string, inAnySpelling: boolean) => boolean

function matcher(rule: PlacedRule): Matches | undefined {
  const { base } = rule
  const matches = rule.regex ? regular(rule) : plain(rule.path)
  if (!base || !matches) return matches
  return (path, inAnySpelling) => matches(path === '/' ? base : base + path, inAnySpelling)
}

function regular(rule: Rule): Matches | undefined {
  const pattern = patternOf(rule)
  if (!pattern) return undefined
  // A folder is asked about as `/a`; patterns such as `^/a/` mean it too.
  const finds = (pattern: RE2JS, path: string) =>
    pattern.matcher(path).find() || pattern.matcher(`${path}/`).find()
  let caseless: RE2JS | undefined
  return (path, inAnySpelling) => {
    if (finds(pattern, path)) return true
    if (!inAnySpelling) return false
    caseless ??= RE2JS.compile(pattern.pattern(), RE2JS.CASE_INSENSITIVE)
    const spellings = [path, path.normalize('NFC'), path.normalize('NFD'), foldPath(path)]
    return spellings.some((spelling) => caseless && finds(caseless, spelling))
  }
}

/** The compiled pattern of a rule; undefined when it is not RE2 or empty. */
export function patternOf(rule: Rule): RE2JS | undefined {
  try {
    return rule.regexp?.raw ? RE2JS.compile(rule.regexp.raw) : undefined
  } catch {
    return undefined // RE2JS says why in its own words; callers only need to know that it is none
  }
}

function plain(written: string): Matches {
  if (!written.startsWith('/')) return () => false // contract/compatibility.md#rules-and-scopes
  // Paths are asked about in their one normal form; a rule that kept `//` or `.` would deny nothing.
  const folder = posix.normalize(written).replace(/\/+$/, '')
  let folded: string | undefined
  return (path, inAnySpelling) => {
    if (isWithin(path, folder)) return true
    if (!inAnySpelling) return false
    folded ??= foldPath(folder)
    return isWithin(foldPath(path), folded)
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
