import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { createLog } from '#src/core/log/log.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { historySchema } from '#src/state/history-schema.ts'
import { killAfter } from '#src/testing/kill-after.ts'
import { fillUp, mountSmall } from '#src/testing/small-disk.ts'
import { openDatabase, type Statement } from './database.ts'
import { DatabaseProblem } from './database-problem.ts'

/** Opens the database of a folder until the test ends. Its log is the array `lines`. */
async function open(t: Test, folder: string) {
  const lines: string[] = []
  const log = createLog({ target: '', format: 'text' })
  Object.assign(log, {
    error: (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`),
    warn: (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`),
  })
  const file = join(folder, 'history.db')
  const database = openDatabase(file, { log })
  await database.opened
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= database.close()
    return closing
  }
  t.teardown(close)
  return { database, file, lines, close }
}

const insert = (id: string, text = ''): Statement => ({
  sql: 'INSERT INTO steps (operation, n, step) VALUES (?, 1, ?) RETURNING operation AS id',
  values: [id, text],
})

const ids = 'SELECT operation AS id FROM steps ORDER BY id'

t.test('the history is a private file, and keeps what was written', async (t) => {
  const folder = t.testdir()
  const first = await open(t, folder)
  t.strictSame(await first.database.write([insert('a'), insert('b')]), [[{ id: 'a' }], [{ id: 'b' }]])
  t.equal(statSync(first.file).mode & 0o777, 0o600)
  t.equal(statSync(`${first.file}-wal`).mode & 0o777, 0o600)
  await first.close()
  const second = await open(t, folder)
  t.strictSame(await second.database.read(ids), [{ id: 'a' }, { id: 'b' }])
  t.equal(second.database.setAside, undefined)
  t.strictSame(second.lines, [])
  const [size] = await second.database.read("SELECT sha256('abc') AS hash")
  t.match(size, { hash: /^ba7816bf8f01cfea414140de5dae2223/ })
})

t.test('a transaction that fails changes nothing, and others of the same commit stay', async (t) => {
  const { database } = await open(t, t.testdir())
  const all = await Promise.allSettled([
    database.write([insert('a')]),
    database.write([insert('b'), insert('a')]),
    database.write([insert('c')]),
    database.read(ids),
    database.read('SELECT nothing FROM steps'),
    database.write([insert('d')]),
  ])
  t.strictSame(
    all.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  t.match(all[1], { reason: { errcode: 1555 } })
  t.match(all[3], { value: [{ id: 'a' }, { id: 'c' }] }, 'a read sees earlier writes')
  t.strictSame(await database.read(ids), [{ id: 'a' }, { id: 'c' }, { id: 'd' }])
})

t.test('a read with too many rows is refused', async (t) => {
  const { database } = await open(t, t.testdir())
  const numbers = (most: number) =>
    database.read(
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${most}) SELECT n FROM n`,
    )
  await t.rejects(numbers(100_001), /more than 100000 rows/)
  t.equal((await numbers(10)).length, 10)
})

t.test('when too many writes wait, further ones are refused and the others succeed', async (t) => {
  const { database } = await open(t, t.testdir())
  const large = 'x'.repeat(4 * 1024 * 1024)
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => database.write([insert(String(n), large)])),
  )
  const refused = all.filter((one) => one.status === 'rejected')
  t.ok(refused.length > 0 && refused.length < 15, `${refused.length} refused`)
  for (const one of refused) t.match(one, { reason: { code: 'server.busy' } })
  const [row] = await database.read<{ n: number }>('SELECT count(*) AS n FROM steps')
  t.equal(row?.n, 20 - refused.length)
})

t.test('the main thread does not wait for the disk', async (t) => {
  const { database } = await open(t, t.testdir())
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  t.teardown(() => clearInterval(counting))
  const before = process.cpuUsage()
  await database.read(
    'WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000000) SELECT sum(n) AS s FROM n',
  )
  t.ok(process.cpuUsage(before).user > 50_000, 'the read takes a while')
  t.ok(turns > 10, `${turns} timers ran meanwhile`)
})

const damages: [what: string, damage: (file: string) => void][] = [
  ['text', (file) => writeFileSync(file, 'not a database '.repeat(1000))],
  ['a truncated file', (file) => truncateSync(file, statSync(file).size - 3 * 4096)],
  ['overwritten pages', (file) => overwrite(file, 2 * 4096, 20 * 4096)],
  ['a database of another program', (file) => replaceBy(file, 'CREATE TABLE t (a)')],
  [
    'a database with a trigger',
    (file) => change(file, 'CREATE TRIGGER t AFTER INSERT ON steps BEGIN DELETE FROM steps; END'),
  ],
  ['a database without its own mark', (file) => replaceBy(file, 'PRAGMA user_version = 1')],
]

function overwrite(file: string, from: number, to: number): void {
  const content = readFileSync(file)
  content.fill(0xab, from, to)
  writeFileSync(file, content)
}

function replaceBy(file: string, sql: string): void {
  rmSync(file)
  change(file, sql)
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

for (const [what, damage] of damages) {
  t.test(`a damaged history (${what}) is set aside, and a new one begins`, async (t) => {
    const folder = t.testdir()
    const first = await open(t, folder)
    await first.database.write([insert('a', 'x'.repeat(100_000)), insert('b')])
    await first.close()
    damage(first.file)
    const damaged = readFileSync(first.file)
    const second = await open(t, folder)
    t.match(second.database.setAside, /; it is now history\.db\.damaged-\d{4}-\d\d-\d\dT/)
    t.match(second.lines, [/the history of changes was damaged; a new one begins/])
    t.strictSame(await second.database.read(ids), [])
    await second.database.write([insert('c')])
    await second.close()
    const third = await open(t, folder)
    t.equal(third.database.setAside, undefined)
    t.strictSame(await third.database.read(ids), [{ id: 'c' }])
    const kept = (await readdir(folder)).filter((name) => name.includes('damaged'))
    t.equal(kept.length, 1)
    t.strictSame(readFileSync(join(folder, kept[0] ?? '')), damaged, 'nothing of it is lost')
  })
}

t.test('damage that is found while the server runs sets the history aside at the next start', async (t) => {
  const folder = t.testdir()
  const first = await open(t, folder)
  await first.database.write(Array.from({ length: 200 }, (_, n) => insert(`${n}`, 'x'.repeat(20_000))))
  await first.close()
  const second = await open(t, folder)
  overwrite(second.file, 40 * 4096, statSync(second.file).size)
  await t.rejects(second.database.read('SELECT sum(length(step)) FROM steps'), {
    code: 'disk.failed',
  })
  await second.close()
  const third = await open(t, folder)
  t.match(third.database.setAside, /an earlier run found/)
  await third.close()
  t.equal((await open(t, folder)).database.setAside, undefined)
})

t.test('a history of a newer version is refused and stays as it is', async (t) => {
  const folder = t.testdir()
  const { file, close } = await open(t, folder)
  await close()
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA user_version = ${historySchema.length + 1}`)
  db.close()
  const before = readFileSync(file)
  await t.rejects(open(t, folder), { name: StartupProblem.name, message: /written by a newer version/ })
  t.strictSame(readFileSync(file), before)
})

