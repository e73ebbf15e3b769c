import type { Database, SqlValue } from '#src/core/database/database.ts'
import type { AuditFilter } from './filter.ts'
import type { SeqRange } from './time-ranges.ts'

/** A part of an SQL statement, with its values. */
export interface Sql {
  sql: string
  values: readonly SqlValue[]
}

/** Where the candidates of a search come from: an index, or all records in their order. */
export interface Source {
  /** The table of the records, with the index to use. */
  table: string
  /** The condition for candidates in a range. */
  where(range: SeqRange): Sql
  /** A statement for the numbers of the candidates in a range, to which an order can be added. */
  candidates(range: SeqRange): Sql
  /** Conditions that each candidate must also fulfil. */
  others: readonly Sql[]
}

/** Entries of an index that are counted to choose the best one. */
const countedAtMost = 5000
/** A path with more records is not found through the index of paths, because their order must be sorted. */
const sortedAtMost = 10_000

/** A possible source, and the condition that it makes superfluous. */
interface Choice extends Omit<Source, 'others'> {
  condition: Sql
  /** Counts the candidates. Infinity: more than `countedAtMost`. Undefined: there are too many for this source. */
  count(database: Pick<Database, 'read'>): Promise<number | undefined>
}

/** Chooses the source with the fewest candidates. */
export async function chooseSource(database: Pick<Database, 'read'>, filter: AuditFilter): Promise<Source> {
  const choices = [...columnChoices(filter), ...pathChoices(filter.path)]
  const conditions = [...choices.map(({ condition }) => condition), ...otherConditions(filter)]
  const counted = await Promise.all(
    choices.map(async (choice) => ({ choice, count: await choice.count(database) })),
  )
  const possible = counted.filter(({ count }) => count !== undefined)
  const [best] = possible.sort((a, b) => Number(a.count) - Number(b.count))
  if (!best) return { ...everything, others: conditions }
  const { table, where, candidates, condition } = best.choice
  return { table, where, candidates, others: conditions.filter((one) => one !== condition) }
}

const inRange = ({ low, high }: SeqRange): Sql => ({ sql: 'seq BETWEEN ? AND ?', values: [low, high] })

/** All records in their order. */
const everything: Omit<Source, 'others'> = {
  table: 'audit NOT INDEXED',
  where: inRange,
  candidates: (range) => and('SELECT seq FROM audit NOT INDEXED WHERE', inRange(range)),
}

function and(begin: string, ...conditions: readonly Sql[]): Sql {
  return {
    sql: `${begin} ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    values: conditions.flatMap(({ values }) => values),
  }
}

/** The filters with an index of their own. */
function columnChoices({ user, kind, address, outcome }: AuditFilter): Choice[] {
  const filters = [
    { index: 'audit_by_user', sql: 'user_name = ?', value: user },
    { index: 'audit_by_kind', sql: 'kind = ?', value: kind },
    { index: 'audit_by_address', sql: 'address = ?', value: address },
    // The index has only the other outcomes, because nearly all records are done.
    {
      index: 'audit_by_outcome',
      sql: `outcome = ? AND outcome <> 'done'`,
      value: outcome === 'done' ? undefined : outcome,
    },
  ]
  return filters.flatMap(({ index, sql, value }) => {
    if (value === undefined) return []
    const table = `audit INDEXED BY ${index}`
    const condition = { sql, values: [value] }
    const choice: Choice = {
      table,
      condition,
      where: (range) => and('', condition, inRange(range)),
      candidates: (range) => and(`SELECT seq FROM ${table} WHERE`, condition, inRange(range)),
      async count(database) {
        const n = await countUpTo(database, and(`SELECT 1 FROM ${table} WHERE`, condition), countedAtMost)
        return n > countedAtMost ? Number.POSITIVE_INFINITY : n
      },
    }
    return [choice]
  })
}

/** The index of paths. Its candidates must be sorted, so that it fits only while they are few. */
function pathChoices(path: string | undefined): Choice[] {
  if (path === undefined) return []
  // Everything below a path is between `path/` and `path0`, because 0 follows the slash.
  const parts = [
    { sql: 'path = ?', values: [path] },
    { sql: 'path > ? AND path < ?', values: [`${path}/`, `${path}0`] },
  ]
  const candidates = (range: SeqRange): Sql => {
    const selects = parts.map((part) => and('SELECT seq FROM audit_paths WHERE', part, inRange(range)))
    return {
      sql: `SELECT seq FROM (${selects.map(({ sql }) => sql).join(' UNION ')})`,
      values: selects.flatMap(({ values }) => values),
    }
  }
  return [
    {
      table: 'audit NOT INDEXED',
      condition: pathCondition(path),
      where: (range) => {
        const { sql, values } = candidates(range)
        return { sql: `seq IN (${sql})`, values }
      },
      candidates,
      async count(database) {
        const counts = await Promise.all(
          parts.map((part) =>
            countUpTo(database, and('SELECT 1 FROM audit_paths WHERE', part), sortedAtMost),
          ),
        )
        const n = counts.reduce((sum, one) => sum + one)
        return n > sortedAtMost ? undefined : n
      },
    },
  ]
}

async function countUpTo(
  database: Pick<Database, 'read'>,
  { sql, values }: Sql,
  most: number,
): Promise<number> {
  const [row] = await database.read<{ n: number }>(`SELECT count(*) AS n FROM (${sql} LIMIT ?)`, [
    ...values,
    most + 1,
  ])
  return row?.n ?? 0
}

/** Tests the paths of one record. */
function pathCondition(path: string): Sql {
  const tests = ['path', 'to'].map((key) => {
    const text = `each.value ->> '${key}'`
    return `${text} = ? OR (${text} > ? AND ${text} < ?)`
  })
  const values = [path, `${path}/`, `${path}0`]
  return {
    sql: `EXISTS (SELECT 1 FROM json_each(paths) AS each WHERE ${tests.join(' OR ')})`,
    values: [...values, ...values],
  }
}

/** The filters without an index. */
function otherConditions({ outcome, kinds, from, to }: AuditFilter): Sql[] {
  return [
    ...(outcome === 'done' ? [{ sql: `outcome = 'done'`, values: [] }] : []),
    ...(kinds ? [{ sql: `kind IN (${kinds.map(() => '?').join(', ')})`, values: kinds }] : []),
    ...(from === undefined ? [] : [{ sql: 'time >= ?', values: [from] }]),
    ...(to === undefined ? [] : [{ sql: 'time < ?', values: [to] }]),
  ]
}
