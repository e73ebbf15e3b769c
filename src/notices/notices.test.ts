import t, { type Test } from 'tap'
import { maxNotices, type NoticePage } from '#contract/notices/notices.ts'
import { receiveEvents } from '#src/testing/event-client.ts'
import { happenings } from '#src/testing/link-happenings.ts'
import { type Person, start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'

const perm = { create: true, modify: true, delete: true, rename: true, download: true, share: true }
const people: Record<string, Person> = { ann: { scope: '/ann', perm }, bob: { scope: '/bob', perm } }
const tree = { ann: { inbox: { 'a.txt': 'a' }, 'b.txt': 'b' }, bob: { 'c.txt': 'c' } }

async function begin(t: Test, base?: string) {
  const running = await start(t, { tree, people, ...(base && { base }) })
  running.clock.stop()
  const [ann, bob] = [await running.as('ann'), await running.as('bob')]
  const share = async (path: string, payload: object = {}, call = ann) => {
    const reply = await call('POST', `/api/share${path}`, { payload })
    if (reply.statusCode !== 200) throw new Error(reply.body)
    return reply.json<{ hash: string }>().hash
  }
  // Signs in each time, because the clock may have moved by days.
  const noticesOf = async (name = 'ann', query = '') =>
    (await (await running.as(name))('GET', `/api/notices${query}`)).json<NoticePage>()
  return { ...running, ...happenings(running), ann, bob, share, noticesOf }
}

t.test('only the owner of a share gets a notice about its first visit', async (t) => {
  const { share, visit, due, noticesOf } = await begin(t)
  const hash = await share('/inbox', { title: 'Plans' })
  visit(hash)
  visit(hash, false)
  visit(hash)
  await due()
  t.match(await noticesOf(), {
    unread: 1,
    items: [{ kind: 'visit', title: 'Plans', path: '/inbox', share: hash, isRead: false, time: /Z$/ }],
  })
  t.equal((await noticesOf()).items.length, 1)
  t.strictSame(await noticesOf('bob'), { items: [], unread: 0 })
})

t.test('files that a visitor sends one after the other are one notice', async (t) => {
  const { share, receive, due, noticesOf, clock } = await begin(t)
  const hash = await share('/inbox', { rights: 'upload' })
  for (let n = 1; n <= 7; n++) {
    receive(hash, `/inbox/${n}.txt`, { sender: 'Eve' })
    clock.advance({ seconds: 50 })
    await due()
  }
  t.strictSame((await noticesOf()).items, [], 'waits for a minute without a file')
  clock.advance({ seconds: 10 })
  await due()
  const names = ['1.txt', '2.txt', '3.txt', '4.txt', '5.txt']
  const about = {
    kind: 'received',
    count: 7,
    bytes: 70,
    names,
    sender: 'Eve',
    path: '/inbox',
    title: 'inbox',
  }
  t.match(await noticesOf(), { unread: 1, items: [about] })
  receive(hash, '/inbox/8.txt', { sender: 'Eve' })
  clock.advance({ minutes: 1 })
  await due()
  t.match((await noticesOf()).items, [{ count: 1, names: ['8.txt'] }, about], 'a later file is another one')
})

t.test('files that arrive without a pause make a notice after ten minutes', async (t) => {
  const { share, receive, due, noticesOf, clock } = await begin(t)
  const hash = await share('/inbox', { rights: 'upload' })
  for (let n = 0; n < 14; n++) {
    receive(hash, `/inbox/${n}.txt`)
    clock.advance({ seconds: 45 })
    await due()
  }
  t.match(await noticesOf(), { items: [{ kind: 'received', count: 14 }] })
})

t.test('files of different visits and senders are different notices', async (t) => {
  const { share, receive, due, noticesOf, clock } = await begin(t)
  const hash = await share('/inbox', { rights: 'upload' })
  receive(hash, '/inbox/Ada/deep/1.txt', { sender: 'Ada' })
  receive(hash, '/inbox/Ada/deeper/2.txt', { sender: 'Ada' })
  receive(hash, '/inbox/Ada/3.txt', { sender: 'Ada', visit: 'two' })
  receive(hash, '/inbox/Bea/4.txt', { sender: 'Bea' })
  clock.advance({ minutes: 1 })
  await due()
  const { items } = await noticesOf()
  t.strictSame(items.map(({ sender, count, path }) => `${sender} ${count} ${path}`).sort(), [
    'Ada 1 /inbox/Ada',
    'Ada 2 /inbox/Ada',
    'Bea 1 /inbox/Bea',
  ])
})

t.test('a server that stops sends the notices about received files that still wait', async (t) => {
  const { share, receive, close, base, clock } = await begin(t)
  const hash = await share('/inbox', { rights: 'upload' })
  receive(hash, '/inbox/1.txt')
  receive(hash, '/inbox/2.txt')
  await close()
  const again = await start(t, { people, base })
  again.clock.advance({ seconds: (clock.now() - again.clock.now()) / 1000 })
  const ann = await again.as('ann')
  t.match((await ann('GET', '/api/notices')).json(), { unread: 1, items: [{ kind: 'received', count: 2 }] })
})

t.test('received files survive a killed server', async (t) => {
  const { share, receive, services, clock, due, noticesOf } = await begin(t)
  const hash = await share('/inbox', { rights: 'upload' })
  receive(hash, '/inbox/1.txt')
  const stored = await services.database.read<{ data: string }>('SELECT data FROM notice_batches')
  t.match(JSON.parse(stored[0]?.data ?? '{}'), { count: 1, share: { hash, password: '' } })
  clock.advance({ seconds: 20 })
  receive(hash, '/inbox/2.txt')
  const { count } = JSON.parse(
    (await services.database.read<{ data: string }>('SELECT data FROM notice_batches'))[0]?.data ?? '{}',
  )
  t.equal(count, 2, 'what a second start continues with')
  clock.advance({ minutes: 1 })
  await due()
  t.match(await noticesOf(), { items: [{ count: 2 }] })
  t.strictSame(await services.database.read('SELECT * FROM notice_batches'), [], 'and there is one notice')
})

t.test('a limit makes one notice, and another one after it was raised', async (t) => {
  const { share, ann, reachLimit, due, noticesOf } = await begin(t)
  const hash = await share('/b.txt', { maxDownloads: 2 })
  for (let n = 0; n < 3; n++) reachLimit(hash)
  await due()
  t.match(await noticesOf(), { unread: 1, items: [{ kind: 'limit', limit: 'downloads', title: 'b.txt' }] })
  await ann('PATCH', `/api/share/${hash}`, { payload: { maxDownloads: 3 } })
  reachLimit(hash)
  await due()
  t.equal((await noticesOf()).unread, 2)
})

t.test('the owner gets one notice for each end of a share, a day before', async (t) => {
  const { share, as, due, noticesOf, clock } = await begin(t)
  const hash = await share('/b.txt', { expires: 20, unit: 'days' })
  await share('/inbox', { expires: 10, unit: 'hours' })
  await due()
  clock.advance({ hours: 8, minutes: 59 })
  await due()
  t.equal((await noticesOf()).unread, 0)
  clock.advance({ minutes: 6 })
  await due()
  t.match((await noticesOf()).items, [{ kind: 'ending', title: 'inbox' }], 'a tenth of a shorter life')
  clock.advance({ days: 18, hours: 14, minutes: 50 })
  await due()
  t.equal((await noticesOf()).unread, 1)
  clock.advance({ minutes: 10 })
  await due()
  clock.advance({ minutes: 10 })
  await due()
  const { items } = await noticesOf()
  t.match(items, [{ kind: 'ending', title: 'b.txt', ends: /^\d{4}-.*Z$/, share: hash }, { title: 'inbox' }])
  t.equal(items.length, 2)
  await (await as('ann'))('PATCH', `/api/share/${hash}`, { payload: { expires: 20, unit: 'days' } })
  clock.advance({ days: 19, minutes: 10 })
  await due()
  t.equal((await noticesOf()).unread, 3, 'again for another end')
})

t.test('an empty list of channels is silence', async (t) => {
  const { share, visit, receive, due, noticesOf, notify, clock } = await begin(t)
  const hash = await share('/inbox', { rights: 'upload' })
  await notify(hash, [])
  visit(hash)
  receive(hash, '/inbox/1.txt')
  clock.advance({ minutes: 1 })
  await due()
  t.strictSame(await noticesOf(), { items: [], unread: 0 })
})

t.test('notices are read and deleted only by the user whom they tell something', async (t) => {
  const { share, visit, due, noticesOf, ann, bob } = await begin(t)
  for (const path of ['/inbox', '/b.txt']) visit(await share(path))
  visit(await share('/c.txt', {}, bob))
  await due()
  const { items } = await noticesOf()
  const [last, first] = items
  t.strictSame([first?.title, last?.title], ['inbox', 'b.txt'])
  const read = (call: typeof ann, upTo: number) => call('POST', '/api/notices/read', { payload: { upTo } })
  await read(ann, first?.id ?? 0)
  t.match(await noticesOf(), { unread: 1, items: [{ isRead: false }, { isRead: true }] })
  await read(bob, Number.MAX_SAFE_INTEGER)
  t.equal((await noticesOf()).unread, 1)
  await bob('DELETE', '/api/notices')
  t.equal((await noticesOf()).items.length, 2)
  t.equal((await noticesOf('bob')).items.length, 0)
  for (const upTo of [-1, 1.5, '1', 2 ** 60, null])
    t.equal((await ann('POST', '/api/notices/read', { payload: { upTo } })).statusCode, 400, String(upTo))
})

t.test('notices are sent in pages, and the newest 500 of 90 days are kept', async (t) => {
  const { services, noticesOf, clock } = await begin(t)
  const tell = (n: number) =>
    services.notices.tell(
      {
        ...{ user: 2, time: clock.now(), kind: 'visit', link: 'x', title: `${n}`, path: '/' },
        ...{ count: 0, bytes: 0, names: [], sender: '', detail: '' },
      },
      ['page'],
    )
  for (let n = 1; n <= maxNotices + 5; n++) await tell(n)
  const first = await noticesOf(undefined, '?limit=100')
  t.equal(first.unread, maxNotices)
  t.equal(first.items[0]?.title, '505')
  const seen = [...first.items]
  for (let next = first.next; next; ) {
    const page = await noticesOf(undefined, `?limit=100&before=${next}`)
    seen.push(...page.items)
    next = page.next
  }
  t.strictSame([seen.length, seen.at(-1)?.title], [maxNotices, '6'])
  clock.advance({ days: 89 })
  await tell(506)
  clock.advance({ days: 2 })
  t.strictSame(
    (await noticesOf()).items.map(({ title }) => title),
    ['506'],
  )
  t.equal((await noticesOf()).unread, 1)
})

t.test('the pages of a user learn at once how many notices are unread', async (t) => {
  const running = await begin(t)
  const { app, login, share, visit, due, ann } = running
  const port = await listen(app)
  const [anns, bobs] = [
    await receiveEvents(t, port, await login('ann')),
    await receiveEvents(t, port, await login('bob')),
  ]
  visit(await share('/b.txt'))
  await due()
  const unread = (n: number) =>
    anns.until(({ event, data }) => event === 'notice' && (data as { unread?: number }).unread === n)
  t.ok(await unread(1))
  await ann('DELETE', '/api/notices')
  t.ok(await unread(0))
  t.notOk(bobs.events.some(({ event }) => event === 'notice'))
})

t.test('the notices of a user are deleted with the account', async (t) => {
  const { services, share, visit, due, ann } = await begin(t)
  const hash = await share('/b.txt')
  visit(hash)
  await due()
  await ann('PUT', '/api/webhook', { payload: { url: 'https://hooks.example/', enabled: true } })
  await services.users.remove(undefined, 2)
  const tables = ['notices', 'webhooks', 'deliveries', 'mail_addresses']
  for (const table of tables) t.strictSame(await services.database.read(`SELECT * FROM ${table}`), [], table)
  visit(hash)
})

t.test('a thousand events at once are one notice for each share, and the server still answers', async (t) => {
  const { share, visit, receive, reachLimit, due, noticesOf, clock } = await begin(t)
  const hash = await share('/inbox', { rights: 'upload' })
  for (let n = 0; n < 1000; n++) {
    visit(hash)
    reachLimit(hash)
    receive(hash, `/inbox/${n}.txt`)
  }
  await due()
  t.equal((await noticesOf()).unread, 2)
  clock.advance({ minutes: 1 })
  await due()
  t.match(await noticesOf(), { unread: 3, items: [{ kind: 'received', count: 1000 }] })
  for (let n = 0; n < 1200; n++) receive(hash, `/inbox/${n}.txt`, { visit: `${n}` })
  await due()
  t.equal((await noticesOf()).unread, 203, 'of more than a thousand visits, the oldest make notices at once')
})

t.test('names and titles with control characters stay in one line', async (t) => {
  const { share, receive, due, noticesOf, clock } = await begin(t)
  const hash = await share('/inbox', { rights: 'upload', title: 'a\r\nBcc: x@example.com' })
  receive(hash, '/inbox/b\r\n.txt', { sender: 'Eve\nX: y' })
  clock.advance({ minutes: 1 })
  await due()
  t.match((await noticesOf()).items, [
    { title: 'a Bcc: x@example.com', sender: 'Eve X: y', names: ['b .txt'] },
  ])
})
