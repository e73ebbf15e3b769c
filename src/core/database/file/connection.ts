import { hash } from 'node:crypto'
import { closeSync, constants, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isDamage, NewerSchema } from './fault.ts'

/** `NORMAL`: with shared memory, for several connections. `EXCLUSIVE`: for one. */
export type LockingMode = 'NORMAL' | 'EXCLUSIVE'

/** Another program, such as a tool of the operator, may have the file open. The next call waits this long for it. */
const busyMs = 2000

/** Pages of the log that are merged into the file together. */
export const checkpointPages = 512

/** Opens a database without checks, after the thread that had checked it has ended. */
export function reopenFile(file: string): DatabaseSync {
  return withLocking((mode) => {
    const db = connect(file)
    try {
      restrict(db, mode)
      makeDurable(db)
      return db
    } catch (error) {
      db.close() // it would keep the file locked
      throw error
    }
  })
}

/** Opens a second connection that only reads. @throws the error of SQLite where this is impossible. */
export function openForReading(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { enableDoubleQuotedStringLiterals: false, readOnly: true })
  try {
    restrict(db, 'NORMAL')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens the file with shared memory, so that scans can have a connection of their own. On a disk that has no shared
 * memory, such as some network file systems, opens it as the only connection.
 */
export function withLocking<T>(open: (mode: LockingMode) => T): T {
  try {
    return open('NORMAL')
  } catch (error) {
    if (isDamage(error) || error instanceof NewerSchema) throw error
    return open('EXCLUSIVE')
  }
}

/** Opens a connection that can write. Creates the file with mode 0600. @throws the error of the system. */
export function connect(file: string): DatabaseSync {
  const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants
  // Fails with the error of the system, which says more than that of SQLite. SQLite takes over the mode for its log.
  closeSync(openSync(file, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600))
  const db = new DatabaseSync(file, { enableDoubleQuotedStringLiterals: false, timeout: busyMs })
  db.function('sha256', { deterministic: true, directOnly: true }, (text) => hash('sha256', String(text)))
  return db
}

/** Limits what a connection may do, and its memory. */
export function restrict(db: DatabaseSync, mode: LockingMode): void {
  db.exec(`PRAGMA locking_mode = ${mode}`)
  db.exec('PRAGMA cache_size = -1024')
  db.exec('PRAGMA temp_store = MEMORY')
  db.exec('PRAGMA trusted_schema = OFF')
  db.exec('PRAGMA cell_size_check = ON')
}

/** Makes the transactions of a connection durable. @throws an error where this is impossible. */
export function makeDurable(db: DatabaseSync): void {
  if (db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode !== 'wal')
    throw new Error('the file has no log')
  db.exec('PRAGMA synchronous = FULL')
  // The log keeps its space between checkpoints, at most this much: a write on a full disk then often still succeeds.
  db.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
  db.exec('PRAGMA journal_size_limit = 8388608')
}
