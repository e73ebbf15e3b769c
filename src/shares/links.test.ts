import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ShareView } from '#contract/shares.ts'
import { allPermissions } from '#src/state/defaults.ts'
import { asPng, plain } from '#src/testing/pictures.ts'
import { type Person, start } from '#src/testing/start.ts'

const tree = {
  alice: {
    docs: { 'a.txt': 'A', 'b.txt': 'B', 'secret.txt': 'CANARY', sub: { 'in.txt': 'IN', 'x.txt': 'X' } },
    more: { 'c.txt': 'C', 'hidden.txt': 'CANARY' },
    'page.html': '<h1>not a picture</h1>',
  },
}
const perm = { ...allPermissions, admin: false }

async function world(t: Test, person: Person = {}) {
  const people = { alice: { scope: '/alice', perm, ...person }, bob: {}, carol: {} }
  const assets = { page: '<html><head></head></html>', find: () => undefined }
  const made = await start(t, { tree, people, assets })
  const alice = await made.as('alice')
  const create = (path: string, payload: object = {}) => alice('POST', `/api/share${path}`, { payload })
  const share = async (path: string, payload: object = {}): Promise<ShareView> => {
    const reply = await create(path, payload)
    t.equal(reply.statusCode, 200, reply.body)
    return reply.json()
  }
  const visit = (hash: string, rest = '', headers = {}) =>
    made.call('GET', `/api/public/share/${hash}${rest}`, { headers, remoteAddress: '192.0.2.1' })
  const fetchFile = (hash: string, rest = '', headers = {}) =>
    made.call('GET', `/api/public/dl/${hash}${rest}`, { headers, remoteAddress: '192.0.2.1' })
  const names = async (hash: string, rest = '') =>
    (await visit(hash, rest)).json<{ items: { name: string }[] }>().items.map(({ name }) => name)
  return { ...made, home: join(made.root, 'alice'), alice, create, share, visit, fetchFile, names }
}

t.test('one link of several resources shows them and nothing else of their folders', async (t) => {
  const { share, visit, fetchFile, names } = await world(t)
  const link = await share('/', { paths: ['/docs/a.txt', '/docs/sub', '/more/c.txt'] })
  t.match(link, { path: '/', isDir: true, paths: ['/docs/a.txt', '/docs/sub', '/more/c.txt'] })
  t.strictSame(await names(link.hash), ['docs', 'more'])
  t.strictSame(await names(link.hash, '/docs/'), ['sub', 'a.txt'])
  t.strictSame(await names(link.hash, '/docs/sub/'), ['in.txt', 'x.txt'])
  t.strictSame(await names(link.hash, '/more/'), ['c.txt'])
  t.equal((await fetchFile(link.hash, '/docs/a.txt')).body, 'A')
  for (const path of ['/docs/secret.txt', '/page.html', '/more/hidden.txt', '/docs/sub/../b.txt']) {
    for (const reply of [await visit(link.hash, path), await fetchFile(link.hash, path)]) {
      t.ok([403, 404].includes(reply.statusCode), path)
      t.notMatch(reply.body, /CANARY/)
    }
  }
  t.equal((await visit(link.hash)).json<{ name: string }>().name, '')
  const archive = await fetchFile(link.hash, '/?algo=tar')
  t.match(archive.body, /docs\/sub\/in\.txt/)
  t.notMatch(archive.body, /CANARY|secret|hidden|b\.txt/)
})

