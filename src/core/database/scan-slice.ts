/** A slice of a scan ends after this many rows, and after this time in milliseconds. */
export const sliceLimits = { rows: 2000, ms: 40 } as const

/** What to do with the rows of a slice, on the thread for scans. */
export interface Examination {
  /** The name of one of the functions of the thread (`workers/history-scan-worker.ts`). */
  by: string
  options: unknown
}

/** One slice of a scan. */
export interface Slice<Result = unknown> {
  /** What the function has returned. */
  result: Result
  /** Number of rows that were examined. */
  examined: number
  /** Whether no rows follow. */
  isLast: boolean
}
