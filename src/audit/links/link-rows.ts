import type { Database, Statement } from '#src/core/database/database.ts'

// All SQL for the table `audit_links`: what records of the audit log say about shares, so that it is found by the share.

/** The share through which something was done. */
export interface LinkPart {
  hash: string
  /** The owner of the share: the id, and the present name. */
  owner: { id: number; name: string }
  /** The path in the share; `/`: the share itself. */
  path: string
  /** The name that the visitor gave. Undefined: none. */
  sender?: string | undefined
}

/** The statement that adds what the last record says about a share. `bytes`: what was sent or received. */
export function linkStatement({ hash, owner, path, sender }: LinkPart, bytes: number): Statement {
  return {
    sql: `INSERT INTO audit_links (seq, link, owner, path, bytes, sender)
      SELECT max(seq), ?, CAST(? AS INTEGER), ?, CAST(? AS INTEGER), ? FROM audit`,
    values: [hash, owner.id, path.toWellFormed(), bytes, sender?.toWellFormed() ?? null],
  }
}

/** The statement that removes what the records from `from` to `to` say about shares. */
export function removeLinks(from: number, to: number): Statement {
  return { sql: 'DELETE FROM audit_links WHERE seq BETWEEN ? AND ?', values: [from, to] }
}

/** A record of a share. */
export interface LinkRow {
  seq: number
  time: number
  kind: string
  outcome: string
  address: string
  count: number
  path: string
  bytes: number
  sender: string | null
}

/** The records of a share, the newest first. `before`: only those before the record with this number. */
export function readLinkLog(
  { read }: Pick<Database, 'read'>,
  hash: string,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): Promise<LinkRow[]> {
  const sql = `
    SELECT audit.seq, time, kind, outcome, address, count, audit_links.path, audit_links.bytes, sender
    FROM audit_links JOIN audit ON audit.seq = audit_links.seq
    WHERE audit_links.link = ? AND audit_links.seq < ? ORDER BY audit_links.seq DESC LIMIT ?`
  return read(sql, [hash, before, limit])
}

/** The ids of the owners of the shares that these records are about, by the number of the record. */
export async function readOwners(
  { read }: Pick<Database, 'read'>,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (numbers.length === 0) return new Map()
  const sql = 'SELECT seq, owner FROM audit_links WHERE seq IN (SELECT value FROM json_each(?))'
  const rows = await read<{ seq: number; owner: number }>(sql, [JSON.stringify(numbers)])
  return new Map(rows.map(({ seq, owner }) => [seq, owner]))
}
