import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Memory } from 'lowdb'
import t, { type Test } from 'tap'
import type { AuditRecord } from '#contract/history/audit.ts'
import { openDatabase } from '#src/core/database/database.ts'
import { createLog } from '#src/core/log/log.ts'
import { createFirstState } from '#src/start/first-run.ts'
import { openDocument } from '#src/state/document.ts'
import type { State } from '#src/state/state.ts'
import { createStore } from '#src/state/store.ts'
import { createAudit } from './audit.ts'
import type { AuditEntry } from './entry.ts'
import { exportText } from './export.ts'
import { appendStatements } from './records.ts'
import type { AuditFilter } from './search/filter.ts'

const day = 24 * 60 * 60_000

/** Opens the audit log of a folder, with a clock that the test moves. */
async function open(t: Test, folder: string, at = Date.parse('2026-01-01T00:00:00Z')) {
  const file = join(folder, 'history.db')
  const log = createLog({ target: '', format: 'text' })
  const database = openDatabase(file, { log })
  await database.opened
  const document = await openDocument(new Memory<State>(), () =>
    createFirstState({ username: 'admin', password: 'x' } as never, { isTerminal: false, tell: () => {} }),
  )
  const time = { now: at }
  const audit = createAudit({ database, store: createStore(document), clock: () => time.now, log })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= audit.close().then(() => database.close())
    return closing
  }
  t.teardown(close)
  /** Runs statements on the closed file, to change records without the server. */
  const tamper = async (...statements: string[]) => {
    await close()
    const db = new DatabaseSync(file)
    for (const sql of statements) db.exec(sql)
    db.close()
  }
  return { database, document, audit, time, close, tamper, file }
}

const who = { userId: 1, userName: 'ada', session: 's', address: '192.0.2.1' }
const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'upload',
  outcome: 'done',
  who,
  ...more,
})

t.test('a record says who did what to which paths, and how it ended', async (t) => {
  const { audit } = await open(t, t.testdir())
  const paths = Array.from({ length: 30 }, (_, n) => ({ path: `/a/${n}`, to: `/b/${n}` }))
  await audit.append(entry({ kind: 'move', operation: 'op', paths, detail: 'x' }))
  await audit.append(entry({ kind: 'login', outcome: 'failed', detail: 'auth.wrong' }))
  t.strictSame(await audit.page({}, { limit: 10 }), {
    records: [
      {
        seq: 2,
        time: '2026-01-01T00:00:00.000Z',
        kind: 'login',
        outcome: 'failed',
        user: 'ada',
        address: '192.0.2.1',
        paths: [],
        count: 0,
        detail: 'auth.wrong',
      },
      {
        seq: 1,
        time: '2026-01-01T00:00:00.000Z',
        kind: 'move',
        outcome: 'done',
        user: 'ada',
        address: '192.0.2.1',
        operation: 'op',
        paths: paths.slice(0, 20),
        count: 30,
        detail: 'x',
      },
    ],
  })
})

t.test('very long paths and texts are cut, so that every record has a limit', async (t) => {
  const { audit } = await open(t, t.testdir())
  const path = `/${'"'.repeat(10_000)}`
  await audit.append(entry({ paths: Array.from({ length: 5 }, () => ({ path })), detail: 'd'.repeat(9000) }))
  const { records } = await audit.page({}, { limit: 1 })
  t.strictSame(records[0]?.paths, [{ path }])
  t.equal(records[0]?.count, 5)
  t.equal(records[0]?.detail.length, 1001)
})

t.test('records of any text verify, also after a restart and with a clock that jumps back', async (t) => {
  const folder = t.testdir()
  const first = await open(t, folder)
  const texts = ['', "'; DROP TABLE audit; --", '\ud800', 'ü\u0000\n', '"\\', '🎉', '1e5', 'null']
  for (const text of texts) {
    first.time.now += 1
    await first.audit.append(
      entry({ detail: text, paths: [{ path: `/${text}` }], who: { ...who, userName: text } }),
    )
  }
  first.time.now -= 10 * day
  await first.audit.append(entry({ count: 12345678901 }))
  t.match(await first.audit.verify(undefined, who), { records: 9, first: 1, fault: undefined })
  await first.close()
  const second = await open(t, folder)
  t.match(await second.audit.verify(undefined, who), { records: 10, fault: undefined })
})

