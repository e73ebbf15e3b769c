import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ShareView } from '#contract/shares.ts'
import { allPermissions, noPermissions } from '#src/state/defaults.ts'
import { asPng, plain } from '#src/testing/pictures.ts'
import { type Person, start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'

const tree = {
  alice: {
    inbox: { 'old.txt': 'CANARY', sub: { 'in.txt': 'CANARY' } },
    'note.txt': 'note',
    'other.txt': 'CANARY',
  },
}
const perm = { ...allPermissions, admin: false }

async function world(t: Test, person: Person = {}) {
  const made = await start(t, { tree, people: { alice: { scope: '/alice', perm, ...person }, bob: {} } })
  const home = join(made.root, 'alice')
  const alice = await made.as('alice')
  const share = async (path: string, payload: object = {}): Promise<ShareView> => {
    const reply = await alice('POST', `/api/share${path}`, { payload })
    t.equal(reply.statusCode, 200, reply.body)
    return reply.json()
  }
  const visit = (hash: string, rest = '', headers = {}, remoteAddress = '192.0.2.1') =>
    made.call('GET', `/api/public/share/${hash}${rest}`, { headers, remoteAddress })
  const fetchFile = (hash: string, rest = '', headers = {}, remoteAddress = '192.0.2.1') =>
    made.call('GET', `/api/public/dl/${hash}${rest}`, { headers, remoteAddress })
  const send = (hash: string, path: string, payload: string | Buffer = 'sent', headers = {}) =>
    made.call('POST', `/api/public/resources/${hash}${path}`, {
      payload,
      headers,
      remoteAddress: '192.0.2.1',
    })
  const used = async (hash: string) =>
    (await alice('GET', '/api/shares')).json<ShareView[]>().find((one) => one.hash === hash)?.used
  const read = (path: string) => readFileSync(join(home, path), 'utf8')
  const has = (path: string) => existsSync(join(home, path))
  return { ...made, home, alice, share, visit, fetchFile, send, used, read, has }
}

t.test(
  'a link that only receives files shows its title and the files of this visit, and nothing else',
  async (t) => {
    const { share, visit, fetchFile, send, call, read, used } = await world(t)
    const { hash } = await share('/inbox', { rights: 'upload', title: 'Send me your photos' })
    const first = await visit(hash)
    t.match(first.json(), { name: 'Send me your photos', items: [], share: { rights: 'upload' } })
    t.notMatch(first.body, /old|sub|inbox|alice/)
    const ticket = { 'x-visit': String(first.headers['x-visit']) }
    const sent = await send(hash, '/new.txt', 'hello', ticket)
    t.strictSame(sent.json(), {
      path: '/new.txt',
      size: 5,
      sha256: createHash('sha256').update('hello').digest('hex'),
    })
    t.equal(read('inbox/new.txt'), 'hello')
    const names = async (headers = {}) =>
      (await visit(hash, '', headers)).json().items.map((item: { name: string }) => item.name)
    t.strictSame(await names(ticket), ['new.txt'])
    for (const headers of [{}, { 'x-visit': 'x.y' }, { 'x-visit': `${ticket['x-visit']}x` }])
      t.strictSame(await names(headers), [], 'another visit')
    t.match(await used(hash), { files: 1, bytes: 5, visits: 1, downloads: 0 })
    for (const rest of ['', '/', '/old.txt', '/new.txt', '/sub/in.txt', '?files=old.txt', '/?algo=zip'])
      t.match(await fetchFile(hash, rest, ticket), { statusCode: 403, body: /^(?!.*CANARY)/ }, rest)
    for (const rest of ['/sub', '/old.txt', '/../note.txt', '/%2e%2e/note.txt'])
      t.notMatch((await visit(hash, rest)).body, /CANARY|in\.txt|note/, rest)
    for (const url of [
      `preview/thumb/${hash}/a.png`,
      `preview/big/${hash}/old.txt`,
      `subtitle/${hash}/old.srt`,
    ])
      t.ok([403, 404].includes((await call('GET', `/api/public/${url}`)).statusCode), url)
    for (const [method, rest] of [
      ['DELETE', '/old.txt'],
      ['PUT', '/old.txt'],
      ['PATCH', '/old.txt?destination=/x.txt'],
    ] as const)
      t.equal((await call(method, `/api/public/resources/${hash}${rest}`, { payload: 'x' })).statusCode, 403)
    t.equal(read('inbox/old.txt'), 'CANARY')
  },
)

t.test('what visitors send never replaces anything: a taken name gets a number', async (t) => {
  const { share, send, read, has } = await world(t)
  for (const rights of ['upload', 'upload-view', 'edit'] as const) {
    const { hash } = await share('/inbox', { rights, title: rights })
    const paths = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const reply = await send(hash, '/old.txt', `${rights} ${n}`)
        t.equal(reply.statusCode, 200, reply.body)
        return reply.json().path
      }),
    )
    t.equal(new Set(paths).size, 8, paths.join())
    t.notOk(paths.includes('/old.txt'))
    for (const path of paths) t.match(read(`inbox${path}`), rights)
  }
  t.equal(read('inbox/old.txt'), 'CANARY')
  const { hash } = await share('/inbox', { rights: 'upload' })
  t.equal((await send(hash, '/a/b/c.txt', 'deep')).json().path, '/a/b/c.txt')
  t.equal(read('inbox/a/b/c.txt'), 'deep')
  for (const path of [
    '/../out.txt',
    '/%2e%2e/out.txt',
    '/..%2fout.txt',
    '/sub/../../out.txt',
    '/..%5cout.txt',
  ]) {
    await send(hash, path)
    t.notOk(has('out.txt'), path)
  }
})

