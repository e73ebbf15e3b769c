import { atOrBelow, type Database, type Statement } from '#src/core/database/database.ts'

// All SQL for the table `user_paths`: the starred and the recent paths of each user. Paths are relative to the served
// folder. What is in the trash has the path `//trash/{id}` and what is below the entry.

/** The two lists of a user. */
export type BookmarkKind = 'starred' | 'recent'

/** A row of a list. The time is in milliseconds since 1970. */
export interface BookmarkRow {
  path: string
  time: number
  is_folder: 0 | 1
  /** As in the schema. */
  files: number
}

/** A path of a list that is added. */
export interface NewBookmark {
  user: number
  path: string
  time: number
}

/** More than one answer contains, because some paths may be gone, be folders or be hidden from the user. */
const storedRecent = 200

/**
 * The statements that star a path. The last one returns a row unless the user has `most` stars already. Stars of entries
 * in the trash make room.
 */
export function starStatements(
  { user, path, time }: NewBookmark,
  isFolder: boolean,
  most: number,
): Statement[] {
  const isFull = `(SELECT count(*) FROM user_paths WHERE user = ? AND kind = 'starred') >= ?`
  return [
    {
      sql: `DELETE FROM user_paths WHERE user = ? AND kind = 'starred' AND path >= '//trash/' AND path < '//trash0' AND ${isFull}`,
      values: [user, user, most],
    },
    {
      sql: `INSERT INTO user_paths (user, kind, path, time, is_folder) SELECT ?, 'starred', ?, ?, ?
        WHERE NOT ${isFull} OR EXISTS (SELECT 1 FROM user_paths WHERE user = ? AND kind = 'starred' AND path = ?)
        ON CONFLICT DO UPDATE SET is_folder = excluded.is_folder RETURNING path`,
      values: [user, path, time, isFolder ? 1 : 0, user, most, user, path],
    },
  ]
}

/** The statements that put files at the top of the recent ones, the last path first. */
export function recentStatements(bookmarks: readonly NewBookmark[]): Statement[] {
  const added = bookmarks.map(({ user, path, time }) => ({
    sql: `INSERT INTO user_paths (user, kind, path, time, is_folder) VALUES (?, 'recent', ?, ?, 0)
      ON CONFLICT DO UPDATE SET time = excluded.time, is_folder = 0, files = 0`,
    values: [user, path, time],
  }))
  const users = [...new Set(bookmarks.map(({ user }) => user))]
  return [...added, ...users.map(oldRecentRemoved)]
}

/** Files that a user has uploaded with one operation. */
interface UploadedFiles {
  user: number
  /** The folder that contains all of them. */
  folder: string
  paths: readonly string[]
  time: number
}

/** So many files of an upload are recent one by one. Of more, only their folder is recent. */
export const mostListedUploads = 3

/** Uploads of a user into one folder with shorter pauses are the same upload, in milliseconds. */
const uploadPauseMs = 10 * 60_000

