import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import type { Principal } from '#src/access/principal.ts'
import { compileRules } from '#src/core/access/rules.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { type Database, openDatabase } from '#src/core/database/database.ts'
import { type Slice, sliceLimits } from '#src/core/database/scan-slice.ts'
import { createScans } from '#src/core/database/scans.ts'
import { createLog } from '#src/core/log/log.ts'
import { unconditional } from '#src/core/problem.ts'
import { start } from '#src/testing/start.ts'
import { dial, listen, until } from '#src/testing/wire.ts'
import { rowAdded, trashAfter } from './records/kept-rows.ts'
import { trashSlice } from './records/trash-slice.ts'
import { createTrashList } from './trash-list.ts'

const entries = 5000

/** A trash with many entries, of which every tenth is denied, and a count of the slices that lists have needed. */
async function begin(t: Test) {
  const file = join(t.testdir(), 'history.db')
  const database = openDatabase(file, { log: createLog({ target: '', format: 'text' }) })
  t.teardown(() => database.close())
  const item = (n: number) => {
    const path = `/${n % 10 === 0 ? 'secret' : 'docs'}/File ${n}.txt`
    const rest = { user: null, userName: '', operation: '', isFolder: false, modified: 0, size: 2 }
    // Several entries have the same time.
    return { ...rest, id: `id${n}`, kind: 'trash', place: 'state', path, time: Math.floor(n / 7) } as const
  }
  await database.write(Array.from({ length: entries }, (_, n) => rowAdded(item(n))))
  const slices: number[] = []
  const counted: Pick<Database, 'read' | 'scan'> = {
    read: database.read,
    scan: {
      read: database.scan.read,
      async slice<Result>(...request: Parameters<Database['scan']['slice']>): Promise<Slice<Result>> {
        const slice = await database.scan.slice<Result>(...request)
        slices.push(slice.examined)
        return slice
      },
    },
  }
  const turns = createSemaphore('lists', { each: 1, all: Number.POSITIVE_INFINITY })
  const list = createTrashList({ root: '/r', nameOf: () => '', scans: createScans(counted, turns) })
  const rules = [{ allow: false, path: '/secret', regex: false, regexp: null }]
  const jail = { root: '/r', allows: compileRules(rules), secret: [] }
  const actor = { rules, user: { hideDotfiles: false }, jail: async () => jail } as unknown as Principal
  const by = (signal = new AbortController().signal) => ({ owner: 'ann', recheck: unconditional, signal })
  return { file, list, actor, by, slices, database }
}

t.test('a list of the trash with rules examines each entry once, in small slices', async (t) => {
  const { list, actor, by, slices } = await begin(t)
  const page = await list.list(actor, by(), { search: 'FILE 1', limit: 3 })
  const found = Array.from({ length: entries }, (_, n) => n).filter((n) => n % 10 !== 0 && /^1/.test(`${n}`))
  t.strictSame([page.total, page.size], [found.length, 2 * found.length])
  t.strictSame(page.items.length, 3)
  t.equal(
    slices.reduce((sum, one) => sum + one),
    entries,
    'each entry once',
  )
  t.ok(slices.every((examined) => examined <= sliceLimits.rows))
  t.ok(slices.length >= entries / sliceLimits.rows)
  const all: string[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const next = await list.list(actor, by(), { limit: 500, ...(after && { after }) })
    all.push(...next.items.map(({ id }) => id))
    t.equal(next.total, entries * 0.9)
    after = next.next
  }
  t.equal(new Set(all).size, entries * 0.9, 'the pages contain each entry once')
  t.equal(all.length, entries * 0.9)
})

t.test('entries outside of the scope do not count as examined', async (t) => {
  const rows = ['/home/a.txt', '/other/b.txt', '/home/.c', '/homes/d'].map((path, n) => ({
    ...{ id: `id${n}`, time: n, path, size: 1 },
  }))
  const reader = { root: '/r', scope: '/r/home', rules: [], hideDotfiles: true } as never
  const found = trashSlice(rows, { ...(reader as object), search: '', after: undefined, most: 10 } as never)
  t.match(found, { inScope: 2, total: 1, last: { id: 'id3' } })
})

t.test('a list of the trash stops with its request', async (t) => {
  const { list, actor, by, slices } = await begin(t)
  const client = new AbortController()
  const push = slices.push.bind(slices)
  slices.push = (...examined) => {
    client.abort(new Error('the client has left'))
    return push(...examined)
  }
  await t.rejects(list.list(actor, by(client.signal), { search: 'x' }), /the client has left/)
  t.equal(slices.length, 1)
})

t.test('the index returns entries of the trash in their order, without sorting them', async (t) => {
  const { file, database } = await begin(t)
  await database.close()
  const db = new DatabaseSync(file)
  const { sql, values } = trashAfter('/', { after: { time: 300, id: 'id2105' }, limit: 10 })
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values)
  t.match(plan, [{ detail: /^SEARCH kept USING INDEX kept_by_time \(kind=\? AND \(time,id\)<\(\?,\?\)\)$/ }])
  t.equal(plan.length, 1)
  const rows = db.prepare(sql).all(...values)
  t.strictSame(
    rows.map(({ id }) => id),
    [2104, 2103, 2102, 2101, 2100, 2099, 2098, 2097, 2096, 2095].map((n) => `id${n}`),
  )
  db.close()
})

t.test('all lists of the history wait for the turn of their user, and leave with their client', async (t) => {
  const perm = { create: true, delete: true, modify: true, download: true }
  const { app, as, login, services, document } = await start(t, {
    tree: { 'a.txt': 'x' },
    people: { bob: { perm } },
  })
  const [admin, bob] = [await as('admin'), await as('bob')]
  const lists = [
    'trash',
    'trash?search=x',
    'versions/a.txt',
    'operations',
    'audit',
    'audit/export?format=csv',
    'activity/',
    'starred',
    'recent',
  ]
  const id = Object.values(document.data.users).find(({ username }) => username === 'admin')?.id
  const held = Promise.withResolvers<void>()
  const scan = { owner: `user ${id}`, recheck: unconditional, signal: new AbortController().signal }
  const holding = services.scans.run(scan, () => held.promise)
  const replies = lists.map((list) => admin('GET', `/api/${list}`))
  const { scans } = services.limits
  await until(() => scans.waiting === lists.length)
  t.equal((await bob('GET', '/api/trash')).statusCode, 200, 'another user does not wait')
  const wire = await dial(t, await listen(app))
  wire.socket.write(`GET /api/trash HTTP/1.1\r\nHost: coffer\r\nX-Auth: ${await login('admin')}\r\n\r\n`)
  await until(() => scans.waiting === lists.length + 1)
  wire.socket.destroy()
  await until(() => scans.waiting === lists.length)
  held.resolve()
  for (const [n, reply] of replies.entries()) t.equal((await reply).statusCode, 200, lists[n] ?? '')
  await holding
})