t.test('a link for viewing shows names, texts and smaller pictures, and gives no bytes', async (t) => {
  const { share, visit, fetchFile, send, call, home } = await world(t)
  writeFileSync(join(home, 'inbox/a.png'), asPng(plain(40, 30, [200, 30, 30])))
  const { hash } = await share('/inbox', { rights: 'view' })
  t.match((await visit(hash)).json(), { items: [{ name: 'sub' }, { name: 'a.png' }, { name: 'old.txt' }] })
  t.match((await visit(hash, '/old.txt')).json(), { content: 'CANARY', share: { rights: 'view' } })
  t.equal((await call('GET', `/api/public/preview/big/${hash}/a.png`)).statusCode, 200)
  for (const rest of ['/a.png', '/old.txt?inline=true', '/', '?files=a.png', '/sub/?algo=tar'])
    t.equal((await fetchFile(hash, rest)).statusCode, 403, rest)
  t.equal((await send(hash, '/x.txt')).statusCode, 403)
})

t.test('a link for editing saves, renames and deletes inside the shared folder only', async (t) => {
  const { share, call, send, read, has, alice, as } = await world(t)
  const admin = await as('admin')
  const { hash } = await share('/inbox', { rights: 'edit' })
  const at = (method: 'PUT' | 'PATCH' | 'DELETE', rest: string, payload?: string) =>
    call(method, `/api/public/resources/${hash}${rest}`, payload === undefined ? {} : { payload })
  t.equal((await at('PUT', '/old.txt', 'edited')).statusCode, 200)
  t.equal(read('inbox/old.txt'), 'edited')
  t.equal((await at('PATCH', '/old.txt?destination=%2Fsub%2Fmoved.txt')).statusCode, 200)
  t.equal(read('inbox/sub/moved.txt'), 'edited')
  t.equal((await at('PATCH', '/sub/moved.txt?destination=%2Fsub%2Fin.txt')).statusCode, 409)
  t.equal((await at('PATCH', '/sub/moved.txt?destination=%2F..%2F..%2Fnote.txt')).statusCode, 200)
  t.equal(read('inbox/note.txt'), 'edited', 'the shared folder is the root')
  t.equal(read('note.txt'), 'note')
  t.ok(has('inbox'))
  t.equal((await at('DELETE', '/')).statusCode, 403)
  t.equal((await at('DELETE', '/note.txt')).statusCode, 200)
  t.notOk(has('inbox/note.txt'))
  const trash = (await alice('GET', '/api/trash')).json()
  t.match(trash, { items: [{ path: '/inbox/note.txt' }] }, 'the owner finds it in the trash')
  const log = (await admin('GET', '/api/audit?kind=delete')).json()
  t.match(log, {
    records: [{ detail: 'by a visitor of a share of alice', paths: [{ path: '/alice/inbox/note.txt' }] }],
  })
  t.equal((await send(hash, '/folder/', '')).statusCode, 200)
  t.ok(has('inbox/folder'))
  const one = await share('/note.txt', { rights: 'edit' })
  t.equal((await call('PUT', `/api/public/resources/${one.hash}`, { payload: 'changed' })).statusCode, 200)
  t.equal(read('note.txt'), 'changed')
})