t.test(
  'a link of several resources has their common folder, and those that lie in another one once',
  async (t) => {
    const { share, create, alice } = await world(t)
    t.match(await share('/', { paths: ['/docs/b.txt', '/docs/a.txt'] }), { path: '/docs' })
    const nested = await share('/', { paths: ['/docs/sub/in.txt', '/docs/sub', '/docs/a.txt'] })
    t.strictSame(nested.paths, ['/docs/sub', '/docs/a.txt'])
    const one = await share('/docs', { paths: ['/docs/a.txt'] })
    t.match(one, { path: '/docs/a.txt', isDir: false })
    t.equal(one.paths, undefined)
    const listed = (await alice('GET', '/api/share/docs/a.txt')).json<ShareView[]>()
    t.equal(listed.length, 3, 'the links of a file include those that share it with others')
    for (const [path, payload] of [
      ['/docs', { paths: ['/more/c.txt'] }],
      ['/docs', { paths: ['/docs'] }],
      ['/docs', { paths: [] }],
      ['/docs', { paths: ['/docs/a.txt', '/docs/missing.txt'] }],
      ['/docs', { paths: ['/docs/a.txt', '/docs/b.txt'], rights: 'edit' }],
      ['/docs', { paths: ['/docs/a.txt', '/docs/b.txt'], rights: 'upload' }],
      ['/docs', { paths: ['/docs/../../bob/x', '/docs/b.txt'] }],
      ['/docs', { paths: Array.from({ length: 101 }, (_, at) => `/docs/${at}`) }],
    ] as const) {
      const reply = await create(path, payload)
      t.ok(
        [400, 404].includes(reply.statusCode),
        `${JSON.stringify(payload).slice(0, 60)}: ${reply.statusCode}`,
      )
    }
  },
)

t.test(
  'resources of a link follow their moves, leave it when they are deleted, and come back from the trash',
  async (t) => {
    const { share, alice, names, visit, fetchFile } = await world(t)
    const { hash } = await share('/docs', { paths: ['/docs/a.txt', '/docs/b.txt'] })
    const link = async () =>
      (await alice('GET', '/api/shares')).json<ShareView[]>().find((one) => one.hash === hash)
    await alice('PATCH', '/api/resources/docs/a.txt?action=rename&destination=/more/moved.txt')
    t.match(await link(), { path: '/', paths: ['/more/moved.txt', '/docs/b.txt'] })
    t.equal((await fetchFile(hash, '/more/moved.txt')).body, 'A')
    await alice('DELETE', '/api/resources/docs/b.txt')
    t.match(await link(), { path: '/more', paths: ['/more/moved.txt'] })
    t.strictSame(await names(hash), ['moved.txt'])
    const [item] = (await alice('GET', '/api/trash')).json<{ items: { id: string }[] }>().items
    t.equal((await alice('POST', `/api/trash/${item?.id}/restore`, { payload: {} })).statusCode, 200)
    t.match(await link(), { path: '/', paths: ['/more/moved.txt', '/docs/b.txt'] })
    t.equal((await fetchFile(hash, '/docs/b.txt')).body, 'B')
    await alice('DELETE', '/api/resources/docs/b.txt')
    await alice('DELETE', '/api/resources/more/moved.txt')
    t.equal((await visit(hash)).statusCode, 404)
  },
)

t.test('another file at the place of one of several shared files is not shared', async (t) => {
  const { share, home, names, fetchFile } = await world(t)
  const { hash } = await share('/docs', { paths: ['/docs/a.txt', '/docs/b.txt'] })
  writeFileSync(join(home, 'docs', 'other'), 'CANARY')
  renameSync(join(home, 'docs', 'other'), join(home, 'docs', 'a.txt'))
  t.strictSame(await names(hash), ['b.txt'])
  t.ok([403, 404].includes((await fetchFile(hash, '/a.txt')).statusCode))
  rmSync(join(home, 'docs', 'b.txt'))
  mkdirSync(join(home, 'docs', 'b.txt'))
  t.equal((await fetchFile(hash, '/b.txt')).statusCode, 404)
})

