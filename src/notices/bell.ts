import type { Notice, NoticePage } from '#contract/notices/notices.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import { factsOf } from './notice.ts'
import { clearedStatement, countUnread, type NoticeRow, readNotices, readStatement } from './notice-rows.ts'

interface BellOptions {
  database: Pick<Database, 'read' | 'write'>
  clock: Clock
  /** Sends the number of unread notices to the pages of a user. */
  sendUnread(user: number, unread: number): void
}

const perPage = 30

/** The notices of each user, as the page shows them. */
export function createBell({ database, clock, sendUnread }: BellOptions) {
  async function announce(user: number): Promise<void> {
    sendUnread(user, await countUnread(database, user, clock()))
  }

  return {
    announce,

    /** A page of notices, the newest first. @param before only those with a lower id */
    async page(user: number, given: { before?: number; limit?: number }): Promise<NoticePage> {
      const { before = Number.MAX_SAFE_INTEGER, limit = perPage } = given
      const found = await readNotices(database, { user, before, limit: limit + 1, now: clock() })
      const items = found.slice(0, limit).map(viewOf)
      const last = items.at(-1)
      return {
        items,
        unread: await countUnread(database, user, clock()),
        ...(found.length > limit && last && { next: last.id }),
      }
    },

    /** Marks the notices up to this id as read. */
    async markRead(user: number, upTo: number): Promise<void> {
      await database.write([readStatement(user, upTo)])
      await announce(user)
    },

    /** Deletes all notices of a user. */
    async clear(user: number): Promise<void> {
      await database.write([clearedStatement(user)])
      await announce(user)
    },
  }
}

export type Bell = ReturnType<typeof createBell>

function viewOf({ id, time, kind, is_read, title, names, ...row }: NoticeRow): Notice {
  const facts = factsOf({ ...row, time, kind, title, names: JSON.parse(names) as string[] })
  return { id, time: new Date(time).toISOString(), kind, isRead: is_read === 1, title, ...facts }
}
