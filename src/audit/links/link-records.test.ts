import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { AuditRecord } from '#contract/history/audit.ts'
import type { ShareDay, ShareLog } from '#contract/history/share-use.ts'
import type { ShareView } from '#contract/shares.ts'
import { allPermissions } from '#src/state/defaults.ts'
import { start } from '#src/testing/start.ts'
import { appendStatements } from '../records.ts'

const perm = { ...allPermissions, admin: false }
const tree = { alice: { docs: { 'a.txt': 'hello', 'b.txt': 'b', in: {} }, 'one.txt': 'one' } }

async function world(t: Test) {
  const people = { alice: { scope: '/alice', perm }, carol: { scope: '/alice', perm }, bob: { perm } }
  const made = await start(t, { tree, people })
  const [admin, alice] = [await made.as('admin'), await made.as('alice')]
  const share = async (path: string, payload: object = {}): Promise<string> =>
    (await alice('POST', `/api/share${path}`, { payload })).json<ShareView>().hash
  const visit = (hash: string, rest = '', remoteAddress = '192.0.2.1') =>
    made.call('GET', `/api/public/share/${hash}${rest}`, { remoteAddress })
  const get = (hash: string, rest = '', { range = '', remoteAddress = '192.0.2.1' } = {}) =>
    made.call('GET', `/api/public/dl/${hash}${rest}`, { remoteAddress, headers: range ? { range } : {} })
  const send = (hash: string, path: string) =>
    made.call('POST', `/api/public/resources/${hash}${path}`, { payload: 'sent', remoteAddress: '192.0.2.9' })
  const records = async (query = '') => {
    // What happens at a link is recorded in the background.
    await made.services.recorded()
    return (await admin('GET', `/api/audit?${query}`)).json<{ records: AuditRecord[] }>().records
  }
  const log = async (hash: string, query = '') => {
    await made.services.recorded()
    return (await alice('GET', `/api/shares/${hash}/log${query}`)).json<ShareLog>()
  }
  const activity = async (user: string, path: string) => {
    await made.services.recorded()
    const call = await made.as(user)
    const { records } = (await call('GET', `/api/activity${path}`)).json<{ records: AuditRecord[] }>()
    return records.map(({ kind }) => kind)
  }
  const record = (downloads: string) => admin('PUT', '/api/settings', { payload: { audit: { downloads } } })
  return { ...made, admin, alice, share, visit, get, send, records, log, activity, record }
}

t.test('visits, downloads and received files of links are in the audit log', async (t) => {
  const { share, visit, get, send, records } = await world(t)
  const hash = await share('/docs', { rights: 'upload-view', askName: true })
  await visit(hash)
  await get(hash, '/a.txt')
  await send(hash, '/Ada/new.txt')
  t.match(await records(`path=${encodeURIComponent('/alice/docs')}`), [
    {
      kind: 'receive',
      outcome: 'done',
      user: '',
      address: '192.0.2.9',
      paths: [{ path: '/alice/docs/Ada/new.txt' }],
      detail: `4 bytes, link ${hash} of alice, from Ada`,
    },
    { kind: 'open', address: '192.0.2.9' },
    {
      kind: 'download',
      outcome: 'done',
      address: '192.0.2.1',
      paths: [{ path: '/alice/docs/a.txt' }],
      detail: `5 bytes, link ${hash} of alice`,
    },
    { kind: 'open', outcome: 'done', address: '192.0.2.1', paths: [{ path: '/alice/docs' }] },
    { kind: 'share' },
  ])
})