t.test('a link for named people opens for them alone, while they are signed in', async (t) => {
  const { share, visit, fetchFile, as, alice, create } = await world(t)
  const { hash, people } = await share('/docs', { people: ['bob'] })
  t.strictSame(people, ['bob'])
  t.match(await visit(hash), { statusCode: 401, body: /named people/ })
  const [bob, carol] = [await as('bob'), await as('carol')]
  const visitAs = (person: typeof bob) => person('GET', `/api/public/share/${hash}`)
  t.match(await visitAs(carol), { statusCode: 401, body: /named people/ })
  const opened = await visitAs(bob)
  t.equal(opened.statusCode, 200, opened.body)
  const { token: ticket } = opened.json<{ token: string }>()
  t.equal((await fetchFile(hash, `/a.txt?token=${ticket}`)).body, 'A', 'the ticket is for addresses')
  t.equal((await fetchFile(hash, '/a.txt')).statusCode, 401)
  t.equal((await alice('PATCH', `/api/share/${hash}`, { payload: { people: ['carol'] } })).statusCode, 200)
  t.equal((await fetchFile(hash, `/a.txt?token=${ticket}`)).statusCode, 401, 'the list has changed')
  t.equal((await visitAs(carol)).statusCode, 200)
  await alice('PATCH', `/api/share/${hash}`, { payload: { people: ['bob', 'carol'] } })
  t.equal((await fetchFile(hash, `/a.txt?token=${ticket}`)).statusCode, 200)
  await bob('POST', '/api/logout')
  t.equal((await fetchFile(hash, `/a.txt?token=${ticket}`)).statusCode, 401, 'the session has ended')
  t.match(await create('/docs', { people: ['nobody'] }), { statusCode: 400, body: /people/ })
  t.equal((await alice('PATCH', `/api/share/${hash}`, { payload: { people: null } })).statusCode, 200)
  t.equal((await visit(hash)).statusCode, 200)
})

t.test('the cover of a link is a smaller copy of a picture of its owner, and nothing else', async (t) => {
  const { share, create, alice, call, home, visit } = await world(t)
  writeFileSync(join(home, 'more', 'cover.png'), asPng(plain(40, 30, [200, 20, 20])))
  const cover = '/more/cover.png'
  const { hash, cover: stored } = await share('/docs', { cover, title: 'Summer' })
  t.equal(stored, cover)
  t.match((await visit(hash)).json(), { share: { hasCover: true } })
  const get = (query = '') => call('GET', `/api/public/cover/${hash}${query}`, { remoteAddress: '192.0.2.1' })
  t.match(await get(), { statusCode: 200, headers: { 'content-type': 'image/webp' } })
  for (const wrong of ['/page.html', '/docs', '/missing.png', '/../bob/x.png'])
    t.ok([400, 404].includes((await create('/docs', { cover: wrong })).statusCode), wrong)
  renameSync(join(home, 'more', 'cover.png'), join(home, 'more', 'old.png'))
  writeFileSync(join(home, 'more', 'cover.png'), asPng(plain(50, 30, [20, 20, 200])))
  t.equal((await get()).statusCode, 404, 'another picture at the place is not the cover')
  rmSync(join(home, 'more', 'cover.png'))
  const missing = await get()
  t.equal(missing.statusCode, 404)
  t.notMatch(missing.body, /more|cover\.png/, 'visitors do not learn where it was')
  await alice('PATCH', `/api/share/${hash}`, { payload: { cover: null } })
  t.equal((await get()).statusCode, 404)
})

t.test('a chat shows a card of a link that everybody can open', async (t) => {
  const { share, call, alice } = await world(t)
  const { hash } = await share('/docs', { title: 'Summer "2026" <b>', message: 'Our photos' })
  const page = async () => (await call('GET', `/share/${hash}`)).body
  t.match(await page(), /property="og:title" content="Summer &#34;2026&#34; &#60;b&#62;"/)
  t.match(await page(), /property="og:description" content="Our photos"/)
  for (const payload of [
    { password: 'a long secret' },
    { password: null, people: ['bob'] },
    { people: null, paused: true },
  ]) {
    t.equal((await alice('PATCH', `/api/share/${hash}`, { payload })).statusCode, 200)
    t.notMatch(await page(), /og:|Summer/)
  }
  const inbox = await share('/more', { rights: 'upload' })
  t.notMatch((await call('GET', `/share/${inbox.hash}`)).body, /og:|more/)
})

