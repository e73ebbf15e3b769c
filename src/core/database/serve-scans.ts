import { entryOf } from '#src/core/lookup.ts'
import type { TaskResult } from '#src/core/threads/serve-tasks.ts'
import { openForReading } from './file/connection.ts'
import { type Fault, faultOf, isDamage } from './file/fault.ts'
import { markDamaged } from './file/open-file.ts'
import { type Examination, type Slice, sliceLimits } from './scan-slice.ts'
import { maxRows, type Row, type Statement } from './serve-database.ts'

/** Examines the rows of a slice. The result must be cloneable. */
export type SliceFunctions = Readonly<Record<string, (rows: Iterable<Row>, options: never) => unknown>>

/** A task of the thread. */
export type ScanTask =
  | { file: string; read: Statement }
  | { file: string; slice: Statement; examine: Examination }
  | { rows: readonly Row[]; examine: Examination }
  | { close: true }

export interface ScanAnswer {
  rows?: Row[]
  slice?: Slice
  fault?: Fault
}

/**
 * The thread for scans of the history: reads one file on a connection of its own, so that writes never wait for a scan.
 */
export function createScanServer(functions: SliceFunctions): (task: ScanTask) => TaskResult<ScanAnswer> {
  let db: ReturnType<typeof openForReading> | undefined

  function close(): void {
    db?.close()
    db = undefined
  }

  const examine = (rows: Iterable<Row>, { by, options }: Examination): Slice => {
    const work = entryOf(functions, by)
    if (!work) throw new Error(`no function examines ${by}`)
    const seen = { examined: 0, isLast: false }
    const result = work(limited(rows, seen), options as never)
    return { result, ...seen }
  }

  function answer(task: ScanTask): ScanAnswer {
    if ('close' in task) {
      close()
      return {}
    }
    if ('rows' in task) return { slice: examine(task.rows, task.examine) }
    db ??= openForReading(task.file)
    const { sql, values = [] } = 'read' in task ? task.read : task.slice
    const rows = db.prepare(sql).iterate(...values) as Iterable<Row>
    return 'read' in task ? { rows: collect(rows) } : { slice: examine(rows, task.examine) }
  }

  return (task) => {
    try {
      return { result: answer(task) }
    } catch (error) {
      if (isDamage(error) && 'file' in task) markDamaged(task.file)
      // The next task opens the file again.
      close()
      return { result: { fault: faultOf(error) } }
    }
  }
}

/** The rows, until the time of a slice is over. Notes what was examined. */
function* limited(rows: Iterable<Row>, seen: Omit<Slice, 'result'>): Generator<Row> {
  const until = performance.now() + sliceLimits.ms
  for (const row of rows) {
    seen.examined++
    yield row
    if (performance.now() > until) return
  }
  // The statement returns at most the rows of a slice.
  seen.isLast = seen.examined < sliceLimits.rows
}

function collect(rows: Iterable<Row>): Row[] {
  const found: Row[] = []
  for (const row of rows)
    if (found.push(row) > maxRows) throw new Error(`a read has more than ${maxRows} rows`)
  return found
}
