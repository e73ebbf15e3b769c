import { atOrBelow, type Database, type SqlValue, type Statement } from '#src/core/database/database.ts'
import type { KeptRecord } from '#src/files/kept/kept-stores.ts'

// All SQL for the table `kept`: a row for each entry in the trash and each old content of a file. Paths are relative
// to the served folder. Versions of an entry in the trash have the path `//trash/{id}` and what is below the entry;
// versions of an entry that was deleted permanently begin with `//gone/`, until they are deleted too.

/** A row of the table. Times are in milliseconds since 1970. */
export interface KeptRow {
  id: string
  kind: KeptRecord['kind']
  /** The key of the store of the content. Stored records say `place`. */
  place: string
  path: string
  time: number
  user: number | null
  user_name: string
  operation: string
  is_folder: 0 | 1
  /** Bytes; null: not counted yet. */
  size: number | null
  modified: number
  /** Where a version was when it was replaced: `path` follows the file. Null: not known. */
  written: string | null
}

/** A kept item: its record, its id, and the key of its store. */
export type KeptItem = KeptRecord & { id: string; place: string }

/** Where versions of an entry in the trash are. */
export function trashPath(id: string): string {
  return `//trash/${id}`
}

/** Where versions without a file wait for their deletion. */
export const goneFolder = '//gone'

