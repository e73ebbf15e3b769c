import { i18n } from '@lingui/core'
import type { FailureCode } from '#web/api/client.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'

/** An item for which an operation failed, and the reason. */
export interface OperationError {
  name: string
  code: FailureCode
}

/** Whether further attempts are pointless: the user stopped or is signed out, or the server is unreachable. */
export function isFinalError(code: FailureCode): boolean {
  return code === 'network.aborted' || code === 'auth.required' || code === 'network.lost'
}

/** Whether the operation itself succeeded despite this error. */
export function isDone(code: FailureCode): boolean {
  return code === 'hook.after'
}

/** Shows the first failed item with its error, and the number of other failed items. */
export function showOperationErrors([first, ...more]: readonly OperationError[]): void {
  if (!first || first.code === 'network.aborted') return
  const others = more.length > 0 ? ` +${formatNumber(more.length, i18n.locale)}` : ''
  showToast('error', i18n._(problemText(first.code)), `“${shownName(first.name)}”${others}:`)
}