t.test('the owner of a link reads what has happened at it, in pages, the newest first', async (t) => {
  const { share, visit, get, send, log, as, alice, call } = await world(t)
  const hash = await share('/docs', { rights: 'upload-view', askName: true, slug: 'my-docs' })
  await visit(hash)
  for (const range of ['bytes=0-1', 'bytes=2-4']) await get(hash, '/a.txt', { range })
  await send(hash, '/Ada/new.txt')
  const { entries, next } = await log(hash)
  t.equal(next, undefined)
  t.match(entries, [
    { kind: 'received', address: '192.0.2.9', path: '/Ada/new.txt', bytes: 4, isWhole: true, sender: 'Ada' },
    { kind: 'visit', address: '192.0.2.9' },
    { kind: 'download', address: '192.0.2.1', path: '/a.txt', bytes: 5, isWhole: true, count: 1 },
    { kind: 'visit', address: '192.0.2.1', path: '/', bytes: 0 },
  ])
  const first = await log(hash, '?limit=3')
  t.strictSame([...first.entries, ...(await log(hash, `?before=${first.next}`)).entries], entries)
  t.strictSame((await log('my-docs')).entries, entries)
  for (const path of [`/api/shares/${hash}/log`, `/api/shares/${hash}/days`]) {
    t.equal((await (await as('admin'))('GET', path)).statusCode, 200)
    t.equal((await (await as('carol'))('GET', path)).statusCode, 403)
    t.equal((await call('GET', path)).statusCode, 401)
    t.equal((await alice('GET', path.replace(hash, 'unknown'))).statusCode, 404)
  }
})

t.test('the statistic of a link has the last 90 days', async (t) => {
  const { share, visit, get, send, as, clock } = await world(t)
  const hash = await share('/docs', { rights: 'upload-view' })
  await visit(hash)
  clock.advance({ days: 3 })
  await get(hash, '/a.txt')
  await send(hash, '/x.txt')
  const days = (await (await as('alice'))('GET', `/api/shares/${hash}/days`)).json<ShareDay[]>()
  t.equal(days.length, 90)
  const today = new Date(clock.now()).toISOString().slice(0, 10)
  t.strictSame(days.at(-1), { day: today, visits: 2, downloads: 1, files: 1, bytes: 4 })
  t.strictSame(days.map(({ visits }) => visits).slice(-5), [0, 1, 0, 0, 2])
  clock.advance({ days: 88 })
  const later = (await (await as('alice'))('GET', `/api/shares/${hash}/days`)).json<ShareDay[]>()
  t.strictSame(later.map(({ visits }) => visits).slice(0, 3), [0, 2, 0])
})

t.test('a link to one file, and an archive of a folder, say what was downloaded', async (t) => {
  const { share, get, log } = await world(t)
  const [file, folder] = [await share('/one.txt'), await share('/docs')]
  await get(file)
  await get(folder, '/?algo=zip')
  await get(folder, '/?algo=tar&files=b.txt')
  const downloads = async (hash: string) =>
    (await log(hash)).entries.filter(({ kind }) => kind === 'download')
  t.match(await downloads(file), [{ path: '/', bytes: 3, isWhole: true }])
  t.match(await downloads(folder), [
    { path: '/b.txt', isWhole: true },
    { path: '/', isWhole: true },
  ])
})

t.test('a part of a file that is never followed by the rest is recorded as broken off', async (t) => {
  const { share, get, log, clock, services } = await world(t)
  const hash = await share('/docs')
  await get(hash, '/a.txt', { range: 'bytes=0-1' })
  t.notOk((await log(hash)).entries.some(({ kind }) => kind === 'download'))
  clock.advance({ minutes: 6 })
  services.settleDownloads()
  t.match((await log(hash)).entries[0], { kind: 'download', path: '/a.txt', bytes: 2, isWhole: false })
})

t.test('a visitor who asks a thousand times cannot fill the log', async (t) => {
  const { root, share, get, log, clock, services } = await world(t)
  const names = Array.from({ length: 300 }, (_, n) => `${n}.txt`)
  for (const name of names) writeFileSync(join(root, 'alice/docs', name), 'text')
  const hash = await share('/docs')
  for (let n = 0; n < 1000; n++) await get(hash, `/${names[n % names.length]}`)
  t.equal((await log(hash, '?limit=500')).entries.length, 101, 'a visit and 100 downloads')
  clock.advance({ minutes: 2 })
  await services.audit.close()
  const { entries } = await log(hash)
  t.match(entries[0], { kind: 'download', count: 200, bytes: 800 }, 'one record for all others')
})

