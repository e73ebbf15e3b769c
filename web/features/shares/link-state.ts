import { i18n } from '@lingui/core'
import { plural, t } from '@lingui/core/macro'
import type { ShareView } from '#contract/shares.ts'
import { formatDate, formatNumber, formatRelative } from '#web/ui/format/format.ts'
import { gives, receives } from './form/rights.ts'

/** Whether visitors can use a link now, and otherwise why not. */
export type LinkState = 'open' | 'paused' | 'ended' | 'planned' | 'used' | 'full'

/** The state of a link at a time, in milliseconds since 1970. `used`: no downloads are left; `full`: no uploads are. */
export function stateOf(link: ShareView, nowMs: number): LinkState {
  const { rights, expire, paused, starts, maxDownloads, maxFiles, maxBytes, used } = link
  if (expire !== 0 && expire * 1000 <= nowMs) return 'ended'
  if (paused) return 'paused'
  if (starts && Date.parse(starts) > nowMs) return 'planned'
  if (gives(rights) && isReached(used.downloads, maxDownloads)) return 'used'
  // A link that only receives files is of no use when it is full.
  const isFull = isReached(used.files, maxFiles) || isReached(used.bytes, maxBytes)
  return rights === 'upload' && isFull ? 'full' : 'open'
}

function isReached(count: number, limit: number | undefined): boolean {
  return limit !== undefined && count >= limit
}

/**
 * The state of a link in words: `2 of 3 downloads, ends in 4 days`. Empty: it is open, has no limits and was not used.
 */
export function stateText(link: ShareView, nowMs = Date.now()): string {
  const state = stateOf(link, nowMs)
  const start = formatDate(Date.parse(link.starts ?? '') || 0, i18n.locale)
  const said: Record<LinkState, string> = {
    open: '',
    paused: t`Paused`,
    ended: t`Ended`,
    planned: t`Starts on ${start}`,
    used: t`All downloads used`,
    full: t`All files received`,
  }
  const parts: string[] = [
    said[state],
    state === 'used' ? '' : downloadsText(link),
    state === 'full' ? '' : filesText(link),
    visitorsText(link),
    state === 'ended' ? '' : endText(link.expire, nowMs),
  ]
  const [first = '', ...rest] = parts.filter(Boolean)
  return rest.reduce((before, next) => t`${before}, ${next}`, first)
}

function downloadsText({ rights, maxDownloads, used }: ShareView): string {
  if (!gives(rights)) return ''
  const count = formatNumber(used.downloads, i18n.locale)
  if (maxDownloads !== undefined)
    return t`${count} of ${plural(maxDownloads, { one: '# download', other: '# downloads' })}`
  return used.downloads > 0 ? plural(used.downloads, { one: '# download', other: '# downloads' }) : ''
}

function filesText({ rights, maxFiles, used }: ShareView): string {
  if (!receives(rights) && used.files === 0) return ''
  const count = formatNumber(used.files, i18n.locale)
  if (maxFiles !== undefined)
    return t`${count} of ${plural(maxFiles, { one: '# file received', other: '# files received' })}`
  return plural(used.files, { one: '# file received', other: '# files received' })
}

function visitorsText({ maxVisitors, used }: ShareView): string {
  if (maxVisitors === undefined) return ''
  const count = formatNumber(used.visitors, i18n.locale)
  return t`${count} of ${plural(maxVisitors, { one: '# visitor', other: '# visitors' })}`
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Rounded, so that a new link for four days ends in four days, and not in three. */
function endText(expire: number, nowMs: number): string {
  if (expire === 0) return ''
  const endMs = expire * 1000
  const restMs = endMs - nowMs
  const date = formatDate(endMs, i18n.locale)
  if (restMs > 60 * dayMs) return t`ends on ${date}`
  if (restMs > 36 * hourMs)
    return plural(Math.round(restMs / dayMs), { one: 'ends in # day', other: 'ends in # days' })
  const end = formatRelative(endMs + (restMs > 2 * hourMs ? hourMs / 2 : 0), nowMs, i18n.locale)
  return t`ends ${end}`
}