const tamperings: [what: string, sql: string[], fault: { seq: number; what: string }][] = [
  ['a changed text', [`UPDATE audit SET user_name = 'eve' WHERE seq = 1500`], { seq: 1500, what: 'changed' }],
  ['a changed time', [`UPDATE audit SET time = time + 1 WHERE seq = 1`], { seq: 1, what: 'changed' }],
  ['a removed record', ['DELETE FROM audit WHERE seq = 1000'], { seq: 1000, what: 'missing' }],
  ['a removed beginning', ['DELETE FROM audit WHERE seq <= 10'], { seq: 1, what: 'missing' }],
  [
    'a record that was removed and the others renumbered',
    ['DELETE FROM audit WHERE seq = 1999', 'UPDATE audit SET seq = seq - 1 WHERE seq > 1999'],
    { seq: 1999, what: 'changed' },
  ],
  [
    'two records in another order',
    [
      'UPDATE audit SET seq = -1 WHERE seq = 7',
      'UPDATE audit SET seq = 7 WHERE seq = 8',
      'UPDATE audit SET seq = 8 WHERE seq = -1',
    ],
    { seq: 7, what: 'changed' },
  ],
]

for (const [what, sql, fault] of tamperings) {
  t.test(`verification finds ${what}`, async (t) => {
    const folder = t.testdir()
    const { database, audit, time, tamper } = await open(t, folder)
    await database.write(
      Array.from({ length: 2001 }, (_, n) =>
        appendStatements(entry({ paths: [{ path: `/${n}` }] }), time.now),
      ).flat(),
    )
    t.match(await audit.verify(undefined, who), { records: 2001, fault: undefined })
    await tamper(...sql)
    const after = await open(t, folder)
    t.match(await after.audit.verify(undefined, who), { fault })
    const { records } = await after.audit.page({ kind: 'verify' }, { limit: 5 })
    t.strictSame(
      records.map(({ outcome }) => outcome),
      ['failed', 'done'],
      'the verification is recorded too',
    )
  })
}

t.test('a head that was kept elsewhere shows that records were removed from the end', async (t) => {
  const folder = t.testdir()
  const { audit, tamper } = await open(t, folder)
  for (let n = 0; n < 5; n++) await audit.append(entry())
  const head = await audit.head()
  if (!head) throw new Error('no head')
  t.equal(head.seq, 5)
  t.match(await audit.verify(head, who), { expected: 'found', fault: undefined })
  t.match(await audit.verify({ seq: undefined, hash: head.hash }, who), { expected: 'found' })
  await tamper('DELETE FROM audit WHERE seq >= 5')
  const after = await open(t, folder)
  await after.audit.append(entry({ detail: 'written anew' }))
  t.match(await after.audit.verify(undefined, who), { fault: undefined })
  t.match(await after.audit.verify(head, who), { fault: undefined, expected: 'missing' })
})

t.test('old records are removed, the cut is recorded, and the rest still verifies', async (t) => {
  const folder = t.testdir()
  const { audit, document, time, close } = await open(t, folder)
  for (let n = 0; n < 20; n++) {
    time.now += day
    await audit.append(entry({ paths: [{ path: `/a/${n}`, to: '/same' }] }))
  }
  const [early, head] = [(await audit.page({}, { before: 3, limit: 1 })).records[0], await audit.head()]
  t.equal(early?.seq, 2)
  await document.update((draft) => {
    draft.settings.audit = { days: 5, megabytes: 10 }
  })
  await audit.removeOld()
  await close()
  const after = await open(t, folder, time.now)
  const { records } = await after.audit.page({}, { limit: 100 })
  t.strictSame(
    records.map(({ seq }) => seq),
    [21, 20, 19, 18, 17, 16, 15],
  )
  t.match(records[0], { kind: 'cut', detail: /^through 14 [0-9a-f]{64}$/ })
  t.match(await after.audit.verify(head, who), {
    fault: undefined,
    expected: 'found',
    first: 15,
    removedThrough: 14,
  })
  t.match(await after.audit.verify({ seq: 2, hash: 'f'.repeat(64) }, who), { expected: 'removed' })
  const paths = 'SELECT count(*) AS n FROM audit_paths'
  t.strictSame(await after.database.read(paths), [{ n: 2 * 6 }], 'the index has no more than the records')
  await after.tamper('DELETE FROM audit WHERE seq = 15')
  const cut = await open(t, folder, time.now)
  t.match(await cut.audit.verify(undefined, who), { fault: { seq: 15, what: 'missing' } })
})

t.test('when all records are too old, the last one stays beside the record of the removal', async (t) => {
  const { audit, document, time } = await open(t, t.testdir())
  for (let n = 0; n < 3; n++) await audit.append(entry())
  await document.update((draft) => {
    draft.settings.audit = { days: 5, megabytes: 10 }
  })
  time.now += 30 * day
  await audit.removeOld()
  t.match((await audit.page({}, { limit: 100 })).records, [
    { seq: 4, kind: 'cut', detail: /^through 2 / },
    { seq: 3, kind: 'upload' },
  ])
  t.match(await audit.verify(undefined, who), { fault: undefined, first: 3, removedThrough: 2 })
})