t.test('the activity of a file has what happened at a link, for the owner of the link only', async (t) => {
  const { share, visit, get, send, activity } = await world(t)
  const hash = await share('/docs', { rights: 'upload-view' })
  await visit(hash)
  await get(hash, '/a.txt')
  await send(hash, '/new.txt')
  t.strictSame(await activity('alice', '/docs'), ['receive', 'open', 'download', 'open', 'share'])
  t.strictSame(await activity('alice', '/docs/a.txt'), ['download'])
  t.strictSame(await activity('carol', '/docs'), ['receive', 'share'])
  t.strictSame(await activity('admin', '/alice/docs/a.txt'), ['download'])
})

t.test('downloads of users are recorded if the settings say so', async (t) => {
  const { alice, share, get, records, activity, record } = await world(t)
  const path = '/api/raw/docs/a.txt'
  await alice('GET', path)
  t.strictSame(await records('kind=download'), [])
  t.equal((await record('all')).statusCode, 200)
  for (const range of ['bytes=0-1', 'bytes=2-4']) await alice('GET', path, { headers: { range } })
  await alice('HEAD', path)
  await alice('GET', '/api/raw/docs?algo=zip')
  t.match(await records('kind=download'), [
    { user: 'alice', outcome: 'done', paths: [{ path: '/alice/docs' }] },
    { user: 'alice', outcome: 'done', paths: [{ path: '/alice/docs/a.txt' }], detail: '5 bytes' },
  ])
  t.strictSame(await activity('alice', '/docs/a.txt'), ['download'])
  t.strictSame(await activity('carol', '/docs/a.txt'), [])
  t.equal((await record('none')).statusCode, 200)
  await get(await share('/docs'), '/b.txt')
  t.equal((await records('kind=download')).length, 2)
  t.equal((await records('kind=open')).length, 0)
  t.equal((await record('some')).statusCode, 400)
})

t.test('records of links verify, and leave with the other old records', async (t) => {
  const { share, visit, get, log, clock, services } = await world(t)
  const hash = await share('/docs')
  await visit(hash)
  await get(hash, '/a.txt')
  t.equal((await log(hash)).entries.length, 2)
  const who = { userId: null, userName: '', session: null, address: '' }
  t.match(await services.audit.verify(undefined, who), { fault: undefined })
  clock.advance({ days: 366 })
  await services.audit.removeOld()
  t.strictSame(await services.linkLog(hash, { limit: 10 }), [])
  t.strictSame(await services.database.read('SELECT * FROM audit_links'), [])
})

t.test('a recorded download takes about as many bytes as the settings say', async (t) => {
  const texts = readFileSync('web/shared/settings/kept-texts.ts', 'utf8')
  const printed = Number(/about (\d+) bytes/.exec(texts)?.[1])
  const { services } = await world(t)
  const { database } = services
  const sizeSql = `SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
  const size = async () => (await database.read<{ bytes: number }>(sizeSql))[0]?.bytes ?? 0
  const before = await size()
  const records = 3000
  const entry = (n: number) => ({
    ...({ kind: 'download', outcome: 'done', bytes: 2_400_000 + n } as const),
    who: { userId: null, userName: '', session: null, address: `203.0.113.${n % 250}` },
    paths: [{ path: `/home/alice/Projects/2026/photo-${n % 400}.jpg` }],
    link: {
      ...{ hash: `q1Zy4v1JxjSB0T4Zk2cJ${n % 50}`, owner: { id: 2, name: 'alice' } },
      path: `/2026/photo-${n % 400}.jpg`,
    },
  })
  const statements = Array.from({ length: records }, (_, n) => appendStatements(entry(n), n)).flat()
  await database.write(statements)
  const measured = ((await size()) - before) / records
  t.ok(Math.abs(measured - printed) < 0.25 * printed, `${measured} bytes`)
})
