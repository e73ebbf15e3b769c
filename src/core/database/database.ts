import { systemClocks } from '#src/core/clock.ts'
import type { Logger } from '#src/core/log/log.ts'
import { StartupProblem, unconditional } from '#src/core/problem.ts'
import { createSpareFile } from '#src/core/storage/spare-file.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { createCallQueue, type WaitingCall } from './call-queue.ts'
import { problemOfFault } from './database-problem.ts'
import { type Fault, isShared, mayBeFull } from './file/fault.ts'
import { createFreezer, type FrozenFile } from './freezer.ts'
import { createScanConnection, type ScanConnection } from './scan-connection.ts'
import type { DatabaseAnswer, DatabaseTask, Row, SqlValue, Statement } from './serve-database.ts'

export type { SqlValue, Statement }

/** A SQLite database on its own thread. */
export interface Database {
  /**
   * Runs the statements in one transaction. Transactions that wait are committed together. Resolves with the rows of
   * each statement when they are on the disk.
   *
   * @throws DatabaseProblem when the queue is full or the disk fails; the error of SQLite for a statement, such as a
   *   violated constraint. The transaction has changed nothing then, except when the process or its thread ends.
   */
  write(statements: readonly Statement[]): Promise<readonly Row[][]>
  /**
   * Like `write`, for transactions that are not urgent. They are committed with the next call, at the latest after 20 ms.
   * Later reads see them.
   */
  writeLater(statements: readonly Statement[]): Promise<readonly Row[][]>
  /** Reads after all earlier writes. @throws like `write`; an error when there are more than 100,000 rows. */
  read<Result>(sql: string, values?: readonly SqlValue[]): Promise<Result[]>
  /** A second connection, for `createScans`. */
  readonly scan: ScanConnection
  /** Keeps the file as it is, so that it can be copied. @throws DatabaseProblem. */
  freeze(): Promise<FrozenFile>
  /**
   * Resolves when the file is open. Calls may be made before, and wait for it.
   *
   * @throws StartupProblem when a newer version has written the file, or it cannot be opened.
   */
  readonly opened: Promise<void>
  /** Why the database was replaced at start. Undefined: it was not, or `opened` is not resolved. */
  readonly setAside: string | undefined
  /** Finishes what waits, and closes the file. */
  close(): Promise<void>
}

/** On a full disk, every request would fail and be logged. */
const logEveryMs = 10_000

/** Mebibytes of JavaScript objects of the thread: more than the largest transaction. */
const heapMb = 512

/**
 * Opens the database in `file`, or creates it. A damaged file is set aside, which is logged, and a new one begins. Only
 * one process may use the file: the caller holds the lock of the state.
 */
export function openDatabase(file: string, { log }: { log: Logger }): Database {
  const pool = createWorkerPool<DatabaseTask, DatabaseAnswer>('database', {
    threads: threads.database,
    spare: 1,
    heapMb,
  })
  const run = (task: DatabaseTask) => runOn(pool, task)
  const reserve = createReserve(file)
  const logFault = createFaultLog(log)
  const queue = createCallQueue(runBatch)
  let setAside: string | undefined
  const opened = openWith(run, file, { reserve, log }).then((answer) => {
    setAside = answer.setAside
  })
  opened.then(queue.start, async (error: unknown) => {
    queue.fail(error)
    await pool.close()
  })

  async function runBatch(batch: readonly WaitingCall[]): Promise<void> {
    const task = { file, calls: batch.map(({ call }) => call) }
    let answer = await run(task)
    if (answer.fault && (await reserve.removeIfFull(answer.fault, log))) answer = await run(task)
    if (answer.fault) logFault(answer.fault)
    else reserve.keepSoon()
    for (const [at, waiting] of batch.entries()) settle(waiting, answer, at)
  }

  async function read<Result>(sql: string, values: readonly SqlValue[] = []): Promise<Result[]> {
    const [rows = []] = await queue.add({ read: { sql, values } })
    return rows as Result[]
  }

  const scan = createScanConnection(file, read)
  return {
    opened,
    get setAside() {
      return setAside
    },
    scan,
    freeze: createFreezer(file, (task) => scan.between(() => run(task))),
    write: (statements) => queue.add({ write: statements }),
    writeLater: (statements) => queue.add({ write: statements }, { isUrgent: false }),
    read,
    async close() {
      await queue.close()
      await scan.close()
      await run({ close: true })
      await Promise.all([pool.close(), reserve.close()])
    },
  }
}

