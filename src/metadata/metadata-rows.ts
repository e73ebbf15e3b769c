import type { EntryMetadata } from '#contract/metadata.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import type { PictureMetadata } from '#src/files/metadata/read-file.ts'

// All SQL for the table `metadata`: a cache of what is known about the states of files. A row contains nothing about the
// path of the file or its users.

/** A row, and whether the file itself was read: otherwise only a preview was made. */
export interface KnownMetadata extends Omit<EntryMetadata, 'owner'> {
  isRead: boolean
}

interface Row {
  key: string
  used: number
  is_read: number
  taken: string | null
  width: number | null
  height: number | null
  placeholder: string | null
}

/** A row that a read found, and the day of its last use. */
export interface FoundRow {
  key: string
  used: number
  known: KnownMetadata
}

/** Fewer than the database returns at once. */
export const maxKeysPerRead = 20_000

/** Reads the rows with these keys, at most `maxKeysPerRead`. */
export async function readRows(
  { read }: Pick<Database, 'read'>,
  keys: readonly string[],
): Promise<FoundRow[]> {
  const sql = 'SELECT metadata.* FROM json_each(?) AS asked JOIN metadata ON metadata.key = asked.value'
  const rows = await read<Row>(sql, [JSON.stringify(keys)])
  return rows.map(({ key, used, is_read, taken, width, height, placeholder }) => ({
    key,
    used,
    known: {
      isRead: is_read === 1,
      ...(taken !== null && { taken }),
      ...(width !== null && { width }),
      ...(height !== null && { height }),
      ...(placeholder !== null && { placeholder }),
    },
  }))
}

/** The statement that stores what was read from files, on this day since 1970. Keeps placeholders. */
export function readStored(found: readonly (PictureMetadata & { key: string })[], day: number): Statement {
  return {
    sql: `INSERT INTO metadata (key, used, is_read, taken, width, height)
      SELECT value ->> 'key', ?, 1, value ->> 'taken', value ->> 'width', value ->> 'height' FROM json_each(?) WHERE true
      ON CONFLICT DO UPDATE SET
        used = excluded.used, is_read = 1, taken = excluded.taken, width = excluded.width, height = excluded.height`,
    values: [day, JSON.stringify(found)],
  }
}

/** The statement that stores a placeholder. */
export function placeholderStored(key: string, placeholder: string, day: number): Statement {
  return {
    sql: `INSERT INTO metadata (key, used, is_read, placeholder) VALUES (?, ?, 0, ?)
      ON CONFLICT DO UPDATE SET used = excluded.used, placeholder = excluded.placeholder`,
    values: [key, day, placeholder],
  }
}

/** The statement that records that rows were used on this day. */
export function usesStored(keys: readonly string[], day: number): Statement {
  return {
    sql: 'UPDATE metadata SET used = ? WHERE key IN (SELECT value FROM json_each(?))',
    values: [day, JSON.stringify(keys)],
  }
}

/** The statement that removes rows. */
export function rowsRemoved(keys: readonly string[]): Statement {
  return {
    sql: 'DELETE FROM metadata WHERE key IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify(keys)],
  }
}

/** The statements that remove rows not used since a day, and then the least recently used ones above `most`. */
export function oldRowsRemoved(since: number, most: number): Statement[] {
  return [
    { sql: 'DELETE FROM metadata WHERE used < ?', values: [since] },
    {
      sql: `DELETE FROM metadata WHERE key IN (
        SELECT key FROM metadata ORDER BY used LIMIT max(0, (SELECT count(*) FROM metadata) - ?))`,
      values: [most],
    },
  ]
}