t.test('an interrupted removal is continued, and does not look like tampering', async (t) => {
  const folder = t.testdir()
  const { audit, time, close } = await open(t, folder)
  for (let n = 0; n < 10; n++) await audit.append(entry())
  const seventh = (await collect(audit.all({}))).flat().find(({ seq }) => seq === 7)
  // The record of a cut is written before records are removed.
  await audit.append(entry({ kind: 'cut', detail: `through 7 ${seventh?.hash}` }))
  t.match(await audit.verify(undefined, who), { fault: undefined, first: 8, records: 4 })
  await audit.removeOld()
  await close()
  const after = await open(t, folder, time.now)
  const [oldest] = (await after.audit.page({}, { limit: 100 })).records.slice(-1)
  t.equal(oldest?.seq, 8)
  t.match(await after.audit.verify(undefined, who), { fault: undefined })
})

t.test('when the records are too large, a tenth of the limit becomes free', async (t) => {
  const folder = t.testdir()
  const { audit, document, database, close, time } = await open(t, folder)
  const paths = [{ path: `/${'x'.repeat(2000)}` }]
  for (let n = 0; n < 4; n++)
    await database.write(
      Array.from({ length: 500 }, () => appendStatements(entry({ paths }), time.now)).flat(),
    )
  await document.update((draft) => {
    draft.settings.audit = { days: 1000, megabytes: 5 }
  })
  await audit.removeOld()
  await close()
  const after = await open(t, folder, time.now)
  const [size] = await after.database.read<{ records: number; bytes: number }>('SELECT * FROM audit_size')
  const [counted] = await after.database.read<{ n: number }>('SELECT count(*) AS n FROM audit')
  t.equal(size?.records, counted?.n)
  const mebibytes = (size?.bytes ?? 0) / 1024 / 1024
  t.ok(mebibytes > 4 && mebibytes < 4.7, `${mebibytes} MiB`)
  t.match(await after.audit.verify(undefined, who), { fault: undefined })
})

t.test('the first record of a run says when the last one was killed', async (t) => {
  const folder = t.testdir()
  const details = async (at: Awaited<ReturnType<typeof open>>) =>
    (await at.audit.written().then(() => at.audit.page({ kind: 'start' }, { limit: 1 }))).records[0]?.detail
  const first = await open(t, folder)
  first.audit.start('1.0')
  t.equal(await details(first), '1.0')
  await first.close()
  const second = await open(t, folder)
  second.audit.start('1.1')
  t.equal(await details(second), '1.1')
  // As if the process had been killed: the record of its end is missing.
  await second.tamper(`DELETE FROM audit WHERE kind = 'stop' AND seq = (SELECT max(seq) FROM audit)`)
  const third = await open(t, folder)
  third.audit.start('1.2')
  t.equal(await details(third), '1.2; the last run was killed')
})

t.test('equal events of one client are summed up, those of others are not', async (t) => {
  const { audit } = await open(t, t.testdir())
  const refusal = (address: string, detail = 'auth.forbidden GET /api/users') =>
    audit.noteRepeated(
      entry({ kind: 'refusal', outcome: 'refused', who: { ...who, userId: null, address }, detail }),
    )
  for (let n = 0; n < 1000; n++) refusal('192.0.2.1')
  refusal('192.0.2.2')
  refusal('192.0.2.1', 'path.forbidden DELETE /api/resources/*')
  const all = async () => (await audit.page({ kind: 'refusal' }, { limit: 500 })).records
  const shown = (records: AuditRecord[]) =>
    records.map(({ address, count, detail }) => [address, count, detail.split(' ')[0]])
  t.strictSame(shown(await all()), [
    ['192.0.2.1', 1, 'path.forbidden'],
    ['192.0.2.2', 1, 'auth.forbidden'],
    ['192.0.2.1', 1, 'auth.forbidden'],
  ])
  for (let n = 0; n < 1000; n++) refusal(`198.51.100.${n % 250}`, `code-${n} x`)
  const many = await all()
  t.ok(many.length < 220, `${many.length} records`)
  t.match(many[0], { detail: 'many clients', user: '', address: '' })
})