t.test('a link never allows more than its owner may do at that moment', async (t) => {
  const { share, send, call, document, alice, read, has } = await world(t)
  const edit = await share('/inbox', { rights: 'edit' })
  const upload = await share('/inbox', { rights: 'upload' })
  const become = (rights: object) =>
    document.update(({ users }) => {
      for (const user of Object.values(users))
        if (user.username === 'alice') user.perm = { ...noPermissions, ...rights }
    })
  await become({ share: true, download: true, create: true })
  for (const [method, rest] of [
    ['DELETE', '/old.txt'],
    ['PUT', '/old.txt'],
    ['PATCH', '/old.txt?destination=/x.txt'],
  ] as const)
    t.equal(
      (await call(method, `/api/public/resources/${edit.hash}${rest}`, { payload: 'x' })).statusCode,
      403,
    )
  t.equal(read('inbox/old.txt'), 'CANARY')
  t.equal((await send(edit.hash, '/still.txt')).statusCode, 200)
  t.equal((await alice('POST', '/api/share/note.txt', { payload: { rights: 'edit' } })).statusCode, 403)
  await become({ share: true, download: true })
  t.equal((await send(upload.hash, '/no.txt')).statusCode, 403)
  t.equal((await send(edit.hash, '/no.txt')).statusCode, 403)
  t.notOk(has('inbox/no.txt'))
  await become({ create: true, download: true })
  t.equal((await send(upload.hash, '/no.txt')).statusCode, 403, 'the owner may no longer share')
})

t.test('a limit of one download gives one download to a hundred visitors that ask at once', async (t) => {
  const { share, fetchFile, visit, used } = await world(t)
  const { hash } = await share('/note.txt', { maxDownloads: 1 })
  t.notMatch((await visit(hash)).body, /"content"/, 'its text would be a download that nobody counts')
  const from = (n: number) => `198.51.100.${n}`
  const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => fetchFile(hash, '', {}, from(n))))
  const statuses = replies.map(({ statusCode }) => statusCode)
  t.equal(statuses.filter((status) => status === 200).length, 1)
  t.equal(statuses.filter((status) => [410, 503].includes(status)).length, 99)
  t.match(await used(hash), { downloads: 1 })
  const lucky = statuses.indexOf(200)
  const other = from(lucky === 0 ? 1 : 0)
  const range = (bytes: string) => ({ range: `bytes=${bytes}` })
  t.equal((await fetchFile(hash, '', range('0-1'), from(lucky))).statusCode, 206, 'a range belongs to it')
  t.equal((await fetchFile(hash, '', {}, from(lucky))).statusCode, 200, 'and a repetition')
  for (const [rest, headers] of [
    ['?inline=true', {}],
    ['', range('0-')],
    ['', range('1-')],
  ] as const)
    t.equal((await fetchFile(hash, rest, headers, other)).statusCode, 410)
  t.equal((await visit(hash, '', {}, other)).statusCode, 410)
})

