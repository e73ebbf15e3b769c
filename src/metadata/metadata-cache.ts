import type { EntryMetadata } from '#contract/metadata.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import { DatabaseProblem } from '#src/core/database/database-problem.ts'
import type { PictureMetadata } from '#src/files/metadata/read-file.ts'
import { stateKey } from '#src/files/metadata/state-key.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'

const dayMs = 24 * 60 * 60_000
// A row takes about 150 bytes: all together at most 30 MB.
const maxRows = 200_000
const maxUnusedDays = 90
// Old rows are removed after this many new ones, and at the first of a start.
const rowsPerSweep = 5000

/**
 * What is known about the states of files, in the database, so that it survives a restart. A cache: a failure of the
 * database means that less is known, and never that a request fails.
 */
export function createMetadataCache(database: Pick<Database, 'read' | 'writeLater'>, clock: () => number) {
  let addedRows = rowsPerSweep
  const today = () => Math.floor(clock() / dayMs)

  /** @returns whether it was written. */
  async function write(...statements: Parameters<Database['writeLater']>): Promise<boolean> {
    return database.writeLater(...statements).then(
      () => true,
      (error: unknown) => {
        ignoreFault(error)
        return false
      },
    )
  }

  async function sweepAfter(rows: number): Promise<void> {
    addedRows += rows
    if (addedRows < rowsPerSweep) return
    addedRows = 0
    await write(oldRowsRemoved(today() - maxUnusedDays, maxRows))
  }

  return {
    /** Returns what is known, by key. */
    async find(keys: readonly string[]): Promise<Map<string, KnownMetadata>> {
      const found = new Map<string, KnownMetadata>()
      const stale: string[] = []
      for (let at = 0; at < keys.length; at += maxKeysPerRead) {
        const part = keys.slice(at, at + maxKeysPerRead)
        for (const { key, used, known } of await readRows(database, part).catch(noRows)) {
          found.set(key, known)
          if (used !== today()) stale.push(key)
        }
      }
      if (stale.length > 0) void write([usesStored(stale, today())])
      return found
    },

    /** Stores what was read from files. @returns whether it is stored. */
    async store(found: readonly (PictureMetadata & { key: string })[]): Promise<boolean> {
      if (found.length === 0) return true
      const isStored = await write([readStored(found, today())])
      await sweepAfter(found.length)
      return isStored
    },

    /** Stores the placeholder of a picture, which was made together with a preview. */
    async storePlaceholder(state: FileState, placeholder: Uint8Array): Promise<void> {
      const text = Buffer.from(placeholder).toString('base64')
      await write([placeholderStored(stateKey(state), text, today())])
      await sweepAfter(1)
    },

    /** Removes what is known about files that were changed or deleted. */
    async remove(states: readonly FileState[]): Promise<void> {
      if (states.length > 0) await write([rowsRemoved(states.map(stateKey))])
    },
  }
}

/** Failures of the database are logged there. @throws any other error */
function ignoreFault(error: unknown): void {
  if (!(error instanceof DatabaseProblem)) throw error
}

function noRows(error: unknown): FoundRow[] {
  ignoreFault(error)
  return []
}

export type MetadataCache = ReturnType<typeof createMetadataCache>

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
interface FoundRow {
  key: string
  used: number
  known: KnownMetadata
}

/** Fewer than the database returns at once. */
const maxKeysPerRead = 20_000

/** Reads the rows with these keys, at most `maxKeysPerRead`. */
async function readRows({ read }: Pick<Database, 'read'>, keys: readonly string[]): Promise<FoundRow[]> {
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
function readStored(found: readonly (PictureMetadata & { key: string })[], day: number): Statement {
  return {
    sql: `INSERT INTO metadata (key, used, is_read, taken, width, height)
      SELECT value ->> 'key', ?, 1, value ->> 'taken', value ->> 'width', value ->> 'height' FROM json_each(?) WHERE true
      ON CONFLICT DO UPDATE SET
        used = excluded.used, is_read = 1, taken = excluded.taken, width = excluded.width, height = excluded.height`,
    values: [day, JSON.stringify(found)],
  }
}

/** The statement that stores a placeholder. */
function placeholderStored(key: string, placeholder: string, day: number): Statement {
  return {
    sql: `INSERT INTO metadata (key, used, is_read, placeholder) VALUES (?, ?, 0, ?)
      ON CONFLICT DO UPDATE SET used = excluded.used, placeholder = excluded.placeholder`,
    values: [key, day, placeholder],
  }
}

/** The statement that records that rows were used on this day. */
function usesStored(keys: readonly string[], day: number): Statement {
  return {
    sql: 'UPDATE metadata SET used = ? WHERE key IN (SELECT value FROM json_each(?))',
    values: [day, JSON.stringify(keys)],
  }
}

/** The statement that removes rows. */
function rowsRemoved(keys: readonly string[]): Statement {
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