t.test('an export is harmless in programs for tables', async (t) => {
  const { audit } = await open(t, t.testdir())
  const paths = [{ path: '/a,"b"', to: '/c\nd' }, { path: '/=1' }]
  await audit.append(entry({ detail: '=HYPERLINK("http://x")', who: { ...who, userName: '+1' }, paths }))
  await audit.append(entry({ detail: '\t@x' }))
  const text = (await collect(exportText(audit.all({}), 'csv'))).join('')
  const [header, ...rest] = text.split('\r\n')
  t.equal(header, 'seq,time,kind,outcome,user,address,operation,paths,count,detail,hash')
  t.match(
    rest[0],
    /^1,2026-01-01T00:00:00.000Z,upload,done,'\+1,192\.0\.2\.1,,"\/a,""b"" → \/c\nd\n\/=1",2,"'=HYPERLINK\(""http:\/\/x""\)",[0-9a-f]{64}$/,
  )
  t.match(rest[1], /,'\t@x,[0-9a-f]{64}$/)
  const lines = (await collect(exportText(audit.all({}), 'ndjson'))).join('').trim().split('\n')
  t.match(
    lines.map((line) => JSON.parse(line)),
    [{ seq: 1, paths, user: '+1' }, { seq: 2 }],
  )
})

t.test('every filter and every page gives the same records as a look at each of them', async (t) => {
  const { audit, database, time } = await open(t, t.testdir())
  const random = sequence(7)
  const pick = <T>(...from: readonly T[]): T => from[random(from.length)] as T
  const name = () => pick('a', 'b', 'a b', 'ab', 'a0', 'a/b', 'é')
  const entries = Array.from({ length: 700 }, () =>
    entry({
      kind: pick('upload', 'delete', 'login'),
      outcome: pick('done', 'done', 'done', 'failed'),
      who: { ...who, userName: pick('ada', 'bob', ''), address: pick('192.0.2.1', '192.0.2.2') },
      paths: Array.from({ length: random(3) }, () => ({
        path: `/${name()}/${name()}`,
        ...(random(2) && { to: `/${name()}` }),
      })),
    }),
  )
  for (const one of entries) {
    time.now += random(20) === 0 ? -random(100_000) : random(5000)
    await database.write(appendStatements(one, time.now))
  }
  const everything = await paged(audit, {}, 1000)
  t.equal(everything.length, 700)
  const times = everything.map(({ time }) => Date.parse(time))
  for (let n = 0; n < 150; n++) {
    const filter: AuditFilter = {
      ...(random(2) && { user: pick('ada', 'bob', 'eve') }),
      ...(random(2) && { kind: pick('upload', 'delete', 'login') }),
      ...(random(3) === 0 && { address: pick('192.0.2.1', '192.0.2.3') }),
      ...(random(3) === 0 && { outcome: pick('done', 'failed') }),
      ...(random(2) && { path: pick('/a', '/a/b', '/ab', '/a b', '/é', '/a/a/b') }),
      ...(random(3) === 0 && { from: pick(...times) }),
      ...(random(3) === 0 && { to: pick(...times) + random(2) }),
      ...(random(4) === 0 && { kinds: ['upload', 'login'] }),
    }
    const expected = everything.filter((record) => matches(record, filter)).map(({ seq }) => seq)
    const found = (await paged(audit, filter, 1 + random(60))).map(({ seq }) => seq)
    t.strictSame(found, expected, JSON.stringify(filter))
    const oldestFirst = (await collect(audit.all(filter))).flat().map(({ seq }) => seq)
    t.strictSame(oldestFirst, expected.toReversed())
  }
})

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

/** All records of a filter, page by page. */
async function paged(audit: Awaited<ReturnType<typeof open>>['audit'], filter: AuditFilter, limit: number) {
  const found: AuditRecord[] = []
  let before: number | undefined
  for (;;) {
    const { records, next } = await audit.page(filter, { limit, before })
    found.push(...records)
    if (records.length > limit) throw new Error('a page is too long')
    if (next === undefined) return found
    before = next
  }
}

function matches(record: AuditRecord, filter: AuditFilter): boolean {
  const { user, kind, kinds, address, outcome, path, from = 0, to = Number.POSITIVE_INFINITY } = filter
  const at = Date.parse(record.time)
  const all = record.paths.flatMap((one) => [one.path, one.to ?? ''])
  return (
    [
      user ?? record.user,
      kind ?? record.kind,
      address ?? record.address,
      outcome ?? record.outcome,
    ].join() === [record.user, record.kind, record.address, record.outcome].join() &&
    (kinds ?? [record.kind]).includes(record.kind) &&
    (path === undefined || all.some((one) => one === path || one.startsWith(`${path}/`))) &&
    at >= from &&
    at < to
  )
}

/** Returns a function for numbers below a limit: the same in every run. */
function sequence(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * limit)
  }
}