t.test('limits of what is received hold at their edge', async (t) => {
  const { share, send, visit, used } = await world(t)
  const files = await share('/inbox', { rights: 'upload', maxFiles: 3 })
  const many = await Promise.all(Array.from({ length: 20 }, (_, n) => send(files.hash, `/f${n}`)))
  t.equal(many.filter(({ statusCode }) => statusCode === 200).length, 3)
  t.equal(many.filter(({ statusCode }) => [410, 503].includes(statusCode)).length, 17)
  t.match((await visit(files.hash)).json(), { share: { filesLeft: 0 } })
  const bytes = await share('/inbox', { rights: 'upload', maxBytes: 10, maxFileSize: 6 })
  t.match((await visit(bytes.hash)).json(), { share: { maxFileSize: 6 } })
  t.equal((await send(bytes.hash, '/large', '1234567')).statusCode, 413)
  t.equal((await send(bytes.hash, '/six', '123456')).statusCode, 200)
  t.equal((await send(bytes.hash, '/five', '12345')).statusCode, 410)
  t.match((await visit(bytes.hash)).json(), { share: { maxFileSize: 4 } })
  t.equal((await send(bytes.hash, '/four', '1234')).statusCode, 200)
  t.equal((await send(bytes.hash, '/empty', '')).statusCode, 410)
  t.match(await used(bytes.hash), { files: 2, bytes: 10 })
  const types = await share('/inbox', { rights: 'upload', types: ['.PDF', 'image/*'] })
  for (const [name, status] of [
    ['/a.pdf', 200],
    ['/b.PDF', 200],
    ['/c.jpeg', 200],
    ['/d.pdf.exe', 415],
    ['/e', 415],
    ['/pdf', 415],
  ] as const)
    t.equal((await send(types.hash, name)).statusCode, status, name)
})

t.test('a link with a start, a pause or its own name opens when and where its owner says', async (t) => {
  const { share, visit, alice, clock } = await world(t)
  const change = async (hash: string, payload: object) => alice('PATCH', `/api/share/${hash}`, { payload })
  const starts = new Date(clock.now() + 3_600_000).toISOString()
  const { hash } = await share('/inbox', { starts, slug: 'Summer-2026' })
  t.equal((await visit(hash)).statusCode, 404)
  clock.advance({ minutes: 61 })
  for (const name of [hash, 'summer-2026', 'SUMMER-2026']) t.equal((await visit(name)).statusCode, 200, name)
  t.equal((await visit('summer-2026')).json().items[0].url, '/share/summer-2026/sub/')
  t.equal((await change(hash, { paused: true })).json().paused, true)
  t.equal((await visit('summer-2026')).statusCode, 404)
  t.equal((await change(hash, { paused: false, slug: null, title: ' T ' })).json().title, 'T')
  t.equal((await visit(hash)).statusCode, 200)
  t.equal((await visit('summer-2026')).statusCode, 404)
  const other = await share('/note.txt', { slug: 'mine' })
  t.equal((await change(hash, { slug: 'mine' })).statusCode, 409)
  t.equal((await change(other.hash, { slug: 'mine' })).statusCode, 200, 'its own')
})

t.test('a link can be changed later, and keeps its address', async (t) => {
  const { share, visit, alice, as, send, fetchFile } = await world(t)
  const change = async (hash: string, payload: object) => alice('PATCH', `/api/share/${hash}`, { payload })
  const made = await share('/inbox', { expires: 1, unit: 'days', password: 'open sesame', maxDownloads: 5 })
  const changed = (await change(made.hash, { expires: null, password: null, rights: 'upload-view' })).json()
  t.match(changed, { hash: made.hash, expire: 0, hasPassword: false, rights: 'upload-view', maxDownloads: 5 })
  t.equal((await visit(made.hash)).statusCode, 200)
  t.equal((await send(made.hash, '/sent.txt')).statusCode, 200)
  t.equal((await fetchFile(made.hash, '/sent.txt')).body, 'sent')
  t.equal((await change(made.hash, { maxDownloads: null })).json().maxDownloads, undefined)
  t.equal((await change(made.hash, { password: 'new one' })).json().hasPassword, true)
  t.equal((await visit(made.hash)).statusCode, 401)
  const bob = await as('bob')
  for (const [payload, status] of [
    [{ rights: null }, 400],
    [{ rights: 'all' }, 400],
    [{ starts: 'soon' }, 400],
    [{ slug: 'a b' }, 400],
    [{ slug: '../x' }, 400],
    [{ slug: 'ab' }, 400],
    [{ types: ['*'] }, 400],
    [{ types: ['.a/../b'] }, 400],
    [{ maxDownloads: 0 }, 400],
    [{ maxDownloads: 1.5 }, 400],
    [{ maxBytes: -1 }, 400],
    [{ title: 'x'.repeat(201) }, 400],
    [{ expires: 0 }, 422],
  ] as const)
    t.equal((await change(made.hash, payload)).statusCode, status, JSON.stringify(payload))
  t.equal((await bob('PATCH', `/api/share/${made.hash}`, { payload: { paused: true } })).statusCode, 403)
  t.equal((await change('unknown', {})).statusCode, 404)
  const file = await share('/note.txt')
  t.equal((await change(file.hash, { rights: 'upload' })).statusCode, 400, 'one file receives nothing')
})

