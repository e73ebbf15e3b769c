import type { Database } from '#src/core/database/database.ts'
import type { AuditFilter } from './filter.ts'
import { chooseSource } from './source.ts'
import { type SeqRange, timeRanges } from './time-ranges.ts'

/** A record as it is stored. */
export interface StoredRecord {
  seq: number
  /** Milliseconds since 1970. */
  time: number
  kind: string
  outcome: string
  user_name: string
  user: number | null
  address: string
  operation: string | null
  /** JSON of `ChangedPath[]`. */
  paths: string
  count: number
  detail: string
  hash: string
}

export type Order = 'newest' | 'oldest'

const columns = 'seq, time, kind, outcome, user_name, user, address, operation, paths, count, detail, hash'

/** Records that are read at once: at most 3 MB, because of the limits of a record. */
const maxRead = 100
/** Records that are examined at once when a filter has no index. Takes about 10 ms. */
const examinedAtOnce = 2000

/** The next records, and whether there may be more. */
export interface Found {
  records: StoredRecord[]
  /** Continue beyond the record with this number; undefined: there are no more. */
  next: number | undefined
}

/**
 * Searches records in the order of their numbers. Every read is short, so that writes continue in between.
 *
 * @param beyond the search begins after this number in its order; undefined: at its first record
 */
export async function openScan(
  database: Pick<Database, 'read'>,
  filter: AuditFilter,
  { order, beyond }: { order: Order; beyond?: number | undefined },
) {
  const isNewest = order === 'newest'
  const [ends] = await database.read<{ low: number | null; high: number | null }>(
    'SELECT (SELECT min(seq) FROM audit) AS low, (SELECT max(seq) FROM audit) AS high',
  )
  const within = {
    low: Math.max(ends?.low ?? 1, isNewest ? 0 : (beyond ?? 0) + 1),
    high: Math.min(
      ends?.high ?? 0,
      isNewest ? (beyond ?? Number.MAX_SAFE_INTEGER) - 1 : Number.MAX_SAFE_INTEGER,
    ),
  }
  const newestFirst = await timeRanges(database, within, filter)
  const ranges = isNewest ? newestFirst : newestFirst.reverse()
  const source = await chooseSource(database, filter)
  const direction = isNewest ? 'DESC' : 'ASC'

  /** Returns the first records of a range, and what remains of it. */
  async function step(range: SeqRange, limit: number): Promise<{ records: StoredRecord[]; rest: SeqRange }> {
    const edge = source.others.length === 0 ? undefined : await edgeOf(range)
    const all = [source.where(edge === undefined ? range : beforeEdge(range, edge)), ...source.others]
    const records = await database.read<StoredRecord>(
      `SELECT ${columns} FROM ${source.table} WHERE ${all.map(({ sql }) => sql).join(' AND ')}
        ORDER BY seq ${direction} LIMIT ?`,
      [...all.flatMap(({ values }) => values), limit],
    )
    const last = records.length === limit ? records.at(-1)?.seq : edge
    return { records, rest: last === undefined ? nothing : afterEdge(range, last) }
  }

  /** The number of the last candidate to examine now; undefined: all of the range. */
  async function edgeOf(range: SeqRange): Promise<number | undefined> {
    const { sql, values } = source.candidates(range)
    const [found] = await database.read<{ seq: number }>(
      `${sql} ORDER BY seq ${direction} LIMIT 1 OFFSET ?`,
      [...values, examinedAtOnce - 1],
    )
    return found?.seq
  }

  const beforeEdge = ({ low, high }: SeqRange, edge: number): SeqRange =>
    isNewest ? { low: edge, high } : { low, high: edge }
  const afterEdge = ({ low, high }: SeqRange, edge: number): SeqRange =>
    isNewest ? { low, high: edge - 1 } : { low: edge + 1, high }

  /** Returns records of the first range, and shortens it. */
  async function advance(limit: number): Promise<StoredRecord[]> {
    const [range = nothing] = ranges
    const { records, rest } = await step(range, limit)
    if (rest.low > rest.high) ranges.shift()
    else ranges[0] = rest
    return records
  }

  return {
    /**
     * Returns the next records, at most `limit`. When `budgetMs` is over, it returns what it has found, even if this is
     * nothing.
     */
    async next(limit: number, budgetMs: number): Promise<Found> {
      const deadline = performance.now() + budgetMs
      const records: StoredRecord[] = []
      while (ranges.length > 0) {
        records.push(...(await advance(Math.min(maxRead, limit - records.length))))
        if (records.length >= limit || performance.now() > deadline) break
      }
      const [range] = ranges
      return { records, next: range && (isNewest ? range.high + 1 : range.low - 1) }
    },
  }
}

const nothing: SeqRange = { low: 1, high: 0 }