/** The statement that adds an item. Does nothing when the row exists. */
export function rowAdded(item: KeptItem): Statement {
  const { id, kind, place, path, time, user, userName, operation, isFolder, size, modified } = item
  const values = [id, kind, place, path, time, user, userName, operation, isFolder ? 1 : 0]
  return {
    sql: `INSERT INTO kept (id, kind, place, path, time, user, user_name, operation, is_folder, size, modified, written)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    values: [...values, size ?? null, Math.round(modified), kind === 'version' ? path : null],
  }
}

/** The statement that removes the row of an item. */
export function rowRemoved(id: string): Statement {
  return { sql: 'DELETE FROM kept WHERE id = ?', values: [id] }
}

/** The statement that marks the versions of an entry of the trash, and of everything in it, for deletion. */
export function versionsDeleted(id: string): Statement {
  return versionsMoved(trashPath(id), `${goneFolder}/${id}`)
}

/** The statement that stores the counted size of an item. */
export function sizeStatement(id: string, bytes: number): Statement {
  return { sql: 'UPDATE kept SET size = ? WHERE id = ?', values: [bytes, id] }
}

/** The condition for a path below a folder, and its values. */
function below(folder: string): { sql: string; values: string[] } {
  if (folder === '/') return { sql: 'path > ?', values: ['/'] }
  return { sql: 'path >= ? AND path < ?', values: [`${folder}/`, `${folder}0`] }
}

/** The statement that gives versions of `from` and everything below the path `to`. */
export function versionsMoved(from: string, to: string): Statement {
  const { sql, values } = atOrBelow('path', from)
  return {
    sql: `UPDATE kept SET path = ? || substr(path, length(?) + 1) WHERE kind = 'version' AND ${sql}`,
    values: [to, from, ...values],
  }
}

/** The statement that follows a disk that was moved with the folder that it is mounted in. */
export function storesMoved(from: string, to: string): Statement {
  const { sql, values } = atOrBelow('place', from)
  return {
    sql: `UPDATE kept SET place = ? || substr(place, length(?) + 1) WHERE ${sql}`,
    values: [to, from, ...values],
  }
}

/** A position in the list of the trash, the newest first. */
export interface Position {
  time: number
  id: string
}

/**
 * The statement for entries of the trash that were in a folder, the newest first, after a position. For the whole trash,
 * it reads only the rows that it returns.
 */
export function trashAfter(
  folder: string,
  { after, limit }: { after: Position | undefined; limit: number },
): Required<Statement> {
  const { sql, values } = below(folder)
  const { time, id } = after ?? { time: Number.MAX_SAFE_INTEGER, id: '' }
  const index = folder === '/' ? 'kept_by_time' : 'kept_by_path'
  return {
    sql: `SELECT * FROM kept INDEXED BY ${index} WHERE kind = 'trash' AND ${sql} AND (time, id) < (?, ?)
      ORDER BY time DESC, id DESC LIMIT ?`,
    values: [...values, time, id, limit],
  }
}

/**
 * Reads rows page by page.
 *
 * @param limit the number of rows of a page; a shorter page is the last one
 * @param read reads the rows after the last one of the page before. Undefined: the first rows
 */
export async function* allPages<T>(
  limit: number,
  read: (last: T | undefined) => Promise<T[]>,
): AsyncGenerator<T> {
  let last: T | undefined
  for (;;) {
    const page = await read(last)
    yield* page
    last = page.at(-1)
    if (page.length < limit) return
  }
}

/** Reads the table. */
export function createKeptReader({ read }: Pick<Database, 'read'>) {
  const rows = (rest: string, values: readonly SqlValue[]) =>
    read<KeptRow>(`SELECT * FROM kept WHERE ${rest}`, values)

  return {
    async find(id: string): Promise<KeptRow | undefined> {
      return (await rows('id = ?', [id]))[0]
    },

    /** Entries of the trash that were in a folder, the newest first, after a position. */
    trash(
      folder: string,
      { after, limit }: { after: Position | undefined; limit: number },
    ): Promise<KeptRow[]> {
      const { sql, values } = trashAfter(folder, { after, limit })
      return read<KeptRow>(sql, values)
    },

    /** Number and counted bytes of the entries of the trash that were in a folder. */
    async trashTotal(folder: string): Promise<{ total: number; size: number }> {
      const { sql, values } = below(folder)
      const [sum] = await read<{ total: number; size: number }>(
        `SELECT count(*) AS total, coalesce(sum(size), 0) AS size FROM kept WHERE kind = 'trash' AND ${sql}`,
        values,
      )
      return sum ?? { total: 0, size: 0 }
    },

    /** The versions of a file, the newest first. */
    versions(path: string, limit: number): Promise<KeptRow[]> {
      return rows(`kind = 'version' AND path = ? ORDER BY time DESC, id DESC LIMIT ?`, [path, limit])
    },

    /** Versions of a path and everything below it. */
    versionsWithin(path: string, limit: number): Promise<KeptRow[]> {
      const { sql, values } = atOrBelow('path', path)
      return rows(`kind = 'version' AND ${sql} LIMIT ?`, [...values, limit])
    },

    /** Items whose size is not counted, by id, after one of them. */
    uncounted(after: string, limit: number): Promise<KeptRow[]> {
      return rows('size IS NULL AND id > ? ORDER BY id LIMIT ?', [after, limit])
    },

    /** The oldest items of a kind, before a time. */
    olderThan(kind: KeptRow['kind'], time: number, limit: number): Promise<KeptRow[]> {
      return rows('kind = ? AND time < ? ORDER BY time LIMIT ?', [kind, time, limit])
    },

    /** Versions by path and time, after one of them. */
    versionsByPath(after: { path: string; time: number; id: string }, limit: number): Promise<KeptRow[]> {
      const { path, time, id } = after
      return rows(`kind = 'version' AND (path, time, id) > (?, ?, ?) ORDER BY path, time, id LIMIT ?`, [
        path,
        time,
        id,
        limit,
      ])
    },

    /** The counted bytes by store and user. */
    totals(): Promise<{ place: string; user: number | null; bytes: number }[]> {
      return read('SELECT place, user, coalesce(sum(size), 0) AS bytes FROM kept GROUP BY place, user', [])
    },

    /**
     * Counted items of a store, with `user` only those of this user: first those larger than `most`, then the oldest.
     */
    oldestOf(
      place: string,
      { user, most, limit }: { user: number | undefined; most: number; limit: number },
    ): Promise<KeptRow[]> {
      const own = user === undefined ? '' : 'user = ? AND '
      return rows(`${own}place = ? AND size > 0 ORDER BY size > ? DESC, time, id LIMIT ?`, [
        ...(user === undefined ? [] : [user]),
        place,
        Math.floor(most),
        limit,
      ])
    },

    /** The ids of the items of a store, in their order, after one of them. */
    async idsOf(place: string, after: string, limit: number): Promise<string[]> {
      const found = await read<{ id: string }>(
        'SELECT id FROM kept WHERE id > ? AND place = ? ORDER BY id LIMIT ?',
        [after, place, limit],
      )
      return found.map(({ id }) => id)
    },
  }
}

export type KeptReader = ReturnType<typeof createKeptReader>
