import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Delivery } from '#contract/notices/webhook.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { formatRelative } from '#web/ui/format/format.ts'

const types: Readonly<Record<string, MessageDescriptor>> = {
  'webhook.test': msg`Test`,
  'share.visited': msg`First visit`,
  'share.received': msg`Received files`,
  'share.limit': msg`Limit reached`,
  'share.ending': msg`End of a link`,
  'share.scan': msg`Refused file`,
}

/** What was sent. A type that this page does not know is shown as it is. */
export function typeText(type: string): string {
  const text = ownEntry(types, type)
  return text ? i18n._(text) : type
}

/** What has become of a delivery. */
export function deliveryText({ state, status, reason, next, attempts }: Delivery): string {
  if (state === 'done') return i18n._(msg`Delivered (${status ?? 200})`)
  const why = reasonText(reason, status)
  if (state === 'failed') return why || i18n._(msg`Not delivered`)
  if (attempts === 0 || next === undefined || !why) return i18n._(msg`Is being sent`)
  const when = formatRelative(Math.max(Date.parse(next), Date.now()), Date.now(), i18n.locale)
  return i18n._(msg`${why}. Next attempt ${when}`)
}

function reasonText(reason: Delivery['reason'], status: number | undefined): string {
  if (reason === 'address') return i18n._(msg`The address does not exist or is not allowed`)
  if (reason === 'unreachable') return i18n._(msg`No answer within 15 seconds`)
  if (reason === 'off') return i18n._(msg`The webhook was turned off`)
  return status === undefined ? '' : i18n._(msg`Refused with status ${status}`)
}