/** Logs failures of the database, but not each of many. */
function createFaultLog(log: Logger): (fault: Fault) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  return ({ message }) => {
    if (performance.now() < loggedAt + logEveryMs) return
    loggedAt = performance.now()
    log.error({ fault: message }, 'the history of changes cannot be written')
  }
}

type Run = (task: DatabaseTask) => Promise<DatabaseAnswer>

/** Runs a task. The end of the thread is a fault like any other. */
async function runOn(
  pool: ReturnType<typeof createWorkerPool<DatabaseTask, DatabaseAnswer>>,
  task: DatabaseTask,
): Promise<DatabaseAnswer> {
  try {
    return await pool.run(task, { recheck: unconditional })
  } catch (error) {
    return { fault: { message: (error as Error).message, errno: 'ENOMEM' } }
  }
}

async function openWith(
  run: Run,
  file: string,
  { reserve, log }: { reserve: Reserve; log: Logger },
): Promise<DatabaseAnswer> {
  const open = () => run({ open: file, at: systemClocks.wall() })
  let opened = await open()
  if (opened.fault && (await reserve.removeIfFull(opened.fault, log))) opened = await open()
  const { fault, setAside, replaced } = opened
  if (fault) throw new StartupProblem(startSentence(file, fault))
  if (setAside) log.error({ file, fault: setAside }, 'the history of changes was damaged; a new one begins')
  if (replaced) log.warn({ file, old: replaced }, 'the history of changes is now that of a restored backup')
  reserve.keepSoon()
  return opened
}

function startSentence(file: string, fault: Fault): string {
  if (fault.isNewer)
    return `The history ${file} was written by a newer version of Coffer: use that version, or move the file away to start with a new history.`
  const reason = fault.errno ?? fault.message
  return `The history ${file} cannot be opened (${reason}): check its owner and permissions, and the free space of its disk.`
}

/** Answers a call. */
function settle({ resolve, reject }: WaitingCall, { results, fault }: DatabaseAnswer, at: number): void {
  const shared = fault && (isShared(fault) ? problemOfFault(fault) : errorOf(fault))
  const result = results?.[at] ?? { fault: { message: 'the database did not answer' } }
  if (shared) reject(shared)
  else if ('rows' in result) resolve(result.rows)
  else reject(errorOf(result.fault))
}

/** Returns the error of one statement, with the number of SQLite, such as 1555 for a violated primary key. */
function errorOf({ message, errcode }: Fault): Error {
  return Object.assign(new Error(message), { errcode })
}

/** Size of the file that is removed when the disk is full, half of it at least: the rest allows further writes. */
const reserveBytes = 512 * 1024
/** Milliseconds between two attempts to create that file again. */
const reserveEveryMs = 30_000

type Reserve = ReturnType<typeof createReserve>

/** A spare file beside the database. Removing it gives a full disk room for some more writes. */
function createReserve(file: string) {
  const spare = createSpareFile(`${file}.spare`)
  let triedAt = Number.NEGATIVE_INFINITY
  let keeping = Promise.resolve()
  return {
    /** Removes the spare file when the disk may be full. Returns whether another attempt can succeed. */
    async removeIfFull(fault: Fault, log: Logger): Promise<boolean> {
      if (!mayBeFull(fault)) return false
      await keeping
      triedAt = performance.now()
      const isRemoved = await spare.remove()
      if (isRemoved)
        log.warn({ fault: fault.message }, 'the disk of the history is full; its reserve was used')
      return isRemoved
    },
    /** Creates the spare file if it is missing, in the background and not too often. */
    keepSoon(): void {
      if (performance.now() < triedAt + reserveEveryMs) return
      triedAt = performance.now()
      keeping = spare.keep(reserveBytes).catch(() => {})
    },
    close: () => keeping,
  }
}

/** A condition of a statement in SQL, and the values of its parameters. */
interface Condition {
  sql: string
  values: string[]
}

/** The condition that `column` is `path` or a path below it. Not for the served folder itself. */
export function atOrBelow(column: 'path' | 'place', path: string): Condition {
  // `0` is the character after `/`.
  return {
    sql: `(${column} = ? OR (${column} >= ? AND ${column} < ?))`,
    values: [path, `${path}/`, `${path}0`],
  }
}
