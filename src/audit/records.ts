import type { ChangedPath } from '#contract/history/operations.ts'
import type { SqlValue, Statement } from '#src/core/database/database.ts'
import type { AuditEntry } from './entry.ts'

/** Paths of a record, and characters of all their JSON, unless the first path is longer. */
const maxPaths = 20
const maxPathsLength = 32 * 1024
const maxDetailLength = 1000

/** The columns that the hash of a record covers, in their order. */
export const hashedColumns =
  'seq, time, kind, outcome, user_name, user, session, address, operation, paths, count, detail'

/** Approximate bytes of a record in the file, with its entries in the indexes. */
const sizeSql =
  '220 + 2 * (length(kind) + length(user_name) + length(address)) + 3 * length(paths) + length(detail) + 40'

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
  ]
}

function valuesOf(
  { kind, outcome, who, operation, paths = [], count = paths.length, detail = '' }: AuditEntry,
  stored: readonly ChangedPath[],
  time: number,
): SqlValue[] {
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
    { sql: 'DELETE FROM audit_jumps WHERE seq BETWEEN ? AND ?', values },
    { sql: 'DELETE FROM audit WHERE seq BETWEEN ? AND ?', values },
  ]
}
