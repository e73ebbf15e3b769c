import type { Database, Statement } from '#src/core/database/database.ts'

// All SQL for the table `webhooks`.

/** The webhook of a user. */
export interface WebhookRow {
  url: string
  secret: string
  is_on: 0 | 1
  fault: '' | 'gone' | 'failed'
}

/** The webhook of a user; undefined: there is none. */
export async function readWebhook(
  { read }: Pick<Database, 'read'>,
  user: number,
): Promise<WebhookRow | undefined> {
  const [row] = await read<WebhookRow>('SELECT url, secret, is_on, fault FROM webhooks WHERE user = ?', [
    user,
  ])
  return row
}

/** The statement that stores the webhook of a user. */
export function webhookStatement(user: number, { url, secret, is_on, fault }: WebhookRow): Statement {
  return {
    sql: `INSERT INTO webhooks (user, url, secret, is_on, fault) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET url = excluded.url, secret = excluded.secret, is_on = excluded.is_on,
      fault = excluded.fault`,
    values: [user, url, secret, is_on, fault],
  }
}

/** The statement that replaces the secret. It returns a row if there is a webhook. */
export function secretStatement(user: number, secret: string): Statement {
  return { sql: 'UPDATE webhooks SET secret = ? WHERE user = ? RETURNING url', values: [secret, user] }
}

/** The statement that turns a webhook off, if it still has this URL. It returns a row if it was on. */
export function faultStatement(user: number, url: string, fault: WebhookRow['fault']): Statement {
  return {
    sql: 'UPDATE webhooks SET is_on = 0, fault = ? WHERE user = ? AND url = ? AND is_on = 1 RETURNING url',
    values: [fault, user, url],
  }
}

/** The statement that removes the webhook of a user. */
export function webhookRemoved(user: number): Statement {
  return { sql: 'DELETE FROM webhooks WHERE user = ?', values: [user] }
}

/** The statement that removes the webhooks of all users but these. */
export function otherWebhooksRemoved(users: readonly number[]): Statement {
  return {
    sql: 'DELETE FROM webhooks WHERE user NOT IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify(users)],
  }
}
