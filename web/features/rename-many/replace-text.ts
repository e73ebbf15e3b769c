import { literalPattern } from '#src/core/text/literal-pattern.ts'
import type { NameRule, Replace } from './new-names.ts'

type Pattern = typeof import('re2js')['RE2JS']

/** Returns the function that replaces `find`. `RE2JS` is needed only for a pattern. @throws if the pattern is invalid. */
export function replaceText(rule: NameRule, RE2JS: Pattern | undefined): Replace {
  const { find, replacement, isPattern, matchesCase } = rule
  if (!find) return (text) => text
  if (!isPattern) {
    const expression = new RegExp(literalPattern(find), matchesCase ? 'gu' : 'giu')
    return (text) => text.replace(expression, () => replacement)
  }
  if (!RE2JS) return (text) => text
  const pattern = RE2JS.compile(find, matchesCase ? 0 : RE2JS.CASE_INSENSITIVE)
  return (text) => pattern.matcher(text).replaceAll(replacement)
}
