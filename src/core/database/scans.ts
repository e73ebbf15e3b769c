import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Semaphore } from '#src/core/concurrency/semaphore.ts'
import type { Recheck } from '#src/core/problem.ts'
import type { Database } from './database.ts'
import type { ScanConnection } from './scan-connection.ts'
import { type Examination, sliceLimits } from './scan-slice.ts'
import type { SqlValue, Statement } from './serve-database.ts'

/** For whom a scan is, and when it stops. */
export interface ScanOwner {
  /** The key of the quota: a user. */
  owner: string
  recheck: Recheck
  /** Aborts when the client disconnects, or when the user loses the access. */
  signal: AbortSignal
}

/** One scan. Every call throws the reason of the signal once it has aborted. */
export interface Scan extends ScanConnection {
  /** Call it between steps on the main thread: lets other work run when these have taken a slice of time. */
  pause(): Promise<void>
}

/**
 * The only way to the lists of the history whose work grows with their length: the trash, versions, operations, the audit
 * log, activity, and starred and recent files. One scan of each user runs at a time; further ones wait. A scan stops
 * with its request, works in slices, and never delays a write.
 */
export function createScans(database: Pick<Database, 'read' | 'scan'>, turns: Semaphore) {
  return {
    /**
     * Runs a scan in the turn of its owner. It sees all writes that were made before.
     *
     * @throws Problem `user.busy`, `server.busy`; the reason of the signal; what `recheck` and `work` throw.
     */
    async run<T>({ owner, recheck, signal }: ScanOwner, work: (scan: Scan) => Promise<T>): Promise<T> {
      using _turn = await turns.acquire(owner, { recheck, signal })
      signal.throwIfAborted()
      // Writes that are not urgent may still wait. A read comes after them.
      await database.read('SELECT 1')
      return await work(createScan(database.scan, signal))
    },
  }
}

export type Scans = ReturnType<typeof createScans>

function createScan({ read, slice }: ScanConnection, signal: AbortSignal): Scan {
  let until = performance.now() + sliceLimits.ms
  return {
    async read<Result>(sql: string, values?: readonly SqlValue[]) {
      signal.throwIfAborted()
      return read<Result>(sql, values)
    },
    async slice<Result>(statement: Statement, examine: Examination) {
      signal.throwIfAborted()
      return slice<Result>(statement, examine)
    },
    async pause() {
      signal.throwIfAborted()
      if (performance.now() < until) return
      await nextTurn()
      signal.throwIfAborted()
      until = performance.now() + sliceLimits.ms
    },
  }
}
