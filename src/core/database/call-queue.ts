import { setImmediate as nextTurn } from 'node:timers/promises'
import { DatabaseProblem } from './database-problem.ts'
import type { Call, Row, SqlValue } from './serve-database.ts'

/** Bounds of the calls that wait, and of those that are committed together. */
const maxWaiting = { calls: 20_000, bytes: 64 * 1024 * 1024 }
const maxBatch = { calls: 500, bytes: 4 * 1024 * 1024 }

/** Milliseconds that a call which is not urgent waits for an urgent one. */
const laterMs = 20

/** A call, and where its result goes. */
export interface WaitingCall {
  call: Call
  /** Approximate size in memory. */
  bytes: number
  resolve(rows: Row[][]): void
  reject(error: unknown): void
}

/**
 * Collects calls into batches and runs one batch at a time, in the order of the calls. Begins with `start`.
 *
 * @param run runs a batch and settles its calls; never throws
 */
export function createCallQueue(run: (batch: readonly WaitingCall[]) => Promise<void>) {
  const queue: WaitingCall[] = []
  let bytes = 0
  let state: 'opening' | 'idle' | 'running' = 'opening'
  let isClosed = false
  /** Whether the queue has a call that must not wait longer. */
  let isDue = false
  let later: NodeJS.Timeout | undefined
  const idle: (() => void)[] = []

  function runNow(): void {
    clearTimeout(later)
    later = undefined
    isDue = true
    if (state === 'idle') void runAll()
  }

  async function runAll(): Promise<void> {
    state = 'running'
    isDue = true
    // Calls of the same turn of the event loop are committed together.
    await nextTurn()
    while (isDue && queue.length > 0) {
      const batch = queue.splice(0, batchLength(queue))
      for (const call of batch) bytes -= call.bytes
      isDue = queue.length > 0
      await run(batch)
    }
    becomeIdle()
  }

  function becomeIdle(): void {
    state = 'idle'
    for (const resolve of idle.splice(0)) resolve()
  }

  return {
    /**
     * Adds a call. One that is not urgent waits for the next urgent call, at most 20 ms.
     *
     * @throws DatabaseProblem `server.busy`, `server.stopping`.
     */
    async add(call: Call, { isUrgent = true } = {}): Promise<Row[][]> {
      const size = sizeOf(call)
      if (isClosed) throw new DatabaseProblem('server.stopping', 'the database is closed')
      if (queue.length >= maxWaiting.calls || bytes + size > maxWaiting.bytes)
        throw new DatabaseProblem('server.busy', 'too many calls wait')
      return new Promise((resolve, reject) => {
        queue.push({ call, bytes: size, resolve, reject })
        bytes += size
        if (isUrgent) runNow()
        else later ??= setTimeout(runNow, laterMs)
      })
    },
    /** Begins to run calls. */
    start: () => void runAll(),
    /** Rejects all calls, instead of `start`. */
    fail(error: unknown): void {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(error)
      becomeIdle()
    },
    /** Refuses further calls, and waits for the others. */
    async close(): Promise<void> {
      isClosed = true
      runNow()
      if (state !== 'idle') await new Promise<void>((resolve) => idle.push(resolve))
    },
  }
}

/** Number of calls at the beginning of the queue that are committed together. */
function batchLength(queue: readonly WaitingCall[]): number {
  let bytes = 0
  const end = queue.slice(0, maxBatch.calls).findIndex((one) => {
    bytes += one.bytes
    return bytes > maxBatch.bytes
  })
  return end < 0 ? Math.min(queue.length, maxBatch.calls) : Math.max(1, end)
}

/** Approximate bytes of memory of a call. */
function sizeOf(call: Call): number {
  let bytes = 64
  for (const { sql, values = [] } of 'write' in call ? call.write : [call.read]) {
    bytes += 2 * sql.length
    for (const value of values) bytes += bytesOf(value)
  }
  return bytes
}

function bytesOf(value: SqlValue): number {
  if (typeof value === 'string') return 2 * value.length
  return value instanceof Uint8Array ? value.byteLength : 8
}
