import { closeSync, constants, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import {
  checkpointPages,
  connect,
  type LockingMode,
  makeDurable,
  restrict,
  withLocking,
} from './connection.ts'
import { isDamage, NewerSchema } from './fault.ts'

/** A database file of another program must not be mistaken for ours: `CofH`. */
const applicationId = 0x436f6648

/**
 * A file up to this size is checked completely at every start, which takes about 15 ms; after a crash up to the second
 * size, about 150 ms. In larger files, the beginning and end of each table and index are read.
 */
const fullCheckBytes = 16 * 1024 * 1024
const crashCheckBytes = 128 * 1024 * 1024

/** An open database, and why the file before it was set aside. Undefined: it was not. */
export interface OpenedFile {
  db: DatabaseSync
  setAside: string | undefined
  /** The name of the file that a restored one has replaced. Undefined: none was restored. */
  replaced: string | undefined
}

/**
 * Opens the database in `file`, or creates it with mode 0600. Sets a damaged file aside: it gets the name
 * `{file}.damaged-{time}`, and a new database takes its place.
 *
 * @param how.at the time for the name of a damaged file, in milliseconds since 1970
 * @param how.schema the statements that lead from version n of the schema, at index n, to version n + 1
 * @throws NewerSchema; the error of the system or of SQLite when the file cannot be opened.
 */
export function openFile(
  file: string,
  { at, schema }: { at: number; schema: readonly string[] },
): OpenedFile {
  const replaced = existsSync(restoredOf(file)) ? takeRestored(file, at) : undefined
  const isMarked = existsSync(markerOf(file)) && existsSync(file)
  const marked = isMarked ? 'an earlier run found that its content is damaged' : undefined
  const opened = marked === undefined ? tryOpen(file, schema) : { fault: marked }
  if ('db' in opened) return { ...opened, setAside: undefined, replaced }
  const name = moveAway(file, 'damaged', at)
  const again = tryOpen(file, schema)
  if ('db' in again) return { ...again, setAside: `${opened.fault}; it is now ${name}`, replaced }
  throw new Error(`a new database is damaged: ${again.fault}`)
}

/** Remembers that the database is damaged, so that the next start sets it aside. */
export function markDamaged(file: string): void {
  try {
    closeSync(openSync(markerOf(file), constants.O_WRONLY | constants.O_CREAT, 0o600))
  } catch {
    // On a full disk. The next start checks the file itself.
  }
}

/**
 * Merges the log into the file and keeps the file as it is from then on: further writes stay in the log. Or ends this.
 *
 * @returns the size of the file, in bytes
 * @throws Error when the log cannot be merged.
 */
export function freezeFile(db: DatabaseSync, { file, freeze }: { file: string; freeze: boolean }): number {
  if (freeze) {
    const merged = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    if (merged?.busy !== 0) throw new Error('the log cannot be merged')
  }
  db.exec(`PRAGMA wal_autocheckpoint = ${freeze ? 0 : checkpointPages}`)
  return sizeOf(file)
}

/** The name under which a restore places a database. The next start uses it. */
export const restoredOf = (file: string) => `${file}.restored`

/** Replaces the database by the restored one. Returns the new name of the old one. */
function takeRestored(file: string, at: number): string {
  const name = moveAway(file, 'replaced', at)
  renameSync(restoredOf(file), file)
  flushFolderOf(file)
  return name
}

const markerOf = (file: string) => `${file}.is-damaged`

type Tried = { db: DatabaseSync } | { fault: string }

function tryOpen(file: string, schema: readonly string[]): Tried {
  return withLocking((mode) => tryOpenIn(mode, file, schema))
}

function tryOpenIn(mode: LockingMode, file: string, schema: readonly string[]): Tried {
  const isAfterCrash = sizeOf(`${file}-wal`) > 0
  const db = connect(file)
  try {
    restrict(db, mode)
    // Nothing is changed before these checks: a damaged file, or that of a newer version, must stay as it is.
    refuseNewer(db, schema.length)
    const fault = faultOf(db, sizeOf(file) <= (isAfterCrash ? crashCheckBytes : fullCheckBytes))
    if (fault === undefined) {
      // Space that a large cut has freed can then be returned to the disk. Has an effect only before the first table.
      if (numberOf(db, 'page_count') === 0) db.exec('PRAGMA auto_vacuum = INCREMENTAL')
      makeDurable(db)
      migrate(db, schema)
      return { db }
    }
    db.close()
    return { fault }
  } catch (error) {
    db.close()
    if (isDamage(error)) return { fault: (error as Error).message }
    throw error
  }
}

/** @throws NewerSchema when a newer program has written the database. */
function refuseNewer(db: DatabaseSync, current: number): void {
  const version = numberOf(db, 'user_version')
  if (version > current) throw new NewerSchema(`schema ${version}`)
}

/** Returns why a database cannot be used. Undefined: it can be. */
function faultOf(db: DatabaseSync, isFull: boolean): string | undefined {
  const version = numberOf(db, 'user_version')
  const tables = db.prepare("SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'index')").all()
  if (version === 0) return tables.length === 0 ? undefined : 'it has tables, but no version'
  if (numberOf(db, 'application_id') !== applicationId) return 'another program has made it'
  // They would run with every write.
  const strange = db.prepare("SELECT name FROM sqlite_schema WHERE type IN ('trigger', 'view')").get()
  if (strange) return 'it has triggers or views'
  if (isFull) {
    const [found] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})
    return found === 'ok' ? undefined : String(found)
  }
  for (const { name } of tables.filter(({ type }) => type === 'table')) readEnds(db, String(name))
  return undefined
}

/** Reads the first and last entry of a table and of its indexes. @throws when their pages are damaged. */
function readEnds(db: DatabaseSync, table: string): void {
  const indexes = db.prepare(`SELECT name, origin FROM pragma_index_list(?) WHERE partial = 0`).all(table)
  const keys = indexes.map(({ name }) => {
    const columns = db.prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno').all(String(name))
    return columns.map((column) => `"${column.name}"`)
  })
  for (const columns of [['1'], ...keys]) {
    for (const direction of ['ASC', 'DESC']) {
      const order = columns.map((column) => `${column} ${direction}`).join(', ')
      db.prepare(`SELECT * FROM "${table}" ORDER BY ${order} LIMIT 1`).all()
    }
  }
}

function numberOf(db: DatabaseSync, pragma: string): number {
  const [value] = Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})
  return Number(value)
}

function migrate(db: DatabaseSync, schema: readonly string[]): void {
  const steps = schema.slice(numberOf(db, 'user_version'))
  if (steps.length === 0) return
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const step of steps) db.exec(step)
    db.exec(`PRAGMA application_id = ${applicationId}`)
    db.exec(`PRAGMA user_version = ${schema.length}`)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Renames a database and its log. Returns the new name, without the folder. */
function moveAway(file: string, why: 'damaged' | 'replaced', at: number): string {
  const time = new Date(at).toISOString().replaceAll(':', '-')
  const wanted = `${file}.${why}-${time}`
  let target = wanted
  for (let n = 2; existsSync(target); n++) target = `${wanted}-${n}`
  // The file itself is the last one, so that a crash between two calls leaves no log beside a new database.
  for (const suffix of ['-wal', '-shm', '']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix)
  }
  rmSync(markerOf(file), { force: true })
  flushFolderOf(file)
  return target.slice(dirname(file).length + 1)
}

function flushFolderOf(file: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(dirname(file), constants.O_RDONLY)
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