/** The statements that make uploaded files recent: one by one, or as one row for their folder. */
export function uploadStatements({ user, folder, paths, time }: UploadedFiles): Statement[] {
  const isMany = paths.length > mostListedUploads
  const more = isMany ? paths.length : 0
  const since = time - uploadPauseMs
  const listed = (isMany ? [] : paths).map((path) => ({
    sql: `INSERT INTO user_paths (user, kind, path, time, is_folder, files) VALUES (?, 'recent', ?, ?, 0, 1)
      ON CONFLICT DO UPDATE SET time = excluded.time, is_folder = 0, files = 1`,
    values: [user, path, time],
  }))
  const prefix = folder === '/' ? '/' : `${folder}/`
  // The path of a file directly in the folder. `0` is the character after `/`.
  const single = `user = ? AND kind = 'recent' AND files = 1 AND time > ?
    AND path >= ? AND path < ? AND instr(substr(path, length(?) + 1), '/') = 0`
  const singleValues = [user, since, prefix, `${prefix.slice(0, -1)}0`, prefix]
  const hasFolder = `EXISTS (SELECT 1 FROM user_paths WHERE user = ? AND kind = 'recent' AND path = ? AND files > 1 AND time > ?)`
  return [
    ...listed,
    {
      sql: `INSERT INTO user_paths (user, kind, path, time, is_folder, files)
        SELECT ?, 'recent', ?, ?, 1, count(*) + ? FROM user_paths WHERE ${single}
        HAVING count(*) + ? > ? OR ${hasFolder}
        ON CONFLICT DO UPDATE SET time = excluded.time, is_folder = 1,
          files = excluded.files + iif(user_paths.time > ?, user_paths.files, 0)`,
      values: [
        user,
        folder,
        time,
        more,
        ...singleValues,
        more,
        mostListedUploads,
        user,
        folder,
        since,
        since,
      ],
    },
    {
      sql: `DELETE FROM user_paths WHERE ${single} AND ${hasFolder}`,
      values: [...singleValues, user, folder, since],
    },
    oldRecentRemoved(user),
  ]
}

/** The statements after `count` files in a folder have gone by an undo. For a single file, no folder is recent. */
export function undoneUploadStatements({ user, folder, count }: UndoneUpload): Statement[] {
  const row = `user = ? AND kind = 'recent' AND path = ? AND files > 1`
  return [
    { sql: `DELETE FROM user_paths WHERE ${row} AND files < ?`, values: [user, folder, count + 2] },
    { sql: `UPDATE user_paths SET files = files - ? WHERE ${row}`, values: [count, user, folder] },
  ]
}

interface UndoneUpload {
  user: number
  folder: string
  count: number
}

function oldRecentRemoved(user: number): Statement {
  return {
    sql: `DELETE FROM user_paths WHERE user = ? AND kind = 'recent' AND path IN (
      SELECT path FROM user_paths WHERE user = ? AND kind = 'recent' ORDER BY time DESC LIMIT -1 OFFSET ?)`,
    values: [user, user, storedRecent],
  }
}

/** The statement that removes paths from a list. */
export function pathsRemoved(user: number, kind: BookmarkKind, paths: readonly string[]): Statement {
  const marks = paths.map(() => '?').join(', ')
  return {
    sql: `DELETE FROM user_paths WHERE user = ? AND kind = ? AND path IN (${marks})`,
    values: [user, kind, ...paths],
  }
}

/** The statement that clears a list. */
export function listCleared(user: number, kind: BookmarkKind): Statement {
  return { sql: 'DELETE FROM user_paths WHERE user = ? AND kind = ?', values: [user, kind] }
}

/** The statement that removes both lists of all users but these. */
export function otherUsersRemoved(users: readonly number[]): Statement {
  return {
    sql: 'DELETE FROM user_paths WHERE user NOT IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify(users)],
  }
}

/** The statement that gives `from` and everything below the path `to`, in the lists of all users. */
export function pathsMoved(from: string, to: string): Statement {
  const { sql, values } = atOrBelow('path', from)
  return {
    sql: `UPDATE OR REPLACE user_paths SET path = ? || substr(path, length(?) + 1) WHERE ${sql}`,
    values: [to, from, ...values],
  }
}

/** The statement that removes a deleted path and everything below it from the lists of all users. */
export function pathsDeleted(path: string): Statement {
  const { sql, values } = atOrBelow('path', path)
  return { sql: `DELETE FROM user_paths WHERE ${sql}`, values }
}

/** The rows of a list, the newest first, without those in the trash. */
export function readBookmarks(
  { read }: Pick<Database, 'read'>,
  user: number,
  kind: BookmarkKind,
): Promise<BookmarkRow[]> {
  // `/` followed by `/` begins a path in the trash.
  const sql = `SELECT path, time, is_folder, files FROM user_paths WHERE user = ? AND kind = ?
    AND NOT (path >= '//' AND path < '/0') ORDER BY time DESC, path`
  return read(sql, [user, kind])
}