t.test('the policy of the instance holds for new and changed links', async (t) => {
  const { share, create, alice, as, visit } = await world(t)
  const open = await share('/docs')
  const inbox = await share('/more', { rights: 'upload' })
  const admin = await as('admin')
  const setPolicy = (sharing: object) => admin('PUT', '/api/settings', { payload: { sharing } })
  const limit = { password: true, longest: 7, uploads: false, who: 'permitted' }
  t.equal((await setPolicy(limit)).statusCode, 200)
  const days = (expires: string) => ({ expires, unit: 'days', password: 'a long secret' })
  t.match(await create('/docs', { expires: '1', unit: 'days' }), {
    statusCode: 403,
    body: /need a password/,
  })
  t.match(await create('/docs', { password: 'a long secret' }), { statusCode: 403, body: /within 7 days/ })
  t.match(await create('/docs', days('8')), { statusCode: 403, body: /within 7 days/ })
  t.match(await create('/docs', { ...days('7'), rights: 'upload' }), {
    statusCode: 403,
    body: /not receive/,
  })
  t.equal((await create('/docs', days('7'))).statusCode, 200)
  t.equal((await create('/docs', { expires: '7', unit: 'days', people: ['bob'] })).statusCode, 200)
  t.equal((await visit(open.hash)).statusCode, 200, 'a link that exists stays open')
  t.equal((await visit(inbox.hash)).statusCode, 403, 'and receives nothing any more')
  const change = (payload: object) => alice('PATCH', `/api/share/${open.hash}`, { payload })
  t.equal((await change({ title: 'x', paused: true })).statusCode, 200)
  t.equal((await change({ paused: null })).statusCode, 200)
  t.equal((await change({ rights: 'view' })).statusCode, 403)
  t.equal((await setPolicy({ ...limit, who: 'administrators' })).statusCode, 200)
  t.match(await create('/docs', days('7')), { statusCode: 403, body: /permission to share/ })
  t.equal((await visit(open.hash)).statusCode, 403)
  t.equal((await setPolicy({ longest: -1 })).statusCode, 400)
})

t.test('a link with a rate sends and receives all bytes, slowly', async (t) => {
  const { share, fetchFile, call, home } = await world(t)
  const bytes = 'x'.repeat(4000)
  writeFileSync(join(home, 'docs', 'big.txt'), bytes)
  const { hash } = await share('/docs', { rate: 16_384, rights: 'edit' })
  const begun = performance.now()
  const [whole, range] = await Promise.all([
    fetchFile(hash, '/big.txt'),
    fetchFile(hash, '/big.txt', { range: 'bytes=1000-1999' }),
  ])
  t.ok(performance.now() - begun > 250, 'five thousand bytes at this rate need 0.3 s on any machine')
  t.equal(whole.body, bytes)
  t.match(range, { statusCode: 206, body: bytes.slice(0, 1000) })
  const sent = await call('POST', `/api/public/resources/${hash}/new.txt`, { payload: bytes })
  t.match(sent.json(), { path: '/new.txt', size: 4000 })
  t.equal(readFileSync(join(home, 'docs', 'new.txt'), 'utf8'), bytes)
})

t.test('new fields of a link are checked, and null clears them', async (t) => {
  const { share, create, alice } = await world(t)
  for (const payload of [
    { rate: 0 },
    { rate: 16_383 },
    { rate: '20000' },
    { from: 'x'.repeat(101) },
    { look: { view: 'cloud' } },
    { look: 'list' },
    { notify: ['pigeon'] },
    { people: [] },
    { people: [''] },
    { cover: '' },
    { starts: '2099-01-02T00:00:00Z', expires: '1', unit: 'hours' },
  ])
    t.equal((await create('/docs', payload)).statusCode, 400, JSON.stringify(payload))
  const all = { rate: 20_000, from: 'Alice', look: { view: 'gallery', theme: 'dark' }, notify: [] }
  const { hash, ...made } = await share('/docs', all)
  t.match(made, all)
  const none = { rate: null, from: null, look: null, notify: null }
  const cleared = await alice('PATCH', `/api/share/${hash}`, { payload: none })
  t.strictSame(
    Object.keys(all).filter((name) => name in cleared.json()),
    [],
  )
})
