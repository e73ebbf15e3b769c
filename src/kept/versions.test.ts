import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Version } from '#contract/history/kept.ts'
import { start } from '#src/testing/start.ts'

type Call = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['as']>>
type Tree = NonNullable<NonNullable<Parameters<typeof start>[1]>['tree']>

async function begin(t: Test, tree: Tree = { 'a.txt': 'one' }) {
  const people = { ann: { perm: { download: true, create: true, modify: true, delete: true, rename: true } } }
  const running = await start(t, { tree, people })
  const ann = await running.as('ann')
  return { ...running, ann, at: (path: string) => join(running.root, path) }
}

async function save(call: Call, path: string, payload: string) {
  const reply = await call('PUT', `/api/resources${path}`, { payload })
  if (reply.statusCode !== 200) throw new Error(reply.body)
}

async function versionsOf(call: Call, path: string): Promise<Version[]> {
  const reply = await call('GET', `/api/versions${path}`)
  if (reply.statusCode !== 200) throw new Error(reply.body)
  return reply.json()
}

/** The contents of all versions, the newest first. */
async function contentsOf(call: Call, path: string): Promise<string[]> {
  const versions = await versionsOf(call, path)
  return Promise.all(
    versions.map(async ({ id }) => (await call('GET', `/api/raw${path}?version=${id}`)).body),
  )
}

t.test('a replaced file leaves its old content as a version', async (t) => {
  const { ann, base } = await begin(t)
  t.strictSame(await versionsOf(ann, '/a.txt'), [])
  await save(ann, '/a.txt', 'second')
  await ann('POST', '/api/resources/a.txt?override=true', { payload: '3' })
  t.strictSame(await contentsOf(ann, '/a.txt'), ['second', 'one'])
  t.match(await versionsOf(ann, '/a.txt'), [
    { size: 6, by: 'ann', replaced: /^2/, modified: /^2/ },
    { size: 3, by: 'ann' },
  ])
  await ann('POST', '/api/resources/b.txt', { payload: 'moved' })
  await ann('PATCH', '/api/resources/b.txt?action=rename&destination=/a.txt&override=true')
  t.strictSame(await contentsOf(ann, '/a.txt'), ['3', 'second', 'one'])
  await ann('POST', '/api/resources/c.txt', { payload: 'copied' })
  await ann('PATCH', '/api/resources/c.txt?action=copy&destination=/a.txt&override=true')
  t.strictSame(await contentsOf(ann, '/a.txt'), ['moved', '3', 'second', 'one'])
  t.equal(readdirSync(join(base, 'state.d/kept')).length, 8, 'each has a content and a record')
})

t.test('restoring an old content is a change like any other', async (t) => {
  const { ann, at } = await begin(t)
  await save(ann, '/a.txt', 'two')
  await save(ann, '/a.txt', 'three')
  const [, oldest] = await versionsOf(ann, '/a.txt')
  const reply = await ann('POST', `/api/versions/a.txt?version=${oldest?.id}`)
  t.equal(reply.statusCode, 200, reply.body)
  t.equal(readFileSync(at('a.txt'), 'utf8'), 'one')
  t.strictSame(await contentsOf(ann, '/a.txt'), ['three', 'two'])
  t.equal((await ann('POST', `/api/versions/a.txt?version=${oldest?.id}`)).statusCode, 404)
  await ann('POST', `/api/operations/${reply.headers['x-operation']}/undo`)
  t.equal(readFileSync(at('a.txt'), 'utf8'), 'three')
  t.strictSame(await contentsOf(ann, '/a.txt'), ['one', 'two'], 'nothing is lost')
})

t.test('an old content is deleted permanently', async (t) => {
  const { ann, base } = await begin(t)
  await save(ann, '/a.txt', 'two')
  const [version] = await versionsOf(ann, '/a.txt')
  t.equal((await ann('DELETE', `/api/versions/a.txt?version=${version?.id}`)).statusCode, 200)
  t.equal((await ann('DELETE', `/api/versions/a.txt?version=${version?.id}`)).statusCode, 404)
  t.strictSame(await versionsOf(ann, '/a.txt'), [])
  t.strictSame(readdirSync(join(base, 'state.d/kept')), [])
})

t.test('versions follow a file or folder that is moved, deleted and restored', async (t) => {
  const { ann } = await begin(t, { docs: { 'a.txt': 'one' }, 'docs-two': { 'a.txt': 'other' } })
  await save(ann, '/docs/a.txt', 'two')
  await save(ann, '/docs-two/a.txt', 'other two')
  await ann('PATCH', '/api/resources/docs?action=rename&destination=/moved')
  t.strictSame(await contentsOf(ann, '/moved/a.txt'), ['one'])
  await ann('PATCH', '/api/resources/moved/a.txt?action=rename&destination=/moved/b.txt')
  t.strictSame(await contentsOf(ann, '/moved/b.txt'), ['one'])
  await ann('DELETE', '/api/resources/moved')
  mkdirSync(join(t.testdirName, 'root/moved'))
  await ann('POST', '/api/resources/moved/b.txt', { payload: 'new' })
  t.strictSame(await contentsOf(ann, '/moved/b.txt'), [], 'another file of that name has none')
  const { items } = (await ann('GET', '/api/trash')).json()
  const { path } = (await ann('POST', `/api/trash/${items[0].id}/restore`)).json()
  t.equal(path, '/moved(1)')
  t.strictSame(await contentsOf(ann, '/moved(1)/b.txt'), ['one'])
  t.strictSame(await contentsOf(ann, '/docs-two/a.txt'), ['other'])
})

