import type { NoticeChannel } from '#contract/notices/notices.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { setBounded } from '#src/core/memory/bounded-map.ts'
import { randomId } from '#src/core/secret.ts'
import { oneLine } from '#src/core/text/one-line.ts'
import type { LinkEvent } from '#src/shares/use/link-events.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import type { Bell } from './bell.ts'
import type { Deliveries } from './deliveries/deliveries.ts'
import { channelsOf, factsOf, type NewNotice, noticeOf } from './notice.ts'
import { isNew, type NotifiedOnce, noticeStatements, notifiedStatement } from './notice-rows.ts'

interface NotifierOptions {
  database: Pick<Database, 'read' | 'write'>
  store: Pick<Store, 'users'>
  clock: Clock
  log: Logger
  bell: Pick<Bell, 'announce'>
  deliveries: Pick<Deliveries, 'statements' | 'wake'>
}

/** Notices that wait for the database. More come only in a flood, and are dropped. */
const mostWaiting = 2000
/** Recent notices are known without the database. */
const mostKnown = 10_000

/** Sends notices to users, on the channels that they have chosen. */
export function createNotifier({ database, store, clock, log, bell, deliveries }: NotifierOptions) {
  const known = new Map<string, number>()
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  /** Runs one piece of work after the other, so that nothing changes between a check and the write that depends on it. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  async function send(
    notice: NewNotice,
    channels: readonly NoticeChannel[],
    more: readonly Statement[],
  ): Promise<void> {
    if (!(await store.users.byId(notice.user))) return void (await write(more))
    const others = await deliveries.statements(
      notice.user,
      channels.filter((channel) => channel !== 'page'),
      payloadOf(notice),
    )
    const isOnPage = channels.includes('page')
    await write([...(isOnPage ? noticeStatements(notice) : []), ...others, ...more])
    if (isOnPage) await bell.announce(notice.user)
    if (others.length > 0) deliveries.wake()
  }

  async function write(statements: readonly Statement[]): Promise<void> {
    if (statements.length > 0) await database.write(statements)
  }

  /** Notifies the owner of a share, unless there was such a notice for this value. */
  async function sendOnce(
    share: ShareRecord,
    notified: NotifiedOnce,
    more: Parameters<typeof noticeOf>[1],
  ): Promise<void> {
    const key = `${notified.link} ${notified.what}`
    if (known.get(key) === notified.value) return
    if (await isNew(database, notified))
      await send(noticeOf(share, more), channelsOf(share), [notifiedStatement(notified)])
    setBounded(known, key, notified.value, mostKnown)
  }

  return {
    /** Notifies one user. @param more statements of the same transaction */
    tell: (notice: NewNotice, channels: readonly NoticeChannel[], more: readonly Statement[] = []) =>
      inTurn(() => send(notice, channels, more)),

    /** Notifies the owner that a share ends soon, once for each end. */
    notifyEnding: (share: ShareRecord): Promise<void> =>
      inTurn(() =>
        sendOnce(
          share,
          { link: share.hash, what: 'ending', value: share.expire },
          { kind: 'ending', time: clock(), detail: new Date(share.expire * 1000).toISOString() },
        ),
      ),

    /** Notifies the owner of an event of a share, in the background. Never throws. */
    notifyLater(event: LinkEvent): void {
      const once = onceOf(event)
      if (!once || known.get(`${once.link} ${once.what}`) === once.value) return
      if (waiting >= mostWaiting) return
      waiting++
      const { share, kind, time } = event
      const more = {
        kind: kind === 'limit' ? ('limit' as const) : ('visit' as const),
        time,
        ...(kind === 'limit' && { detail: event.limit }),
      }
      inTurn(() => sendOnce(share, once, more))
        .catch((err: unknown) => log.error({ err }, 'a notice could not be stored'))
        .finally(() => {
          waiting--
        })
    },

    /** Waits until everything so far is notified. */
    settled: async (): Promise<void> => void (await last),
  }
}

export type Notifier = ReturnType<typeof createNotifier>

/** Events with one notice: the first visit, and each limit for its present number. Undefined: it has none. */
function onceOf(event: LinkEvent): NotifiedOnce | undefined {
  const { share } = event
  if (event.kind === 'visit') return event.isFirst ? { link: share.hash, what: 'visit', value: 1 } : undefined
  if (event.kind !== 'limit') return undefined
  const { maxDownloads, maxVisitors, maxFiles, maxBytes } = share.conditions ?? {}
  const numbers = { downloads: maxDownloads, visitors: maxVisitors, files: maxFiles, bytes: maxBytes }
  return { link: share.hash, what: event.limit, value: numbers[event.limit] ?? 0 }
}

const types = {
  visit: 'share.visited',
  received: 'share.received',
  limit: 'share.limit',
  ending: 'share.ending',
  scan: 'share.scan',
  webhook: 'webhook.off',
} as const

// A message has at most 20 kB, also if each character of all texts is escaped.
const longestPath = 1400

/** A notice as webhooks get it. */
function payloadOf(notice: NewNotice): { id: string; type: string; time: number; body: string } {
  const type = types[notice.kind]
  const facts = factsOf({ ...notice, path: oneLine(notice.path, longestPath) })
  const timestamp = new Date(notice.time).toISOString()
  const body = JSON.stringify({ type, timestamp, data: { title: notice.title, ...facts } })
  return { id: randomId(), type, time: notice.time, body }
}
