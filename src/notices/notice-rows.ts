import { maxNotices, noticeDays } from '#contract/notices/notices.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import type { NewNotice } from './notice.ts'

// All SQL for the tables `notices` and `notices_told`.

/** A stored notice. */
export interface NoticeRow extends Omit<NewNotice, 'names'> {
  id: number
  /** JSON. */
  names: string
  is_read: 0 | 1
}

const dayMs = 86_400_000

/** The statements that store a notice. They remove those of the user that are too old or too many. */
export function noticeStatements(notice: NewNotice): Statement[] {
  const { user, time, kind, link, title, path, count, bytes, names, sender, detail } = notice
  return [
    {
      sql: `INSERT INTO notices (user, time, kind, link, title, path, count, bytes, names, sender, detail, is_read)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
      values: [user, time, kind, link, title, path, count, bytes, JSON.stringify(names), sender, detail],
    },
    {
      sql: `DELETE FROM notices WHERE user = ? AND (time < ? OR id <= (
        SELECT id FROM notices WHERE user = ? ORDER BY id DESC LIMIT 1 OFFSET ?))`,
      values: [user, oldest(time), user, maxNotices],
    },
  ]
}

const oldest = (now: number) => now - noticeDays * dayMs

/** The newest notices of a user whose id is less than `before`. */
export function readNotices(
  { read }: Pick<Database, 'read'>,
  { user, before, limit, now }: { user: number; before: number; limit: number; now: number },
): Promise<NoticeRow[]> {
  const sql = `SELECT id, user, time, kind, link, title, path, count, bytes, names, sender, detail, is_read FROM notices
    WHERE user = ? AND id < ? AND time >= ? ORDER BY id DESC LIMIT ?`
  return read(sql, [user, before, oldest(now), limit])
}

/** The number of notices that the user has not read. */
export async function countUnread(
  { read }: Pick<Database, 'read'>,
  user: number,
  now: number,
): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM notices WHERE user = ? AND is_read = 0 AND time >= ?'
  const [row] = await read<{ n: number }>(sql, [user, oldest(now)])
  return row?.n ?? 0
}

/** The statement that marks the notices of a user as read, up to an id. */
export function readStatement(user: number, upTo: number): Statement {
  return {
    sql: 'UPDATE notices SET is_read = 1 WHERE user = ? AND id <= ? AND is_read = 0',
    values: [user, upTo],
  }
}

/** The statement that deletes all notices of a user. */
export function clearedStatement(user: number): Statement {
  return { sql: 'DELETE FROM notices WHERE user = ?', values: [user] }
}

/** The statement that deletes the notices of all users but these. */
export function otherNoticesRemoved(users: readonly number[]): Statement {
  return {
    sql: 'DELETE FROM notices WHERE user NOT IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify(users)],
  }
}

/** An event of a share for which its owner gets one notice for each value. */
export interface NotifiedOnce {
  link: string
  what: string
  value: number
}

/** Whether there was no notice about this event for this value. */
export async function isNew({ read }: Pick<Database, 'read'>, notified: NotifiedOnce): Promise<boolean> {
  const sql = 'SELECT value FROM notices_told WHERE link = ? AND what = ? AND value = ?'
  return (await read(sql, [notified.link, notified.what, notified.value])).length === 0
}

/** The statement that records that there was a notice. */
export function notifiedStatement({ link, what, value }: NotifiedOnce): Statement {
  return {
    sql: `INSERT INTO notices_told (link, what, value) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value`,
    values: [link, what, value],
  }
}

/** The statement that removes these records of all other shares. */
export function otherSharesForgotten(links: readonly string[]): Statement {
  return {
    sql: 'DELETE FROM notices_told WHERE link NOT IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify(links)],
  }
}