t.test('a link for editing holds its limits and types in every way to write', async (t) => {
  const { share, call, send, used } = await world(t)
  const limits = { maxFiles: 3, maxFileSize: 10, types: ['.txt'], askName: true }
  const { hash } = await share('/inbox', { rights: 'edit', ...limits })
  const at = (method: 'PUT' | 'PATCH', rest: string, payload = '') =>
    call(method, `/api/public/resources/${hash}${rest}`, { payload })
  t.equal((await at('PUT', '/x/a.exe', 'x')).statusCode, 415)
  t.equal((await at('PUT', '/x/a.txt', 'much too large')).statusCode, 413)
  t.equal((await at('PUT', '/a.txt', 'x')).statusCode, 400, 'without a name')
  t.equal((await at('PUT', '/x/a.txt', 'x')).statusCode, 200)
  for (const to of ['/x/a.exe', '/x/a.exe/'])
    t.equal((await at('PATCH', `/x/a.txt?destination=${encodeURIComponent(to)}`)).statusCode, 415, to)
  t.equal((await at('PATCH', '/x/a.txt?destination=%2Fb.txt')).statusCode, 400)
  t.equal((await send(hash, `${'/x'.repeat(33)}/`, '')).statusCode, 413, 'deep folders')
  t.equal((await send(hash, '/y/', '')).statusCode, 200)
  t.equal((await send(hash, '/x/b.txt')).statusCode, 200)
  for (const path of ['/x/c.txt', '/z/']) t.equal((await send(hash, path, '')).statusCode, 410, path)
  t.equal((await at('PUT', '/x/a.txt', 'y')).statusCode, 410)
  t.match(await used(hash), { files: 3, bytes: 5 })
})

t.test('a number of downloads covers every way to the bytes of a file', async (t) => {
  const { share, call, fetchFile, home } = await world(t)
  writeFileSync(join(home, 'inbox/film.srt'), '1\n00:00:01,000 --> 00:00:02,000\nCANARY\n')
  const { hash } = await share('/inbox', { rights: 'edit', maxDownloads: 1 })
  t.equal((await call('GET', `/api/public/subtitle/${hash}/film.srt`)).statusCode, 403)
  const move = (from: string, to: string) =>
    call('PATCH', `/api/public/resources/${hash}${from}?destination=${encodeURIComponent(to)}`, {
      remoteAddress: '192.0.2.1',
    })
  await move('/old.txt', '/same')
  t.equal((await fetchFile(hash, '/same')).statusCode, 200)
  t.equal((await fetchFile(hash, '/same')).statusCode, 200)
  await move('/same', '/old.txt')
  t.equal((await fetchFile(hash, '/old.txt')).statusCode, 200, 'the same file under another name')
  await move('/sub/in.txt', '/same')
  t.equal((await fetchFile(hash, '/same')).statusCode, 410, 'another file under the same name')
})

t.test('a number of visitors holds for visitors that come at the same moment', async (t) => {
  const { share, visit, used } = await world(t)
  const { hash } = await share('/inbox', { maxVisitors: 2 })
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, n) => visit(hash, '', {}, `198.51.100.${n}`)),
  )
  t.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 2)
  t.match(await used(hash), { visitors: 2 })
})

t.test('files of one name that are sent at once to a new folder all arrive', async (t) => {
  const { share, send, read } = await world(t)
  const { hash } = await share('/inbox', { rights: 'upload' })
  const paths = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => (await send(hash, '/Ann/photo.jpg', `${n}`)).json().path),
  )
  t.equal(new Set(paths).size, 8, paths.join())
  t.equal(new Set(paths.map((path) => read(`inbox${path}`))).size, 8)
})