t.test('old contents of an older history remember where they were, as far as this is known', async (t) => {
  const folder = t.testdir()
  const db = new DatabaseSync(join(folder, 'history.db'))
  for (const step of historySchema.slice(0, 3)) db.exec(step)
  db.exec('PRAGMA user_version = 3')
  db.exec(`PRAGMA application_id = ${0x436f6648}`)
  const kept = db.prepare(`INSERT INTO kept VALUES (?, ?, 'state', ?, 1, NULL, '', ?, 0, 1, 1)`)
  const step = db.prepare('INSERT INTO steps VALUES (?, ?, ?)')
  kept.run('v1', 'version', '/e/a.txt', 'o1')
  kept.run('v2', 'version', '//trash/t1/b.txt', 'o2')
  kept.run('v3', 'version', '/old.txt', 'gone')
  kept.run('t1', 'trash', '/q', 'o3')
  step.run('o1', 0, JSON.stringify({ do: 'put', path: '/q/a.txt', item: 'v1', isKept: true }))
  step.run('o2', 0, JSON.stringify({ do: 'move', path: '/x', to: '/q/b.txt', item: 'v2', isKept: true }))
  step.run('o3', 0, JSON.stringify({ do: 'remove', path: '/q', item: 't1', isKept: true }))
  db.close()
  const { database } = await open(t, folder)
  t.strictSame(await database.read('SELECT id, written FROM kept ORDER BY id'), [
    { id: 't1', written: null },
    { id: 'v1', written: '/q/a.txt' },
    { id: 'v2', written: '/q/b.txt' },
    { id: 'v3', written: null },
  ])
})

t.test('a history that cannot be opened stops the start with a sentence', async (t) => {
  const folder = t.testdir({ 'history.db': {} })
  await t.rejects(open(t, folder), {
    name: StartupProblem.name,
    message: /history\.db cannot be opened \(EISDIR\): check its owner/,
  })
  const linked = t.testdir({ target: '', 'history.db': t.fixture('symlink', 'target') })
  await t.rejects(open(t, linked), { message: /cannot be opened \(ELOOP\)/ })
})

t.test('after the thread has died, the history continues', async (t) => {
  const { database, lines } = await open(t, t.testdir())
  await database.write([insert('a')])
  const huge = `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 90000)
    SELECT hex(zeroblob(20000)) AS h FROM n`
  await t.rejects(database.read(huge), DatabaseProblem)
  t.match(lines, [/cannot be written/])
  await database.write([insert('b')])
  t.strictSame(await database.read(ids), [{ id: 'a' }, { id: 'b' }])
})

