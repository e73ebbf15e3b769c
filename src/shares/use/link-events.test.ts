import t, { type Test } from 'tap'
import type { ShareView } from '#contract/shares.ts'
import { allPermissions } from '#src/state/defaults.ts'
import { start } from '#src/testing/start.ts'
import type { LinkEvent } from './link-events.ts'

const perm = { ...allPermissions, admin: false }

async function world(t: Test) {
  const tree = { alice: { docs: { 'a.txt': 'hello', 'b.txt': 'b' } } }
  const made = await start(t, { tree, people: { alice: { scope: '/alice', perm } } })
  const events: LinkEvent[] = []
  made.services.linkEvents.on((event) => events.push(event))
  const alice = await made.as('alice')
  const share = async (payload: object = {}): Promise<string> =>
    (await alice('POST', '/api/share/docs', { payload })).json<ShareView>().hash
  const from = (n: number) => ({ remoteAddress: `192.0.2.${n}` })
  const visit = (hash: string, n = 1) => made.call('GET', `/api/public/share/${hash}`, from(n))
  const get = (hash: string, path: string, n = 1) =>
    made.call('GET', `/api/public/dl/${hash}${path}`, from(n))
  const send = (hash: string, path: string, payload = 'sent') =>
    made.call('POST', `/api/public/resources/${hash}${path}`, { payload, ...from(1) })
  const limits = () => events.flatMap((event) => (event.kind === 'limit' ? [event.limit] : []))
  return { ...made, alice, events, share, visit, get, send, limits }
}

t.test('exactly one of a hundred visitors at once is the first', async (t) => {
  const { share, visit, events } = await world(t)
  const hash = await share({ maxVisitors: 1000 })
  await Promise.all(Array.from({ length: 100 }, (_, n) => visit(hash, n + 1)))
  const visits = events.flatMap((event) => (event.kind === 'visit' ? [event] : []))
  t.equal(visits.length, 100)
  t.equal(visits.filter(({ isFirst }) => isFirst).length, 1)
  t.equal(new Set(visits.map(({ address }) => address)).size, 100)
})

t.test('visits, downloads and received files are events, with paths in the scope of the owner', async (t) => {
  const { share, visit, get, send, events } = await world(t)
  const hash = await share({ rights: 'upload-view', askName: true })
  await visit(hash)
  await get(hash, '/a.txt')
  await send(hash, '/Ada/new.txt')
  t.match(events, [
    { kind: 'visit', isFirst: true, address: '192.0.2.1', share: { hash } },
    { kind: 'download', path: '/docs/a.txt', bytes: 5, isWhole: true },
    { kind: 'received', path: '/docs/Ada/new.txt', size: 4, sender: 'Ada', visit: /.{20}/ },
  ])
})

t.test('what visitors only look at is not a download', async (t) => {
  const { share, visit, get, call, events } = await world(t)
  const hash = await share({ rights: 'view' })
  await visit(hash)
  await get(hash, '/a.txt')
  await call('GET', `/api/public/dl/${hash}/a.txt?inline=true`, { remoteAddress: '192.0.2.1' })
  t.strictSame(
    events.map(({ kind }) => kind),
    ['visit'],
  )
})

t.test('a limit is one event when it is reached, not one for each refused visitor', async (t) => {
  const { share, get, visit, send, alice, limits } = await world(t)
  const hash = await share({ maxDownloads: 1, maxVisitors: 2 })
  await get(hash, '/a.txt')
  t.strictSame(limits(), ['downloads'])
  for (let n = 1; n < 5; n++) await get(hash, '/b.txt', n)
  t.strictSame(limits(), ['downloads'])
  await alice('PATCH', `/api/share/${hash}`, { payload: { maxDownloads: 2 } })
  await get(hash, '/b.txt')
  t.strictSame(limits(), ['downloads', 'downloads'], 'a raised limit is reached again')
  await alice('PATCH', `/api/share/${hash}`, { payload: { maxDownloads: null } })
  for (let n = 1; n < 5; n++) await visit(hash, n)
  t.strictSame(limits().slice(2), ['visitors'])
  const inbox = await share({ rights: 'upload', maxFiles: 2, maxBytes: 10 })
  t.equal((await send(inbox, '/large', 'more than ten bytes')).statusCode, 410)
  t.equal((await send(inbox, '/large', 'more than ten bytes')).statusCode, 410)
  t.strictSame(limits().slice(3), ['bytes'])
  for (const name of ['/1', '/2', '/3']) await send(inbox, name)
  t.strictSame(limits().slice(4), ['files'])
})

t.test(
  'the use of a share is forgotten however the share ends, and a failure of that fails nothing',
  async (t) => {
    const { share, visit, alice, as, services } = await world(t)
    const rows = () => services.database.read('SELECT link FROM link_use')
    const admin = await as('admin')
    const ends: [what: string, end: (hash: string) => Promise<{ statusCode: number }>][] = [
      ['deleted', (hash) => alice('DELETE', `/api/share/${hash}`)],
      ['with its file', () => alice('DELETE', '/api/resources/docs?permanent=true')],
      ['with its owner', () => admin('DELETE', '/api/users/2', { payload: {} })],
    ]
    for (const [what, end] of ends) {
      await alice('POST', '/api/resources/docs/')
      const hash = await share()
      await visit(hash)
      t.strictSame(await rows(), [{ link: hash }], what)
      t.equal((await end(hash)).statusCode, 200, what)
      t.strictSame(await rows(), [], what)
    }
  },
)

t.test('a share is deleted also while the database of its use fails', async (t) => {
  const { share, visit, alice, services } = await world(t)
  const hash = await share()
  await visit(hash)
  const failing = t.intercept(services.database, 'writeLater', {
    value: async () => Promise.reject(new Error('broken')),
  })
  t.equal((await alice('DELETE', `/api/share/${hash}`)).statusCode, 200)
  failing.restore()
  t.equal((await visit(hash)).statusCode, 404)
})