t.test(
  'an upload that is refused leaves no folders, and used-up downloads do not close a link that receives',
  async (t) => {
    const { share, send, has, fetchFile } = await world(t)
    const { hash } = await share('/inbox', {
      rights: 'edit',
      maxFileSize: 3,
      maxDownloads: 1,
      types: ['.txt'],
    })
    const headers = { 'transfer-encoding': 'chunked' }
    t.equal((await send(hash, '/new/folder/a.txt', 'large', headers)).statusCode, 413)
    t.notOk(has('inbox/new'))
    t.equal((await fetchFile(hash, '/old.txt', {}, '198.51.100.1')).statusCode, 200)
    t.equal((await send(hash, '/new/folder/a.txt', 'ok')).statusCode, 200)
    t.ok(has('inbox/new/folder/a.txt'))
  },
)

t.test(
  'a link can be paused after its owner has lost a permission, and may end after the year 275760',
  async (t) => {
    const { share, visit, alice, document } = await world(t)
    const { hash } = await share('/inbox', { rights: 'edit', expires: 2_147_483_647, unit: 'days' })
    t.equal((await visit(hash)).statusCode, 200)
    await document.update(({ users }) => {
      for (const user of Object.values(users)) if (user.username === 'alice') user.perm.delete = false
    })
    const change = (payload: object) => alice('PATCH', `/api/share/${hash}`, { payload })
    t.equal((await change({ rights: 'edit' })).statusCode, 403)
    t.equal((await change({ paused: true })).statusCode, 200)
    t.equal((await visit(hash)).statusCode, 404)
  },
)

t.test('visitors who must give a name send their files to a folder with this name', async (t) => {
  const { share, visit, send, read } = await world(t)
  const { hash } = await share('/inbox', { rights: 'upload', askName: true })
  t.match((await visit(hash)).json(), { share: { askName: true } })
  t.equal((await send(hash, '/a.txt')).statusCode, 400)
  t.equal((await send(hash, '/Ann%20Lee/a.txt')).json().path, '/Ann Lee/a.txt')
  t.equal(read('inbox/Ann Lee/a.txt'), 'sent')
})

t.test('a number of visitors counts the networks that they come from', async (t) => {
  const { share, visit, used } = await world(t)
  const { hash } = await share('/inbox', { maxVisitors: 2 })
  for (const [address, status] of [
    ['198.51.100.1', 200],
    ['198.51.100.1', 200],
    ['198.51.100.2', 200],
    ['198.51.100.3', 410],
    ['198.51.100.2', 200],
  ] as const)
    t.equal((await visit(hash, '', {}, address)).statusCode, status, address)
  t.match(await used(hash), { visitors: 2, visits: 2 })
})

t.test('what was used of a link is forgotten with the link', async (t) => {
  const { share, fetchFile, alice, services } = await world(t)
  const { hash } = await share('/note.txt')
  await fetchFile(hash)
  const rows = async () => (await services.database.read('SELECT link FROM link_use')).length
  t.equal(await rows(), 1)
  await alice('DELETE', `/api/share/${hash}`)
  t.equal(await rows(), 0)
})

t.test('an upload ends when its link is paused or its rights are taken away', async (t) => {
  const { share, alice, root, home, url } = await slow(t)
  mkdirSync(join(home, 'kept'), { recursive: true })
  for (const change of [{ paused: true }, { rights: 'download' }]) {
    const { hash } = await share('/inbox', { rights: 'upload' })
    const body = url(hash)
    await body.begun
    await alice('PATCH', `/api/share/${hash}`, { payload: change })
    t.ok([403, 404].includes(await body.finish()), JSON.stringify(change))
  }
  t.notOk(existsSync(join(root, 'alice/inbox/slow.bin')))
})

/** A server at a port, and uploads whose last byte is sent later. */
async function slow(t: Test) {
  const made = await world(t)
  const port = await listen(made.app)
  const url = (hash: string) => {
    const req = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `/api/public/resources/${hash}/slow.bin`,
      headers: { 'content-length': 200_001 },
    })
    const reply = new Promise<number>((resolve) => {
      req.on('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      req.on('error', () => resolve(0))
    })
    const begun = new Promise((resolve) => req.write(Buffer.alloc(200_000), resolve))
    return {
      begun,
      async finish() {
        req.end('x')
        return reply
      },
    }
  }
  return { ...made, url }
}
