import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { TaskResult } from '#src/core/threads/serve-tasks.ts'
import { reopenFile } from './file/connection.ts'
import { type Fault, faultOf, isDamage, isShared } from './file/fault.ts'
import { freezeFile, markDamaged, openFile } from './file/open-file.ts'

/** A value of a column. Integers outside of the safe range are refused when they are read. */
export type SqlValue = string | number | bigint | null | Uint8Array

/** One SQL statement and the values of its parameters. */
export interface Statement {
  sql: string
  values?: readonly SqlValue[]
}

export type Row = Record<string, SqlValue>

/** One call: a transaction, or a single statement that reads. */
export type Call = { write: readonly Statement[] } | { read: Statement }

/** A task of the thread. Each contains the file, because a thread that has died is replaced by a new one. */
export type DatabaseTask =
  | { open: string; at: number }
  | { file: string; calls: readonly Call[] }
  | { file: string; freeze: boolean }
  | { close: true }

/** The rows of each statement of a call, or why the call changed nothing. */
export type CallResult = { rows: Row[][] } | { fault: Fault }

export interface DatabaseAnswer {
  results?: CallResult[]
  setAside?: string | undefined
  /** The name of the file that a restored one has replaced. */
  replaced?: string | undefined
  /** Size of the frozen file, in bytes. */
  bytes?: number
  /** Why nothing was done, or nothing is on the disk. */
  fault?: Fault
}

/** A read with more rows is refused, because they would all be in memory. */
export const maxRows = 100_000

/** Statements that are prepared at the same time. Each needs some kilobytes. */
const maxPrepared = 64

/**
 * The thread of the database: opens one file, and runs the calls of a task in one transaction. A call that fails is
 * rolled back alone. A failure of the disk rolls back all calls of the task.
 *
 * @param schema the statements that lead from version n of the schema, at index n, to version n + 1
 */
export function createDatabaseServer(
  schema: readonly string[],
): (task: DatabaseTask) => TaskResult<DatabaseAnswer> {
  let db: DatabaseSync | undefined
  let prepared = new Map<string, StatementSync>()

  function close(): void {
    prepared = new Map()
    db?.close()
    db = undefined
  }

  function statementOf(connection: DatabaseSync, sql: string): StatementSync {
    const statement = prepared.get(sql) ?? connection.prepare(sql)
    prepared.delete(sql)
    prepared.set(sql, statement)
    const [oldest] = prepared.keys()
    if (prepared.size > maxPrepared && oldest !== undefined) prepared.delete(oldest)
    return statement
  }

  function answer(task: DatabaseTask): DatabaseAnswer {
    if ('close' in task) {
      close()
      return {}
    }
    if ('open' in task) {
      const { db: opened, ...rest } = openFile(task.open, { at: task.at, schema })
      db = opened
      return rest
    }
    db ??= reopenFile(task.file)
    const connection = db
    if ('freeze' in task) return { bytes: freezeFile(connection, task) }
    return { results: runAll(connection, task.calls, (sql) => statementOf(connection, sql)) }
  }

  return (task) => {
    try {
      return { result: answer(task) }
    } catch (error) {
      if (isDamage(error) && 'file' in task) markDamaged(task.file)
      return { result: { fault: faultOf(error) } }
    }
  }
}

type Prepare = (sql: string) => StatementSync

function runAll(db: DatabaseSync, calls: readonly Call[], prepare: Prepare): CallResult[] {
  const isWriting = calls.some((call) => 'write' in call)
  prepare(isWriting ? 'BEGIN IMMEDIATE' : 'BEGIN').run()
  try {
    const results = calls.map((call) => runCall(call, prepare))
    prepare('COMMIT').run()
    return results
  } catch (error) {
    // After some failures, SQLite has already rolled back.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function runCall(call: Call, prepare: Prepare): CallResult {
  if ('read' in call) {
    try {
      return { rows: [readRows(call.read, prepare)] }
    } catch (error) {
      return { fault: ownFault(error) }
    }
  }
  prepare('SAVEPOINT call').run()
  try {
    const rows = call.write.map(({ sql, values = [] }) => prepare(sql).all(...values) as Row[])
    prepare('RELEASE call').run()
    return { rows }
  } catch (error) {
    const fault = ownFault(error)
    prepare('ROLLBACK TO call').run()
    prepare('RELEASE call').run()
    return { fault }
  }
}

function readRows({ sql, values = [] }: Statement, prepare: Prepare): Row[] {
  const rows: Row[] = []
  for (const row of prepare(sql).iterate(...values)) {
    if (rows.length >= maxRows) throw new Error(`a read has more than ${maxRows} rows`)
    rows.push(row as Row)
  }
  return rows
}

/** Returns the fault of a single call. @throws `error` when it concerns the whole database. */
function ownFault(error: unknown): Fault {
  const fault = faultOf(error)
  if (isShared(fault)) throw error
  return fault
}
