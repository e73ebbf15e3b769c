import { unconditional } from '#src/core/problem.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { problemOfFault } from './database-problem.ts'
import { type Fault, isShared, primaryCode } from './file/fault.ts'
import type { Examination, Slice } from './scan-slice.ts'
import type { Row, SqlValue, Statement } from './serve-database.ts'
import type { ScanAnswer, ScanTask } from './serve-scans.ts'

/** Reads for scans of the history, on a connection and a thread of their own. Use them through `scans.ts`. */
export interface ScanConnection {
  /** Reads what was on the disk when it began. @throws like `Database.read`. */
  read<Result>(sql: string, values?: readonly SqlValue[]): Promise<Result[]>
  /**
   * Examines rows on the thread, until a slice is over.
   *
   * @param statement returns at most `sliceLimits.rows` rows
   * @throws like `Database.read`
   */
  slice<Result>(statement: Statement, examine: Examination): Promise<Slice<Result>>
}

type ReadRows = <Result>(sql: string, values?: readonly SqlValue[]) => Promise<Result[]>

/** Mebibytes of JavaScript objects of the thread: more than the rows of the largest read. */
const heapMb = 256

/**
 * Codes of SQLite when the file cannot have a second connection: BUSY, IOERR, CANTOPEN, PROTOCOL. The folder may be on a
 * disk without shared memory (`connection.ts`).
 */
const aloneCodes = new Set([5, 10, 14, 15])

/**
 * Opens the connection at the first read. Where a second connection is impossible, rows are read by `readOnce`, the
 * connection for writes, and writes wait for one slice at most.
 */
export function createScanConnection(
  file: string,
  readOnce: ReadRows,
): ScanConnection & {
  /** Calls `work` when no scan reads. Further reads wait until it has ended. */
  between<Result>(work: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
} {
  const pool = createWorkerPool<ScanTask, ScanAnswer>('history-scan', {
    threads: threads.historyScan,
    heapMb,
  })
  const running = new Set<Promise<unknown>>()
  let held: Promise<unknown> | undefined
  let isUsed = false

  /** Starts a task on the thread. */
  function start(task: ScanTask): Promise<ScanAnswer> {
    const answer = pool.run(task, { recheck: unconditional })
    const ended: Promise<unknown> = answer.catch(() => {}).then(() => running.delete(ended))
    running.add(ended)
    return answer
  }

  /** @throws DatabaseProblem; the error of the statement. */
  async function run(task: ScanTask): Promise<ScanAnswer | 'alone'> {
    while (held) await held
    isUsed = true
    const { fault, ...answer } = await start(task).catch(asFault)
    if (!fault) return answer
    if (aloneCodes.has(primaryCode(fault) ?? 0)) return 'alone'
    throw isShared(fault)
      ? problemOfFault(fault)
      : Object.assign(new Error(fault.message), { errcode: fault.errcode })
  }

  return {
    async read<Result>(sql: string, values: readonly SqlValue[] = []) {
      const answer = await run({ file, read: { sql, values } })
      return answer === 'alone' ? readOnce<Result>(sql, values) : ((answer.rows ?? []) as Result[])
    },

    async slice<Result>(statement: Statement, examine: Examination) {
      let answer = await run({ file, slice: statement, examine })
      if (answer === 'alone') {
        const rows = await readOnce<Row>(statement.sql, statement.values)
        answer = await run({ rows, examine })
      }
      if (answer === 'alone' || !answer.slice) throw new Error('the scan did not answer')
      return answer.slice as Slice<Result>
    },

    async between(work) {
      while (held) await held
      const result = Promise.all(running).then(work)
      held = result
        .catch(() => {})
        .then(() => {
          held = undefined
        })
      return result
    },

    /** Ends the thread. The connection for writes must be closed after it: it then merges the log into the file. */
    async close() {
      if (isUsed) await run({ close: true }).catch(() => {}) // it holds nothing that could be lost
      await pool.close()
    },
  }
}

/** The end of the thread is a fault like any other. */
function asFault(error: unknown): { fault: Fault } {
  return { fault: { message: (error as Error).message, errno: 'ENOMEM' } }
}
