import type { Database, Statement } from '#src/core/database/database.ts'

// All SQL for the table `deliveries`: notices on their way to a webhook or by e-mail.

export type Channel = 'mail' | 'webhook'

/** A notice that is to be delivered. Times are milliseconds since 1970. */
export interface NewDelivery {
  id: string
  type: string
  time: number
  /** JSON: type, timestamp and data. */
  body: string
}

/** A stored delivery. */
export interface DeliveryRow extends NewDelivery {
  user: number
  channel: Channel
  state: 'waiting' | 'done' | 'failed'
  attempts: number
  due: number
  /** HTTP status of the last response, or null. */
  status: number | null
  /** Why the last attempt failed; empty: it has not. */
  reason: string
}

/** Deliveries of one user on one channel that are kept, and for how long. */
export const mostKept = 200
const keptMs = 30 * 86_400_000

const columns = 'id, user, channel, type, time, body, state, attempts, due, status, reason'

/** The statements that store a delivery, due now. They remove old ones, the finished ones first. */
export function deliveryStatements(
  user: number,
  channel: Channel,
  { id, type, time, body }: NewDelivery,
  now: number,
): Statement[] {
  return [
    {
      sql: `INSERT INTO deliveries (${columns}) VALUES (?, ?, ?, ?, ?, ?, 'waiting', 0, ?, NULL, '')`,
      values: [id, user, channel, type, time, body, now],
    },
    {
      sql: `DELETE FROM deliveries WHERE user = ? AND channel = ? AND (time < ? OR id IN (
        SELECT id FROM deliveries WHERE user = ? AND channel = ?
        ORDER BY state = 'waiting' DESC, time DESC, id LIMIT -1 OFFSET ?))`,
      values: [user, channel, now - keptMs, user, channel, mostKept],
    },
  ]
}

/** The delivery that is due next, of a user who is not in `busy`. Undefined: none waits. */
export async function nextDelivery(
  { read }: Pick<Database, 'read'>,
  busy: readonly number[],
): Promise<DeliveryRow | undefined> {
  const sql = `SELECT ${columns} FROM deliveries WHERE state = 'waiting'
    AND user NOT IN (SELECT value FROM json_each(?)) ORDER BY due, id LIMIT 1`
  const [row] = await read<DeliveryRow>(sql, [JSON.stringify(busy)])
  return row
}

/** The statement that notes the result of an attempt, unless the delivery is gone or was turned off meanwhile. */
export function attemptStatement(
  id: string,
  { state, due, status, reason }: Pick<DeliveryRow, 'state' | 'due' | 'status' | 'reason'>,
): Statement {
  return {
    sql: `UPDATE deliveries SET state = ?, attempts = attempts + 1, due = ?, status = ?, reason = ?
      WHERE id = ? AND state = 'waiting'`,
    values: [state, due, status, reason, id],
  }
}

/** The statement that lets everything of a user fail that waits on a channel. */
export function turnedOffStatement(user: number, channel: Channel): Statement {
  return {
    sql: `UPDATE deliveries SET state = 'failed', reason = 'off' WHERE user = ? AND channel = ? AND state = 'waiting'`,
    values: [user, channel],
  }
}

/** The statement that deletes all deliveries of a user on a channel. */
export function removedStatement(user: number, channel: Channel): Statement {
  return { sql: 'DELETE FROM deliveries WHERE user = ? AND channel = ?', values: [user, channel] }
}

/** The statement that deletes the deliveries of all users but these. */
export function otherDeliveriesRemoved(users: readonly number[]): Statement {
  return {
    sql: 'DELETE FROM deliveries WHERE user NOT IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify(users)],
  }
}

/** The statement that sends a delivery of a user again. It returns a row if there is one. */
export function againStatement(user: number, channel: Channel, id: string, now: number): Statement {
  return {
    sql: `UPDATE deliveries SET state = 'waiting', attempts = 0, due = ?, reason = ''
      WHERE user = ? AND channel = ? AND id = ? RETURNING id`,
    values: [now, user, channel, id],
  }
}

/** The last deliveries of a user on a channel, the newest first. */
export function readDeliveries(
  { read }: Pick<Database, 'read'>,
  { user, channel, limit }: { user: number; channel: Channel; limit: number },
): Promise<DeliveryRow[]> {
  const sql = `SELECT ${columns} FROM deliveries WHERE user = ? AND channel = ? ORDER BY time DESC, id LIMIT ?`
  return read(sql, [user, channel, limit])
}
