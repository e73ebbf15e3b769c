import type { ChangedPath } from '#contract/history/operations.ts'
import type { Database, SqlValue, Statement } from '#src/core/database/database.ts'
import { type AuditEntry, detailOf } from './entry.ts'
import { linkStatement, removeLinks } from './links/link-rows.ts'

// All SQL for the tables of the audit log, except that of the search, which `search/source.ts` composes, and of
// `audit_links`.

/** Paths of a record, and characters of all their JSON, unless the first path is longer. */
const maxPaths = 20
const maxPathsLength = 32 * 1024
const maxDetailLength = 1000

/** The columns that the hash of a record covers, in their order. */
export const hashedColumns =
  'seq, time, kind, outcome, user_name, user, session, address, operation, paths, count, detail'

/** Approximate bytes of a record in the file, with its entries in the indexes. */
const sizeSql =
  '220 + 2 * (length(kind) + length(user_name) + length(address)) + 3 * length(paths) + length(detail) + 40 + ' +
  // The row in `audit_links`, with its index.
  `CASE WHEN kind IN ('open', 'download', 'receive') THEN 110 + length(paths) ELSE 0 END`

/**
 * The statements that append a record. They belong into one transaction, which may contain other statements too. The
 * hash covers the record and the hash of the record before it.
 *
 * @param time milliseconds since 1970
 */
export function appendStatements(entry: AuditEntry, time: number): Statement[] {
  const paths = storedPaths(entry.paths ?? [])
  const names = [...new Set(paths.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to])))]
  return [
    { sql: insertSql, values: valuesOf(entry, paths, time) },
    { sql: jumpSql },
    { sql: sizeUpdateSql },
    ...(names.length > 0 ? [{ sql: pathsSql, values: [JSON.stringify(names)] }] : []),
    ...(entry.link ? [linkStatement(entry.link, entry.bytes ?? 0)] : []),
  ]
}

function valuesOf(entry: AuditEntry, stored: readonly ChangedPath[], time: number): SqlValue[] {
  const { kind, outcome, who, operation, paths = [], count = paths.length } = entry
  const detail = detailOf(entry)
  const texts = [kind, outcome, who.userName.toWellFormed()]
  const short = detail.length > maxDetailLength ? `${detail.slice(0, maxDetailLength)}…` : detail
  return [
    Math.round(time),
    ...texts,
    who.userId,
    who.session,
    who.address,
    operation ?? null,
    JSON.stringify(stored),
    count,
    short.toWellFormed(),
  ]
}

/** The paths that a record keeps: those that fit, and at least one. */
function storedPaths(paths: readonly ChangedPath[]): ChangedPath[] {
  let length = 0
  const first = paths.slice(0, maxPaths).map(({ path, to }) => ({ path, ...(to !== undefined && { to }) }))
  return first.filter((one, at) => {
    length += JSON.stringify(one).length
    return at === 0 || length <= maxPathsLength
  })
}

// Numbers arrive as floating point. As integers, they have the same text in the hash now and when it is verified.
const insertSql = `
  INSERT INTO audit (${hashedColumns}, hash)
  SELECT ${hashedColumns}, sha256(before || json_array(${hashedColumns}))
  FROM (
    SELECT coalesce((SELECT max(seq) FROM audit), 0) + 1 AS seq, CAST(? AS INTEGER) AS time, ? AS kind, ? AS outcome,
      ? AS user_name, CAST(? AS INTEGER) AS user, ? AS session, ? AS address, ? AS operation, ? AS paths,
      CAST(? AS INTEGER) AS count, ? AS detail,
      coalesce((SELECT hash FROM audit ORDER BY seq DESC LIMIT 1), '') AS before
  )`

const jumpSql = `
  INSERT INTO audit_jumps (seq)
  SELECT now.seq FROM audit AS now JOIN audit AS previous ON previous.seq = now.seq - 1
  WHERE now.seq = (SELECT max(seq) FROM audit) AND now.time < previous.time`

const sizeUpdateSql = `
  UPDATE audit_size SET records = records + 1,
    bytes = bytes + (SELECT ${sizeSql} FROM audit ORDER BY seq DESC LIMIT 1)`

const pathsSql = `
  INSERT OR IGNORE INTO audit_paths (path, seq) SELECT value, (SELECT max(seq) FROM audit) FROM json_each(?)`

/**
 * The statements that remove the records from `from` to `to`, which are numbers. A record of the cut must exist already.
 */
