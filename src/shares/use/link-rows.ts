import type { Database, Statement } from '#src/core/database/database.ts'

// All SQL for the tables `link_use`, `link_days`, `link_visitors` and `link_files`: how shares were used.

/** How a share was used until now. Times are in milliseconds since 1970. */
export interface UseRow {
  downloads: number
  visitors: number
  visits: number
  files: number
  bytes: number
  /** 0: never. */
  last: number
}

/** What happened at once. */
export type Used = Pick<UseRow, 'downloads' | 'visitors' | 'visits' | 'files' | 'bytes'>

/** A received file. */
export interface FileRow {
  path: string
  size: number
  sha256: string
  time: number
}

const dayMs = 86_400_000
const perRead = 50_000

/** The statements that count what happened to a share. */
export function usedStatements(link: string, used: Used, time: number): Statement[] {
  const { downloads, visitors, visits, files, bytes } = used
  const counts = [downloads, visitors, visits, files, bytes]
  return [
    {
      sql: `INSERT INTO link_use (link, downloads, visitors, visits, files, bytes, last) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET downloads = downloads + excluded.downloads, visitors = visitors + excluded.visitors,
        visits = visits + excluded.visits, files = files + excluded.files, bytes = bytes + excluded.bytes,
        last = max(last, excluded.last)`,
      values: [link, ...counts, time],
    },
    {
      sql: `INSERT INTO link_days (link, day, downloads, visits, files, bytes) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET downloads = downloads + excluded.downloads, visits = visits + excluded.visits,
        files = files + excluded.files, bytes = bytes + excluded.bytes`,
      values: [link, Math.floor(time / dayMs), downloads, visits, files, bytes],
    },
  ]
}

/** The statement that notes a network from which a share was visited. */
export function visitorStatement(link: string, network: string): Statement {
  return { sql: 'INSERT OR IGNORE INTO link_visitors (link, network) VALUES (?, ?)', values: [link, network] }
}

/** The statement that notes a received file. */
export function fileStatement(link: string, visit: string, { path, size, sha256, time }: FileRow): Statement {
  const sql = 'INSERT INTO link_files (link, visit, path, size, sha256, time) VALUES (?, ?, ?, ?, ?, ?)'
  return { sql, values: [link, visit, path, size, sha256, time] }
}

/** The statements that forget shares that are gone. */
export function goneStatements(links: readonly string[]): Statement[] {
  return links.flatMap((link) => [
    { sql: 'DELETE FROM link_use WHERE link = ?', values: [link] },
    { sql: 'DELETE FROM link_days WHERE link = ?', values: [link] },
    { sql: 'DELETE FROM link_visitors WHERE link = ?', values: [link] },
    { sql: 'DELETE FROM link_files WHERE link = ?', values: [link] },
  ])
}

/** The use of every share, by its id. */
export async function readUses({ read }: Pick<Database, 'read'>): Promise<Map<string, UseRow>> {
  const uses = new Map<string, UseRow>()
  let after = ''
  for (;;) {
    const sql =
      'SELECT link, downloads, visitors, visits, files, bytes, last FROM link_use WHERE link > ? ORDER BY link LIMIT ?'
    const rows = await read<UseRow & { link: string }>(sql, [after, perRead])
    for (const { link, ...row } of rows) uses.set(link, row)
    const end = rows.at(-1)
    if (!end || rows.length < perRead) return uses
    after = end.link
  }
}

/** Days of a statistic. */
const shownDays = 90

/** How a share was used on a day. */
export interface DayRow extends Pick<UseRow, 'downloads' | 'visits' | 'files' | 'bytes'> {
  /** In UTC, such as `2026-01-31`. */
  day: string
}

/** How a share was used on each of the last 90 days until now, the oldest first. */
export async function readDays(
  { read }: Pick<Database, 'read'>,
  link: string,
  now: number,
): Promise<DayRow[]> {
  const first = Math.floor(now / dayMs) - shownDays + 1
  const sql = 'SELECT day, downloads, visits, files, bytes FROM link_days WHERE link = ? AND day >= ?'
  const rows = await read<Omit<DayRow, 'day'> & { day: number }>(sql, [link, first])
  const known = new Map(rows.map((row) => [row.day, row]))
  return Array.from({ length: shownDays }, (_, n) => {
    const { day: _day, ...counts } = known.get(first + n) ?? {
      day: 0,
      downloads: 0,
      visits: 0,
      files: 0,
      bytes: 0,
    }
    return { day: new Date((first + n) * dayMs).toISOString().slice(0, 10), ...counts }
  })
}

/** The networks from which a share was visited. */
export async function readVisitors({ read }: Pick<Database, 'read'>, link: string): Promise<string[]> {
  const rows = await read<{ network: string }>('SELECT network FROM link_visitors WHERE link = ?', [link])
  return rows.map(({ network }) => network)
}

/** The files that were received in one visit, in their order; at most the first 1,000. */
export function readFiles(
  { read }: Pick<Database, 'read'>,
  { link, visit }: { link: string; visit: string },
): Promise<FileRow[]> {
  const sql =
    'SELECT path, size, sha256, time FROM link_files WHERE link = ? AND visit = ? ORDER BY n LIMIT 1000'
  return read(sql, [link, visit])
}