t.test('calls wait until the file is open, and fail with the reason when it cannot be opened', async (t) => {
  const folder = t.testdir()
  const log = createLog({ target: '', format: 'text' })
  const database = openDatabase(join(folder, 'history.db'), { log })
  t.strictSame(await Promise.all([database.write([insert('a')]), database.read(ids)]), [
    [[{ id: 'a' }]],
    [{ id: 'a' }],
  ])
  await database.close()
  const broken = openDatabase(join(folder, 'missing', 'history.db'), { log })
  const reason = { name: StartupProblem.name, message: /cannot be opened \(ENOENT\)/ }
  await Promise.all([t.rejects(broken.read(ids), reason), t.rejects(broken.opened, reason)])
  await t.rejects(broken.read(ids), { code: 'server.stopping' })
  await broken.close()
})

t.test('transactions that are not urgent are committed with the next call, or soon', async (t) => {
  const folder = t.testdir()
  const { database, close } = await open(t, folder)
  const write = (id: string) => database.write([insert(id)])
  const later = (id: string) => database.writeLater([insert(id)])
  const order: string[] = []
  await Promise.all([later('a').then(() => order.push('a')), write('b').then(() => order.push('b'))])
  t.strictSame(order, ['a', 'b'], 'in the order of the calls')
  t.strictSame(await later('c'), [[{ id: 'c' }]])
  // The timer of a call may end after the call was committed with others.
  for (let n = 0, end = performance.now() + 100; performance.now() < end; n++)
    await Promise.all([write(`d${n}`), later(`e${n}`)])
  void later('f')
  const [{ n } = { n: 0 }] = await database.read<{ n: number }>(
    `SELECT count(*) AS n FROM steps WHERE operation = 'f'`,
  )
  t.equal(n, 1, 'a read sees what was written before')
  void later('g')
  await close()
  const second = await open(t, folder)
  t.strictSame(await second.database.read(`${ids} DESC LIMIT 1`), [{ id: 'g' }])
})

t.test('after the program was killed, everything that was confirmed is there', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'history.db')
  const program = `
    const { openDatabase } = await import(${JSON.stringify(new URL('./database.ts', import.meta.url).href)})
    const db = openDatabase(${JSON.stringify(file)}, { log: console })
    await db.opened
    const sql = "INSERT INTO steps (operation, n, step) VALUES (?, 1, '')"
    const write = async (writer) => {
      for (let n = 0; ; n++) {
        const id = writer + '-' + n
        await db.write([{ sql, values: [id] }, { sql, values: [id + '+'] }])
        console.log(id)
      }
    }
    for (const writer of 'abcdefgh') void write(writer)`
  writeFileSync(join(folder, 'main.mjs'), program)
  const child = spawn(process.execPath, [join(folder, 'main.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
  killAfter(t, child)
  const ended = once(child, 'close')
  const confirmed: string[] = []
  for await (const line of createInterface(child.stdout)) {
    confirmed.push(line)
    if (confirmed.length === 300) child.kill('SIGKILL')
  }
  await ended
  t.ok(statSync(`${file}-wal`).size > 0, 'the log has not been merged')
  const { database } = await open(t, folder)
  t.equal(database.setAside, undefined)
  const found = new Set((await database.read<{ id: string }>(ids)).map(({ id }) => id))
  t.strictSame(
    confirmed.filter((id) => !found.has(id)),
    [],
  )
  const halves = [...found].filter((id) => !found.has(id.endsWith('+') ? id.slice(0, -1) : `${id}+`))
  t.strictSame(halves, [], 'no transaction is there in part')
})

for (const runsOut of ['blocks', 'inodes'] as const) {
  t.test(`on a disk without ${runsOut}, the history continues or refuses, and loses nothing`, async (t) => {
    const folder = mountSmall(t, 'tmpfs')
    if (!folder) return void t.pass('a small disk', { skip: 'this system does not allow a mount' })
    const first = await open(t, folder)
    await first.database.write([insert('a')])
    await first.close()
    t.ok(existsSync(`${first.file}.spare`))
    fillUp(join(folder, 'fill'), runsOut)
    const second = await open(t, folder)
    await second.database.write([insert('b')])
    t.match(second.lines, [/its reserve was used/])
    const kept = ['a', 'b']
    if (runsOut === 'blocks') {
      const fill = async (n: number): Promise<unknown> => {
        const id = `c${String(n).padStart(4, '0')}`
        const refusal = await second.database.write([insert(id, 'x'.repeat(10_000))]).catch((error) => error)
        if (refusal instanceof Error) return refusal
        kept.push(id)
        return fill(n + 1)
      }
      t.match(await fill(0), { name: 'DatabaseProblem', code: 'disk.full' })
      t.ok(kept.length > 20, `${kept.length} writes`)
    }
    const expected = kept.map((id) => ({ id }))
    t.strictSame(await second.database.read(ids), expected, 'reading still works')
    rmSync(join(folder, 'fill'), { recursive: true })
    await second.database.write([insert('d')])
    t.strictSame(await second.database.read(ids), [...expected, { id: 'd' }])
    await second.close()
    const third = await open(t, folder)
    t.strictSame(await third.database.read(ids), [...expected, { id: 'd' }])
  })
}
