import type { Database } from '#src/core/database/database.ts'

/** Numbers of records, both inclusive. */
export interface SeqRange {
  low: number
  high: number
}

/** Older times at which the clock was set back are not searched one by one. */
const maxSegments = 64

/**
 * Returns where records of a time are, the newest first. Between two times at which the clock was set back, times never
 * decrease, so that a binary search finds them without an index. A range may contain a few other records.
 *
 * @param within the records to search
 */
export async function timeRanges(
  database: Pick<Database, 'read'>,
  within: SeqRange,
  { from, to }: { from?: number | undefined; to?: number | undefined },
): Promise<SeqRange[]> {
  if (within.low > within.high) return []
  if (from === undefined && to === undefined) return [within]
  const jumps = await database.read<{ seq: number }>(
    'SELECT seq FROM audit_jumps WHERE seq > ? AND seq <= ? ORDER BY seq DESC LIMIT ?',
    [within.low, within.high, maxSegments],
  )
  const first = async (time: number | undefined, { low, high }: SeqRange) =>
    time === undefined
      ? undefined
      : ((await database.read<{ seq: number }>(searchSql, [low, high, time]))[0]?.seq ?? low)
  let high = within.high
  const segments: SeqRange[] = []
  for (const { seq } of jumps) {
    segments.push({ low: seq, high })
    high = seq - 1
  }
  const isSorted = jumps.length < maxSegments
  if (isSorted) segments.push({ low: within.low, high })
  const found = await Promise.all(
    segments.map(async (segment) => {
      const [begin, end] = await Promise.all([first(from, segment), first(to, segment)])
      return { low: begin ?? segment.low, high: end === undefined ? segment.high : end - 1 }
    }),
  )
  const rest = isSorted ? [] : [{ low: within.low, high }]
  return [...found, ...rest].filter(({ low, high }) => low <= high)
}

/** Whether the record in the middle is too early. */
const isBefore = `coalesce((SELECT audit.time FROM audit WHERE audit.seq >= (low + high) / 2 ORDER BY seq LIMIT 1) < wanted, 0)`

/** The first number between two whose record has at least this time; one more than the last if there is none. */
const searchSql = `
  WITH RECURSIVE search (low, high, wanted) AS (
    SELECT CAST(? AS INTEGER), CAST(? AS INTEGER) + 1, ?
    UNION ALL
    SELECT iif(${isBefore}, (low + high) / 2 + 1, low), iif(${isBefore}, high, (low + high) / 2), wanted
    FROM search WHERE low < high
  )
  SELECT low AS seq FROM search WHERE low >= high`
