import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { Eye, Gauge, Hourglass, Inbox, type LucideIcon, ShieldAlert, Webhook } from 'lucide-react'
import type { Notice } from '#contract/notices/notices.ts'
import { paths } from '#web/shared/paths.ts'
import { quoted } from '#web/shared/undo/change-text.ts'
import { formatDate, formatRelative, formatSize } from '#web/ui/format/format.ts'

/** How a kind of notice looks. */
export const noticeIcons: Readonly<Record<Notice['kind'], LucideIcon>> = {
  visit: Eye,
  received: Inbox,
  limit: Gauge,
  ending: Hourglass,
  scan: ShieldAlert,
  webhook: Webhook,
}

/** More names would not fit into a line. */
const mostNames = 2

/** The sentence of a notice. A title or name in it is not too long, and never changes the order of the words. */
export function noticeText(notice: Notice): string {
  const title = quoted(notice.title)
  if (notice.kind === 'received') {
    return plural(notice.count ?? 0, {
      one: `# file received in “${title}”`,
      other: `# files received in “${title}”`,
    })
  }
  if (notice.kind === 'limit') return limitText(notice.limit, title)
  if (notice.kind === 'ending') return endingText(notice.ends, title)
  if (notice.kind === 'scan') return i18n._(msg`A received file was refused in “${title}”`)
  if (notice.kind === 'webhook') return webhookText(notice.reason, title)
  return i18n._(msg`“${title}” was opened for the first time`)
}

function limitText(limit: Notice['limit'], title: string): string {
  if (limit === 'visitors') return i18n._(msg`“${title}” has reached its limit of visitors`)
  if (limit === 'files') return i18n._(msg`“${title}” has reached its limit of received files`)
  if (limit === 'bytes') return i18n._(msg`“${title}” has reached its limit of received data`)
  return i18n._(msg`“${title}” has reached its limit of downloads`)
}

function endingText(ends: string | undefined, title: string): string {
  const time = Date.parse(ends ?? '')
  if (Number.isNaN(time)) return i18n._(msg`“${title}” ends soon`)
  const [now, date] = [Date.now(), formatDate(time, i18n.locale)]
  if (time <= now) return i18n._(msg`“${title}” was to end on ${date}`)
  const when = formatRelative(time, now, i18n.locale)
  return i18n._(msg`“${title}” ends ${when}`)
}

function webhookText(reason: Notice['reason'], host: string): string {
  return reason === 'gone'
    ? i18n._(msg`Your webhook at ${host} was turned off, because it has asked for it`)
    : i18n._(msg`Your webhook at ${host} was turned off, because no delivery has succeeded for days`)
}

/** What else is known: the names of received files, their size and their sender. Empty for other kinds. */
export function noticeFacts({ names = [], count = 0, bytes, sender }: Notice): string[] {
  const shown = names.slice(0, mostNames).map(quoted)
  const rest = count - shown.length
  const more = plural(rest, { one: '# more', other: '# more' })
  const all = shown.length > 0 && rest > 0 ? [...shown, more] : shown
  const by = quoted(sender ?? '')
  return [
    new Intl.ListFormat(i18n.locale, { type: 'conjunction' }).format(all),
    bytes === undefined ? '' : formatSize(bytes, i18n.locale),
    sender ? i18n._(msg`from ${by}`) : '',
  ].filter(Boolean)
}

/** The page to which a notice leads, without the base path. */
export function targetOf({ kind, path, share }: Notice): string {
  if (kind === 'webhook') return `${paths.profile}#profile.webhook`
  if (kind === 'received' && path !== undefined) return paths.files(path.replace(/\/*$/, '/'))
  return share === undefined ? paths.links : `${paths.links}#${encodeURIComponent(share)}`
}