t.test('versions of a permanently deleted file are deleted too', async (t) => {
  const { ann, base, services } = await begin(t, { docs: { 'a.txt': 'one' }, 'b.txt': 'b' })
  await save(ann, '/docs/a.txt', 'two')
  await save(ann, '/b.txt', 'b two')
  await ann('DELETE', '/api/resources/docs?permanent=true')
  await ann('DELETE', '/api/resources/b.txt')
  await services.keeper.run()
  t.equal(readdirSync(join(base, 'state.d/kept')).length, 4)
  await ann('DELETE', '/api/trash')
  await services.keeper.run()
  t.strictSame(readdirSync(join(base, 'state.d/kept')), [])
})

t.test('a version belongs to its file: no other path, user or link leads to it', async (t) => {
  const { ann, call, at, document } = await begin(t, {
    'a.txt': 'one',
    'b.txt': 'b',
    secret: { 'c.txt': 'c' },
  })
  await save(ann, '/a.txt', 'two')
  await save(ann, '/secret/c.txt', 'c two')
  const [version] = await versionsOf(ann, '/a.txt')
  const [hidden] = await versionsOf(ann, '/secret/c.txt')
  t.equal((await ann('GET', `/api/raw/b.txt?version=${version?.id}`)).statusCode, 404)
  t.equal((await ann('POST', `/api/versions/b.txt?version=${version?.id}`)).statusCode, 404)
  t.equal((await call('GET', `/api/raw/a.txt?version=${version?.id}`)).statusCode, 401)
  symlinkSync('a.txt', at('link'))
  t.strictSame(await contentsOf(ann, '/link'), ['one'], 'a link has the versions of its target')
  await ann('POST', `/api/versions/link?version=${version?.id}`)
  t.equal(readFileSync(at('a.txt'), 'utf8'), 'one')
  await document.update(({ users }) => {
    for (const user of Object.values(users))
      if (user.username === 'ann')
        user.rules = [{ allow: false, path: '/secret', regex: false, regexp: null }]
  })
  t.equal((await ann('GET', `/api/raw/secret/c.txt?version=${hidden?.id}`)).statusCode, 403)
  t.equal((await ann('GET', '/api/versions/secret/c.txt')).statusCode, 403)
  for (const id of ['x', '..', '%2e%2e%2fa', 'x'.repeat(65), ''])
    t.ok((await ann('GET', `/api/raw/a.txt?version=${id}`)).statusCode >= 400, id)
  t.equal((await ann('GET', '/api/versions/')).statusCode, 405, 'a folder has none')
})

t.test('users see the old contents that were replaced in their scope', async (t) => {
  const people = { bob: { scope: '/team', perm: { download: true, modify: true } } }
  const { as } = await start(t, { tree: { desk: { 'a.txt': 'draft' }, team: {} }, people })
  const [admin, bob] = [await as('admin'), await as('bob')]
  await save(admin, '/desk/a.txt', 'final')
  await admin('PATCH', '/api/resources/desk/a.txt?action=rename&destination=/team/a.txt')
  t.strictSame(await versionsOf(bob, '/a.txt'), [])
  t.strictSame(await contentsOf(admin, '/team/a.txt'), ['draft'])
  await save(bob, '/a.txt', 'of the team')
  t.strictSame(await contentsOf(bob, '/a.txt'), ['final'])
})

t.test('administrators decide which files keep versions', async (t) => {
  const { ann, document } = await begin(t, {
    'a.txt': 'one',
    docs: { 'b.txt': 'b' },
    'large.txt': 'x'.repeat(100),
  })
  await document.update(({ settings }) => {
    const usual = { trash: true, days: 30, share: 10, userShare: 10, versions: true }
    settings.keeping = { ...usual, versionSize: 50, withoutVersions: ['/docs'] }
  })
  for (const path of ['/a.txt', '/docs/b.txt', '/large.txt']) await save(ann, path, 'new')
  t.strictSame(await contentsOf(ann, '/a.txt'), ['one'])
  t.strictSame(await contentsOf(ann, '/docs/b.txt'), [])
  t.strictSame(await contentsOf(ann, '/large.txt'), [])
  await document.update(({ settings }) => {
    if (settings.keeping) settings.keeping.versions = false
  })
  await save(ann, '/a.txt', 'newer')
  t.strictSame(await contentsOf(ann, '/a.txt'), ['one'])
})

t.test('an old content that another program changes through a second name is not mixed up', async (t) => {
  const { ann, at } = await begin(t)
  await save(ann, '/a.txt', 'two')
  writeFileSync(at('a.txt'), 'edited in place')
  t.strictSame(await contentsOf(ann, '/a.txt'), ['one'])
})
