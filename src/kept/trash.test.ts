import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { TrashItem, TrashList } from '#contract/history/kept.ts'
import { hostileNames } from '#src/testing/names.ts'
import { start } from '#src/testing/start.ts'

type Call = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['as']>>

const url = (path: string) => path.split('/').map(encodeURIComponent).join('/')

async function remove(call: Call, path: string, query = '') {
  const reply = await call('DELETE', `/api/resources${url(path)}${query}`)
  if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.body}`)
}

async function list(call: Call, query = ''): Promise<TrashList> {
  const reply = await call('GET', `/api/trash${query}`)
  if (reply.statusCode !== 200) throw new Error(reply.body)
  return reply.json()
}

async function itemAt(call: Call, path: string): Promise<TrashItem> {
  const found = (await list(call, '?limit=500')).items.find((item) => item.path === path)
  if (!found) throw new Error(`${path} is not in the trash`)
  return found
}

const people = {
  ann: { perm: { delete: true, create: true, download: true, modify: true } },
  bob: { scope: '/team', perm: { delete: true, create: true, download: true } },
  eve: { perm: { delete: true, create: true, download: true }, rules: [] },
}

async function begin(t: Test, tree: NonNullable<Parameters<typeof start>[1]>['tree']) {
  const running = await start(t, { tree: tree ?? {}, people })
  const [admin, ann, bob] = [await running.as('admin'), await running.as('ann'), await running.as('bob')]
  return { ...running, admin, ann, bob, at: (path: string) => join(running.root, path) }
}

t.test('a deleted entry goes to the trash, and can be restored to where it was', async (t) => {
  const { ann, at, services } = await begin(t, { docs: { old: { 'a.txt': 'hello', 'b.txt': 'you' } } })
  await remove(ann, '/docs/old')
  t.notOk(existsSync(at('docs/old')))
  // The end of an operation is stored after the response.
  await services.operations.close()
  await services.keeper.run()
  const { items, total, size } = await list(ann)
  t.match(items, [{ name: 'old', path: '/docs/old', isDir: true, type: '', size: 8, by: 'ann' }])
  t.strictSame({ total, size }, { total: 1, size: 8 })
  const reply = await ann('POST', `/api/trash/${items[0]?.id}/restore`)
  t.strictSame([reply.statusCode, reply.json()], [200, { path: '/docs/old' }])
  t.equal(readFileSync(at('docs/old/a.txt'), 'utf8'), 'hello')
  t.strictSame((await list(ann)).items, [])
})

t.test('entries with hostile names are listed and restored', async (t) => {
  const tree = Object.fromEntries(hostileNames.map((name) => [name, name]))
  const { ann, root } = await begin(t, { all: tree })
  for (const name of hostileNames) await remove(ann, `/all/${name}`)
  const { items } = await list(ann)
  t.strictSame(items.map(({ name }) => name).sort(), [...hostileNames].sort())
  for (const { id } of items) t.equal((await ann('POST', `/api/trash/${id}/restore`)).statusCode, 200)
  t.strictSame(readdirSync(join(root, 'all')).sort(), [...hostileNames].sort())
})

t.test('a restored entry gets its folders again, and a free name', async (t) => {
  const { ann, at } = await begin(t, { docs: { deep: { 'a.txt': 'old' } } })
  await remove(ann, '/docs/deep/a.txt')
  await remove(ann, '/docs')
  const { id } = await itemAt(ann, '/docs/deep/a.txt')
  t.strictSame((await ann('POST', `/api/trash/${id}/restore`)).json(), { path: '/docs/deep/a.txt' })
  t.equal(readFileSync(at('docs/deep/a.txt'), 'utf8'), 'old')
  const folder = await itemAt(ann, '/docs')
  t.strictSame((await ann('POST', `/api/trash/${folder.id}/restore`)).json(), { path: '/docs(1)' })
  t.ok(existsSync(at('docs(1)/deep')))
  t.equal(readFileSync(at('docs/deep/a.txt'), 'utf8'), 'old', 'nothing is replaced')
})

t.test('an entry can be restored to another folder', async (t) => {
  const { ann, at } = await begin(t, { 'a.txt': 'old', other: { 'a.txt': 'mine' } })
  await remove(ann, '/a.txt')
  const { id } = await itemAt(ann, '/a.txt')
  t.equal((await ann('POST', `/api/trash/${id}/restore?to=/%FF`)).statusCode, 400, 'this is no UTF-8')
  const reply = await ann('POST', `/api/trash/${id}/restore?to=/other`)
  t.strictSame(reply.json(), { path: '/other/a(1).txt' })
  t.equal(readFileSync(at('other/a(1).txt'), 'utf8'), 'old')
  t.equal((await ann('POST', `/api/trash/${id}/restore`)).statusCode, 404, 'an entry is restored once')
})

t.test('a permanent deletion does not go to the trash', async (t) => {
  const { ann, at } = await begin(t, { 'a.txt': 'old' })
  await remove(ann, '/a.txt', '?permanent=true')
  t.notOk(existsSync(at('a.txt')))
  t.strictSame((await list(ann)).items, [])
})

t.test('users see only entries that were in their scope and that their rules allow', async (t) => {
  const { admin, ann, bob, document } = await begin(t, {
    'a.txt': 'a',
    team: { 'b.txt': 'b', secret: { 'c.txt': 'c' }, '.dot': 'd' },
    'team-two': { 'e.txt': 'e' },
  })
  for (const path of ['/a.txt', '/team/b.txt', '/team/secret/c.txt', '/team/.dot', '/team-two/e.txt'])
    await remove(admin, path)
  const seen = async (call: Call) => (await list(call)).items.map(({ path }) => path).sort()
  t.strictSame(await seen(bob), ['/.dot', '/b.txt', '/secret/c.txt'])
  t.equal((await list(bob)).total, 3)
  await document.update(({ users }) => {
    for (const user of Object.values(users)) {
      if (user.username === 'ann')
        user.rules = [{ allow: false, path: '/team/SECRET', regex: false, regexp: null }]
      if (user.username === 'bob') user.hideDotfiles = true
    }
  })
  t.strictSame(await seen(bob), ['/b.txt', '/secret/c.txt'])
  t.equal((await list(bob)).total, 2)
  t.strictSame(await seen(ann), ['/a.txt', '/team-two/e.txt', '/team/.dot', '/team/b.txt'])
  const hidden = await itemAt(admin, '/team/secret/c.txt')
  const outside = await itemAt(admin, '/a.txt')
  for (const [call, { id }] of [
    [ann, hidden],
    [bob, outside],
  ] as const) {
    t.match((await call('GET', `/api/trash/${id}/raw`)).statusCode, 404)
    t.match((await call('POST', `/api/trash/${id}/restore`)).statusCode, 404)
    t.match((await call('DELETE', `/api/trash/${id}`)).statusCode, 404)
  }
  t.equal((await list(admin)).total, 5)
})

/** The names on all pages, with three entries each. */
async function allPages(t: Test, call: Call, search: string) {
  const names: string[] = []
  let after: string | undefined
  let total = 0
  do {
    const query = new URLSearchParams({ limit: '3', search, ...(after !== undefined && { after }) })
    const page = await list(call, `?${query}`)
    t.ok(page.items.length <= 3)
    names.push(...page.items.map(({ name }) => name))
    after = page.next
    total = page.total
  } while (after !== undefined)
  t.equal(total, names.length)
  return names
}

t.test('the trash is listed in pages, and searched in any case', async (t) => {
  const names = Array.from({ length: 7 }, (_, n) => `Report ${n}.TXT`)
  const { ann } = await begin(t, {
    docs: Object.fromEntries([...names, 'other.md'].map((name) => [name, name])),
  })
  for (const name of [...names, 'other.md']) await remove(ann, `/docs/${name}`)
  t.strictSame(await allPages(t, ann, ''), ['other.md', ...names.toReversed()])
  for (const search of ['report', 'DOCS/rep'])
    t.strictSame(await allPages(t, ann, search), names.toReversed())
  t.strictSame(await allPages(t, ann, 'réport'), [])
  for (const after of ['x', '1', '1.', '1.%2F', '-1.a', `${'9'.repeat(16)}.a`])
    t.equal((await ann('GET', `/api/trash?after=${after}`)).statusCode, 400, after)
})

t.test('a deleted file is downloaded like any other, without acting in the page', async (t) => {
  const { ann, bob, call, services } = await begin(t, {
    'page.html': '<b>0123456789',
    team: { f: { x: '' } },
  })
  await remove(ann, '/page.html')
  await remove(ann, '/team/f')
  const { id } = await itemAt(ann, '/page.html')
  const whole = await ann('GET', `/api/trash/${id}/raw`)
  t.equal(whole.body, '<b>0123456789')
  t.match(whole.headers['content-disposition'], /^attachment;.*page\.html/)
  const inline = await ann('GET', `/api/trash/${id}/raw?inline=true`)
  t.equal(inline.headers['content-type'], 'text/plain; charset=utf-8')
  t.match(inline.headers['content-security-policy'], /^sandbox; default-src 'none'/)
  const part = await ann('GET', `/api/trash/${id}/raw`, { headers: { range: 'bytes=3-5' } })
  t.strictSame([part.statusCode, part.body], [206, '012'])
  t.equal((await ann('GET', `/api/trash/${id}/raw`, { headers: { range: 'bytes=99-' } })).statusCode, 416)
  t.equal((await call('GET', `/api/trash/${id}/raw`)).statusCode, 401)
  t.equal((await bob('GET', `/api/trash/${id}/raw`)).statusCode, 404)
  const folder = await itemAt(ann, '/team/f')
  t.equal((await ann('GET', `/api/trash/${folder.id}/raw`)).statusCode, 405, 'a folder has no bytes')
  t.equal((await ann('GET', '/api/trash/..%2Fx/raw')).statusCode, 404)
  await services.keeper.run()
})

t.test('an entry of the trash is deleted permanently by users with the permission to delete', async (t) => {
  const { admin, ann, base, document } = await begin(t, { a: { b: { 'c.txt': 'x' } }, 'd.txt': 'y' })
  await remove(admin, '/a')
  await remove(admin, '/d.txt')
  const { id } = await itemAt(ann, '/a')
  await document.update(({ users }) => {
    for (const user of Object.values(users)) if (user.username === 'ann') user.perm.delete = false
  })
  t.equal((await ann('DELETE', `/api/trash/${id}`)).statusCode, 403)
  t.equal((await ann('DELETE', '/api/trash')).statusCode, 403)
  t.equal((await admin('DELETE', `/api/trash/${id}`)).statusCode, 200)
  t.equal((await admin('DELETE', `/api/trash/${id}`)).statusCode, 404)
  t.strictSame(
    (await list(admin)).items.map(({ path }) => path),
    ['/d.txt'],
  )
  t.strictSame((await admin('DELETE', '/api/trash')).json(), { deleted: 1 })
  t.strictSame((await list(admin)).items, [])
  t.strictSame(readdirSync(join(base, 'state.d/kept')), [])
})

t.test('the shares and stars of an entry end when it is deleted permanently from the trash', async (t) => {
  const { admin, document, services } = await begin(t, { docs: { 'a.txt': 'a', 'b.txt': 'b' } })
  for (const name of ['a.txt', 'b.txt']) {
    t.equal((await admin('POST', `/api/share/docs/${name}`, {})).statusCode, 200)
    t.equal((await admin('PUT', `/api/starred/docs/${name}`)).statusCode, 200)
    await remove(admin, `/docs/${name}`)
  }
  const stars = () => services.database.read('SELECT path FROM user_paths')
  t.equal(Object.keys(document.data.shares).length, 2, 'they would return with the file')
  t.equal((await stars()).length, 2)
  t.equal((await admin('DELETE', `/api/trash/${(await itemAt(admin, '/docs/a.txt')).id}`)).statusCode, 200)
  t.strictSame(
    Object.values(document.data.shares).map(({ path }) => path),
    ['/docs/b.txt'],
  )
  t.equal((await stars()).length, 1)
  t.equal((await admin('DELETE', '/api/trash')).statusCode, 200)
  t.strictSame(document.data.shares, {})
  t.strictSame(await stars(), [])
})

t.test('a folder in which rules deny something is left when another user empties the trash', async (t) => {
  const { admin, ann, document } = await begin(t, { a: { secret: 'x' }, b: { c: 'y' } })
  await remove(admin, '/a')
  await remove(admin, '/b')
  await document.update(({ users }) => {
    for (const user of Object.values(users))
      if (user.username === 'ann')
        user.rules = [{ allow: false, path: '/a/secret', regex: false, regexp: null }]
  })
  const { id } = await itemAt(ann, '/a')
  t.equal((await ann('DELETE', `/api/trash/${id}`)).statusCode, 403)
  t.strictSame((await ann('DELETE', '/api/trash')).json(), { deleted: 1 })
  t.strictSame(
    (await list(admin)).items.map(({ path }) => path),
    ['/a'],
  )
  t.equal((await ann('POST', `/api/trash/${id}/restore`)).statusCode, 403, 'nor is it restored')
})

t.test('an entry whose content was deleted from outside disappears from the trash', async (t) => {
  const { ann, base, at } = await begin(t, { 'a.txt': 'x', b: {} })
  await remove(ann, '/a.txt')
  await remove(ann, '/b')
  const [a, b] = [await itemAt(ann, '/a.txt'), await itemAt(ann, '/b')]
  rmSync(join(base, 'state.d/kept', a.id))
  t.match((await ann('POST', `/api/trash/${a.id}/restore`)).statusCode, 404)
  t.strictSame(
    (await list(ann)).items.map(({ id }) => id),
    [b.id],
  )
  rmSync(join(base, 'state.d/kept'), { recursive: true })
  t.match((await ann('GET', `/api/trash/${b.id}/raw`)).statusCode, 404)
  mkdirSync(at('c'))
  await remove(ann, '/c')
  t.equal((await ann('POST', `/api/trash/${(await itemAt(ann, '/c')).id}/restore`)).statusCode, 200)
})

t.test('whether entries go to the trash and keep versions is known before a deletion', async (t) => {
  const { admin, ann } = await begin(t, { docs: { 'a.txt': 'x' } })
  const usual = { trash: true, versions: true, isFull: false, days: 30 }
  for (const path of ['/docs', '/docs/a.txt', '/'])
    t.strictSame((await ann('GET', `/api/keeping${path}`)).json(), usual, path)
  t.equal((await ann('GET', '/api/keeping/none')).statusCode, 404)
  const keeping = { trash: false, days: 7, withoutVersions: ['docs/'] }
  const reply = await admin('PUT', '/api/settings', { payload: { keeping } })
  t.equal(reply.statusCode, 200, reply.body)
  t.strictSame((await ann('GET', '/api/keeping/docs')).json(), {
    trash: false,
    versions: false,
    isFull: false,
    days: 7,
  })
  t.strictSame((await ann('GET', '/api/keeping/')).json(), {
    trash: false,
    versions: true,
    isFull: false,
    days: 7,
  })
  const stored = (await admin('GET', '/api/settings')).json().keeping
  t.match(stored, { trash: false, days: 7, share: 10, withoutVersions: ['/docs'] })
  for (const bad of [{ days: 0 }, { share: 91 }, { withoutVersions: ['a\0'] }, { versionSize: -1 }])
    t.equal((await admin('PUT', '/api/settings', { payload: { keeping: bad } })).statusCode, 400)
  await remove(ann, '/docs/a.txt')
  t.strictSame((await list(ann)).items, [], 'without a trash, deletion is permanent')
})

t.test('the folder of deleted entries is out of reach for every path', async (t) => {
  const { admin, at, root } = await begin(t, { 'a.txt': 'x' })
  mkdirSync(at('.coffer-kept'), { mode: 0o700 })
  writeFileSync(at('.coffer-kept/secret.txt'), 'SECRET')
  for (const path of [
    '.coffer-kept',
    '.coffer-kept/secret.txt',
    '.COFFER-KEPT/secret.txt',
    '.coffer-kept-2',
  ]) {
    for (const noun of ['resources', 'raw', 'usage', 'keeping', 'versions', 'search', 'tus'])
      t.ok((await admin('GET', `/api/${noun}/${path}?query=x`)).statusCode >= 400, `${noun} ${path}`)
    t.equal((await admin('POST', `/api/resources/${path}/x`, { payload: 'x' })).statusCode, 403, path)
    t.ok((await admin('DELETE', `/api/resources/${path}`)).statusCode >= 400, path)
    t.ok((await admin('PATCH', `/api/resources/a.txt?action=rename&destination=/${path}`)).statusCode >= 400)
    t.ok((await admin('PATCH', `/api/resources/${path}?action=copy&destination=/b`)).statusCode >= 400)
    t.ok((await admin('POST', `/api/share/${path}`)).statusCode >= 400)
  }
  for (const address of [
    '/api/resources/',
    '/api/search/?query=secret',
    '/api/search/?query=coffer',
    '/api/resources/recursive/',
    '/api/raw/?algo=tar',
  ]) {
    const { body } = await admin('GET', address)
    t.notMatch(body, /coffer-kept|secret\.txt|SECRET/, address)
  }
  t.strictSame(readdirSync(root).sort(), ['.coffer-kept', 'a.txt', 'team'])
})