export function removeStatements(from: number, to: number): Statement[] {
  const values = [from, to]
  const range = 'FROM audit WHERE seq BETWEEN ? AND ?'
  return [
    {
      sql: `UPDATE audit_size SET records = records - (SELECT count(*) ${range}),
        bytes = max(0, bytes - (SELECT coalesce(sum(${sizeSql}), 0) ${range}))`,
      values: [...values, ...values],
    },
    ...['path', 'to'].map((key) => ({
      sql: `DELETE FROM audit_paths WHERE (path, seq) IN (
        SELECT each.value ->> '${key}', audit.seq FROM audit, json_each(audit.paths) AS each WHERE audit.seq BETWEEN ? AND ?)`,
      values,
    })),
    removeLinks(from, to),
    { sql: 'DELETE FROM audit_jumps WHERE seq BETWEEN ? AND ?', values },
    { sql: 'DELETE FROM audit WHERE seq BETWEEN ? AND ?', values },
  ]
}

/** The last record: it stands for all records before it. */
export interface Head {
  seq: number
  hash: string
}

/** The condition of the chain for the records of a range. Times in milliseconds since 1970. */
interface RangeCheck {
  records: number
  /** The first record whose hash is wrong or that does not follow the one before. */
  wrong: number | null
  /** Whether a record has the wanted hash. */
  isHead: 0 | 1 | null
}

const qualified = hashedColumns
  .split(', ')
  .map((name) => `now.${name}`)
  .join(', ')

const verifySql = `
  SELECT count(*) AS records, min(CASE WHEN isWrong THEN seq END) AS wrong, max(isHead) AS isHead
  FROM (
    SELECT now.seq AS seq, now.hash = ? AS isHead,
      now.hash <> sha256(iif(now.seq = ?, ?, coalesce(previous.hash, '')) || json_array(${qualified})) AS isWrong
    FROM audit AS now LEFT JOIN audit AS previous ON previous.seq = now.seq - 1
    WHERE now.seq BETWEEN ? AND ?
  )`

const lastRunSql = `
  SELECT kind FROM (
    SELECT * FROM (SELECT seq, kind FROM audit INDEXED BY audit_by_kind WHERE kind = 'start' ORDER BY seq DESC LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT seq, kind FROM audit INDEXED BY audit_by_kind WHERE kind = 'stop' ORDER BY seq DESC LIMIT 1)
  ) ORDER BY seq DESC LIMIT 1`

/** Reads the tables. */
export function createAuditReader({ read }: Pick<Database, 'read'>) {
  const first = async <Row>(sql: string, values: readonly SqlValue[] = []): Promise<Row | undefined> =>
    (await read<Row>(sql, values))[0]
  const lastOf = (kind: 'cut' | 'verify') =>
    first<{ seq: number; time: number; outcome: string; detail: string }>(
      `SELECT seq, time, outcome, detail FROM audit INDEXED BY audit_by_kind WHERE kind = ? ORDER BY seq DESC LIMIT 1`,
      [kind],
    )

  return {
    lastOf,

    /** The last record. Undefined: there is none. */
    head: () => first<Head>('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1'),

    /** Whether there is this record. */
    has: async ({ seq, hash }: Head): Promise<boolean> =>
      (await read('SELECT 1 FROM audit WHERE seq = ? AND hash = ?', [seq, hash])).length > 0,

    /** Whether the server was started or stopped last. Undefined: neither is recorded. */
    lastRun: async () => (await first<{ kind: 'start' | 'stop' }>(lastRunSql))?.kind,

    /** The hash of a record. Undefined: there is no such record. */
    hashOf: async (seq: number) =>
      (await first<{ hash: string }>('SELECT hash FROM audit WHERE seq = ?', [seq]))?.hash,

    /** The number of the first record; null: there is none. */
    firstNumber: async () =>
      (await first<{ seq: number | null }>('SELECT min(seq) AS seq FROM audit'))?.seq ?? null,

    /** Of the first records after one, the last that is older than a time, and the first that is not. */
    agesAfter: (last: number, { time, limit }: { time: number; limit: number }) =>
      first<{ old: number | null; young: number | null }>(
        `SELECT max(CASE WHEN time < ? THEN seq END) AS old, min(CASE WHEN time >= ? THEN seq END) AS young
        FROM (SELECT seq, time FROM audit WHERE seq > ? ORDER BY seq LIMIT ?)`,
        [time, time, last, limit],
      ),

    /** Number and approximate bytes of all records, and the number of the first one. */
    size: () =>
      first<{ records: number; bytes: number; first: number | null }>(
        'SELECT records, bytes, (SELECT min(seq) FROM audit) AS first FROM audit_size',
      ),

    /**
     * Checks the records from `low` to `high`.
     *
     * @param begin the first record of the chain, with the hash before it
     * @param wanted the hash of a head that is searched
     */
    check: (range: { low: number; high: number }, begin: Head, wanted: string) =>
      first<RangeCheck>(verifySql, [wanted, begin.seq, begin.hash, range.low, range.high]),

    /** The numbers of the records of a range. */
    numbers: async ({ low, high }: { low: number; high: number }): Promise<number[]> => {
      const sql = 'SELECT seq FROM audit WHERE seq BETWEEN ? AND ? ORDER BY seq'
      return (await read<{ seq: number }>(sql, [low, high])).map(({ seq }) => seq)
    },
  }
}
