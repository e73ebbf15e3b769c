import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '#src/core/database/database.ts'
import { createLog } from '#src/core/log/log.ts'
import { type Coffer, executable, options, portOf, startCoffer } from './coffer.ts'
import { type Bench, exists, median, type ResultLine, start, stop } from './run.ts'

const mostRecords = 10_000_000
const madeAtOnce = 500_000
const writers = 8
const writingMs = 2000
const day = 24 * 60 * 60_000

/** The queries of the page *Audit log*: an index for each, two that contradict each other, and times. */
const queries = {
  'the first page': '',
  'a page in the middle': 'before={middle}',
  'a user': 'user=user7',
  'a user who has done nothing': 'user=nobody',
  'a kind': 'kind=delete',
  'a rare kind': 'kind=login',
  'an address': 'address=10.0.7.0',
  failures: 'outcome=failed',
  'a file': 'path=/users/user7/folder8/file-1607.txt',
  'a large folder': 'path=/users/user7',
  'a time': 'from={from}&to={to}',
  'a user and a kind that nobody has both': 'user=user7&kind=login',
  'a folder and a user who was never there': 'path=/users/user7&user=user8',
}

/** Measures the audit log with ten million records, or fewer with a small `--size`. */
export async function benchRecords(bench: Bench): Promise<ResultLine[]> {
  const records = Math.min(mostRecords, Math.round(bench.size / 100))
  const [full, empty] = [join(bench.folder, 'records'), join(bench.folder, 'no-records')]
  const program = (await exists(executable)) ? executable : undefined
  for (const root of [full, empty]) await stop((await startCoffer(root, program)).child)
  await makeRecords(`${full}.coffer.d`, records)
  const starts = { full: [] as number[], empty: [] as number[] }
  for (let run = 0; run < bench.runs; run++) {
    starts.empty.push(await startMs(empty, program))
    starts.full.push(await startMs(full, program))
  }
  const [ours, peer] = [median(starts.full), median(starts.empty)]
  return [
    {
      what: `start with ${records} records`,
      ours: `${ours.toFixed(0)} ms`,
      peer: `${peer.toFixed(0)} ms with few`,
      ratio: ours / peer,
      how: `until /health responds, median of ${bench.runs}, limit 20 ms more; ${program ? 'the executable' : 'the source code'}`,
    },
    await measurePages(await startCoffer(full, program), records, bench.runs),
    await measureWrites(bench.folder),
  ]
}

/** Fills the database of a stopped server. The hashes are random, because nothing here verifies them. */
async function makeRecords(stateFolder: string, records: number): Promise<void> {
  const db = new DatabaseSync(join(stateFolder, 'history.db'))
  db.exec('DELETE FROM audit; DELETE FROM audit_paths; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000')
  const firstMs = Date.now() - 300 * day
  const insert = db.prepare(`
    INSERT INTO audit WITH RECURSIVE numbers (n) AS (SELECT CAST(? AS INTEGER) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
    SELECT n, ${firstMs} + n, iif(n % 1000 = 0, 'login', iif(n % 2 = 0, 'delete', 'upload')),
      iif(n % 5000 = 0, 'failed', 'done'), 'user' || (n % 200), n % 200, 'session', '10.0.' || (n % 200) || '.' || (n % 7),
      'operation-' || n, '[{"path":"/users/user' || (n % 200) || '/folder' || (n / 200 % 1000) || '/file-' || n || '.txt"}]',
      1, '', hex(randomblob(32))
    FROM numbers`)
  for (let from = 1; from <= records; from += madeAtOnce)
    insert.run(from, Math.min(records, from + madeAtOnce - 1))
  // In the order of the index, which is much faster.
  db.exec(
    `INSERT INTO audit_paths SELECT json_extract(paths, '$[0].path') AS path, seq FROM audit ORDER BY path, seq`,
  )
  db.exec(`UPDATE audit_size SET records = ${records}, bytes = ${records}`)
  db.close()
}

async function startMs(root: string, program: string | undefined): Promise<number> {
  const [command, ...source] = program ? [program] : [process.execPath, join('src', 'cli', 'main.ts')]
  const began = performance.now()
  const child = start(command, [...source, ...options(root)], { stdout: 'pipe' })
  await fetch(`http://127.0.0.1:${await portOf(child)}/health`)
  const ms = performance.now() - began
  await stop(child)
  return ms
}

async function measurePages(
  { child, port, headers }: Coffer,
  records: number,
  runs: number,
): Promise<ResultLine> {
  const at = (share: number) => new Date(Date.now() - 300 * day + records * share).toISOString()
  const times: { name: string; ms: number }[] = []
  for (const [name, query] of Object.entries(queries)) {
    const filled = query
      .replace('{middle}', String(Math.round(records / 2)))
      .replace('{from}', at(0.5))
      .replace('{to}', at(0.501))
    const samples: number[] = []
    for (let run = 0; run < runs; run++) {
      const began = performance.now()
      const reply = await fetch(`http://127.0.0.1:${port}/api/audit?${filled}`, { headers })
      if (!reply.ok) throw new Error(await reply.text())
      await reply.arrayBuffer()
      samples.push(performance.now() - began)
    }
    times.push({ name, ms: median(samples) })
  }
  await stop(child)
  const [slowest = { name: '', ms: Number.NaN }] = times.toSorted((a, b) => b.ms - a.ms)
  return {
    what: `page of the audit log, ${records} records`,
    ours: `${slowest.ms.toFixed(1)} ms`,
    peer: 'limit 100 ms',
    ratio: slowest.ms / 100,
    how: `the slowest of ${times.length} filters (${slowest.name}), each the median of ${runs}: ${times
      .map(({ name, ms }) => `${name} ${ms.toFixed(1)}`)
      .join(', ')}`,
  }
}

/** Measures durable transactions, and how long the main thread is blocked meanwhile. */
async function measureWrites(folder: string): Promise<ResultLine> {
  await mkdir(join(folder, 'writes'))
  const log = createLog({ target: '', format: 'text' })
  const database = openDatabase(join(folder, 'writes', 'history.db'), { log })
  let [count, longest, last, isOver] = [0, 0, performance.now(), false]
  const watch = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(watch)
  }
  watch()
  const end = performance.now() + writingMs
  const sql = 'INSERT INTO steps (operation, n, step) VALUES (?, 1, ?)'
  const write = async () => {
    while (performance.now() < end) await database.write([{ sql, values: [`operation ${count++}`, '{}'] }])
  }
  await Promise.all(Array.from({ length: writers }, write))
  isOver = true
  await database.close()
  return {
    what: `durable transactions, ${writers} at the same time`,
    ours: `${Math.round((count / writingMs) * 1000)} per second`,
    peer: '',
    how: `each waits until it is on the disk; the main thread was blocked for at most ${longest.toFixed(1)} ms`,
  }
}
