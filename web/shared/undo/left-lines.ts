import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import type { UndoResult } from '#contract/history/operations.ts'
import type { FailureCode } from '#web/api/client.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { nameOf } from '#web/shared/paths.ts'
import { quoted } from './change-text.ts'

/** Maximum number of entries that are named. */
const maxLines = 4

/** One line for each entry that was left, with the reason, and the number of further ones. */
export function leftLines(left: UndoResult['left']): string[] {
  const named = left.slice(0, left.length === maxLines + 1 ? maxLines + 1 : maxLines)
  const rest = left.length - named.length
  const lines = named.map(({ path, code }) => {
    // The code comes from the server as text. An unknown one has a general sentence.
    const reason = i18n._(problemText(code as FailureCode))
    const name = quoted(nameOf(path))
    return path ? i18n._(msg`${name}: ${reason}`) : reason
  })
  const distinct = [...new Set(lines)]
  return rest > 0 ? [...distinct, plural(rest, { one: 'and # more', other: 'and # more' })] : distinct
}
