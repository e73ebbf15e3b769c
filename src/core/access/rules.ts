import { posix } from 'node:path'
import { RE2JS } from 're2js'
import type { Rule } from '#contract/users.ts'
import { foldPath } from '#src/core/text/fold.ts'

/**
 * A rule that applies to a scope: `base` is the path of the user's scope, seen from the folder that the path of the
 * rule starts from. Undefined when both are the same folder.
 */
export type ScopedRule = Rule & {
  base?: string
  /** With these paths, the rule matches everything except them, what is in them, and the folders on the way to them. */
  except?: readonly string[]
}

/** The rule that denies everything except these paths, what is in them, and the folders on the way to them. */
export function denyExcept(paths: readonly string[], base?: string): ScopedRule {
  return { allow: false, path: '/', regex: false, regexp: null, except: paths, ...(base && { base }) }
}

/**
 * Whether a path is allowed.
 *
 * @param folds whether names on this path have several spellings, as on disks that ignore case. A rule that denies then
 * covers every spelling. A rule that allows still covers only the spelling that it is written in.
 */
export type Allows = (path: string, folds?: boolean) => boolean

/**
 * Compiles rules into a function that checks a path. The last rule that matches decides; a path that no rule matches is
 * allowed (contract/README.md#resources). The path of a rule covers itself and everything below it, by whole names. A
 * pattern is RE2 and matches anywhere. A pattern that cannot be compiled denies everything: an invalid rule fails
 * closed.
 */
export function compileRules(rules: readonly ScopedRule[]): Allows {
  if (rules.length === 0) return () => true
  const compiled = rules.map((rule) => ({ allow: rule.allow, matches: matcher(rule) }))
  if (compiled.some(({ matches }) => !matches)) return () => false
  const latest = compiled.reverse()
  return (path, folds = false) =>
    latest.find(({ allow, matches }) => matches?.(path, folds && !allow))?.allow ?? true
}

/**
 * Also denies paths with a dotfile in them when the user has dotfiles hidden
 * (contract/compatibility.md#rules-and-scopes). Paths are normalized, so that no name is `.` or `..`.
 */
export function withoutDotfiles(allows: Allows, hideDotfiles: boolean): Allows {
  return hideDotfiles ? (path, folds) => !path.includes('/.') && allows(path, folds) : allows
}

/** Whether a rule matches a path. With `inAnySpelling`, also whether it matches another spelling of the path. */
type Matches = (path: string, inAnySpelling: boolean) => boolean

function matcher(rule: ScopedRule): Matches | undefined {
  const { base, except } = rule
  if (except) {
    const matches = exceptMatcher(except)
    return base ? (path) => matches(path === '/' ? base : base + path, true) : matches
  }
  const matches = rule.regex ? patternMatcher(rule) : pathMatcher(rule.path)
  if (!base || !matches) return matches
  return (path, inAnySpelling) => matches(path === '/' ? base : base + path, inAnySpelling)
}

// A dot matches a line feed as well. Otherwise a line feed in a name would take a file out of a rule such as `^/private/.*$`.
const dotAll = RE2JS.DOTALL

function patternMatcher(rule: Rule): Matches | undefined {
  const pattern = patternOf(rule)
  if (!pattern) return undefined
  // The path of a folder is checked as `/a`. Patterns such as `^/a/` match it too.
  const finds = (pattern: RE2JS, path: string) =>
    pattern.matcher(path).find() || pattern.matcher(`${path}/`).find()
  let caseless: RE2JS | undefined
  return (path, inAnySpelling) => {
    if (finds(pattern, path)) return true
    if (!inAnySpelling) return false
    caseless ??= RE2JS.compile(pattern.pattern(), dotAll | RE2JS.CASE_INSENSITIVE)
    const spellings = [path, path.normalize('NFC'), path.normalize('NFD'), foldPath(path)]
    return spellings.some((spelling) => caseless && finds(caseless, spelling))
  }
}

/** Returns the compiled pattern of a rule. Undefined when it is empty or not RE2. */
export function patternOf(rule: Rule): RE2JS | undefined {
  try {
    return rule.regexp?.raw ? RE2JS.compile(rule.regexp.raw, dotAll) : undefined
  } catch {
    return undefined // callers only need to know that the pattern is invalid
  }
}

function pathMatcher(written: string): Matches {
  if (!written.startsWith('/')) return () => false // contract/compatibility.md#rules-and-scopes
  // Checked paths are normalized. A rule that kept `//` or `.` would deny nothing.
  const folder = posix.normalize(written).replace(/\/+$/, '')
  let folded: string | undefined
  return (path, inAnySpelling) => {
    if (isWithin(path, folder)) return true
    if (!inAnySpelling) return false
    folded ??= foldPath(folder)
    return isWithin(foldPath(path), folded)
  }
}

/** Other spellings of the excepted paths match, so that a rule that denies also denies them. */
function exceptMatcher(except: readonly string[]): Matches {
  const isOnWay = (path: string, one: string) => path === '/' || isWithin(one, path)
  return (path) => !except.some((one) => one === '/' || isWithin(path, one) || isOnWay(path, one))
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
