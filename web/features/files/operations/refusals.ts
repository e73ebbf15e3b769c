import { i18n } from '@lingui/core'
import type { FailureCode } from '#web/api/client.ts'
import { problemText } from '#web/api/problem-text.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import { tell } from '#web/ui/toasts.ts'

/** What was refused of several things, and why. */
export interface Refusal {
  name: string
  code: FailureCode
}

/** Whether nothing more can be done after this: the person walked away or is signed out, or nobody answers. */
export function isLast(code: FailureCode): boolean {
  return code === 'network.aborted' || code === 'auth.required' || code === 'network.lost'
}

/** Whether the thing itself was done in spite of it. */
export function isDone(code: FailureCode): boolean {
  return code === 'hook.after'
}

/** Tells which thing was refused and why; of several the first and how many more. */
export function tellRefusals([first, ...more]: readonly Refusal[]): void {
  if (!first || first.code === 'network.aborted') return
  const others = more.length > 0 ? ` +${formatNumber(more.length, i18n.locale)}` : ''
  tell('error', i18n._(problemText(first.code)), `“${first.name}”${others}:`)
}
