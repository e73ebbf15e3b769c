import { basename } from 'node:path/posix'
import type { Notice, NoticeChannel } from '#contract/notices/notices.ts'
import { oneLine } from '#src/core/text/one-line.ts'
import type { ShareRecord } from '#src/state/state.ts'

/** A notice before it is stored. Texts that do not belong to its kind are empty. */
export interface NewNotice {
  user: number
  /** Milliseconds since 1970. */
  time: number
  kind: Notice['kind']
  /** The id of the share; empty: it is about none. */
  link: string
  title: string
  path: string
  count: number
  bytes: number
  names: readonly string[]
  sender: string
  /** Of `limit` the limit, of `ending` the time of RFC 3339, of `webhook` the reason. */
  detail: string
}

/** The channels on which the owner of a share gets notices about it. An empty list: none. */
export function channelsOf({ conditions }: Pick<ShareRecord, 'conditions'>): readonly NoticeChannel[] {
  return conditions?.notify ?? ['page']
}

/** A notice about a share. `more` has what belongs to its kind. */
export function noticeOf(
  { hash, userID, path, conditions }: ShareRecord,
  more: Pick<NewNotice, 'kind' | 'time'> & Partial<NewNotice>,
): NewNotice {
  const { names = [], sender = '' } = more
  return {
    user: userID,
    link: hash,
    title: oneLine(conditions?.title ?? (basename(path) || '/')),
    count: 0,
    bytes: 0,
    detail: '',
    ...more,
    path: more.path ?? path,
    names: names.map((name) => oneLine(name)),
    sender: oneLine(sender),
  }
}

/** What a notice contains, by its kind: as the API returns it, and as webhooks and e-mails have it. */
export function factsOf({ kind, link, path, count, bytes, names, sender, detail }: NewNotice) {
  return {
    ...(link && { share: link, path }),
    ...(count > 0 && { count, bytes, names: [...names] }),
    ...(sender && { sender }),
    ...(kind === 'limit' && { limit: detail as NonNullable<Notice['limit']> }),
    ...(kind === 'ending' && { ends: detail }),
    ...(kind === 'webhook' && { reason: detail as NonNullable<Notice['reason']> }),
  }
}
