import type { Database, Statement } from '#src/core/database/database.ts'

// All SQL for the table `notice_batches`: received files that wait for more of the same visit.

/** The statement that stores a batch, as JSON. */
export function batchStatement(id: string, data: string): Statement {
  return {
    sql: 'INSERT INTO notice_batches (id, data) VALUES (?, ?) ON CONFLICT DO UPDATE SET data = excluded.data',
    values: [id, data],
  }
}

/** The statement that removes a batch. */
export function batchRemoved(id: string): Statement {
  return { sql: 'DELETE FROM notice_batches WHERE id = ?', values: [id] }
}

/** The batches that a killed server has left. */
export function readBatches({ read }: Pick<Database, 'read'>): Promise<{ id: string; data: string }[]> {
  return read('SELECT id, data FROM notice_batches LIMIT 10000')
}
