import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Bookmark, maxRecent, maxStarred } from '#contract/history/bookmarks.ts'
import { formOf, formSender } from '#src/testing/forms.ts'
import { hostileNames } from '#src/testing/names.ts'
import { start } from '#src/testing/start.ts'

type Call = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['as']>>

const url = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const perm = { delete: true, create: true, download: true, modify: true, rename: true }
const people = { ann: { perm }, bob: { scope: '/team', perm } }

async function begin(t: Test, tree: NonNullable<Parameters<typeof start>[1]>['tree']) {
  const running = await start(t, { tree: tree ?? {}, people })
  const [admin, ann, bob] = [await running.as('admin'), await running.as('ann'), await running.as('bob')]
  return { ...running, admin, ann, bob, at: (path: string) => join(running.root, path) }
}

async function list(call: Call, which: 'starred' | 'recent'): Promise<Bookmark[]> {
  const reply = await call('GET', `/api/${which}`)
  if (reply.statusCode !== 200) throw new Error(reply.body)
  return reply.json()
}

const starred = async (call: Call) => (await list(call, 'starred')).map(({ path }) => path).sort()
const recent = async (call: Call) => (await list(call, 'recent')).map(({ path }) => path)

async function ok(call: Call, method: string, path: string, options?: object) {
  const reply = await call(method, path, options)
  if (reply.statusCode !== 200) throw new Error(`${method} ${path}: ${reply.body}`)
  return reply
}

const star = (call: Call, path: string) => ok(call, 'PUT', `/api/starred${url(path)}`)
const open = (call: Call, path: string) => ok(call, 'POST', `/api/recent${url(path)}`)
const move = (call: Call, from: string, to: string) =>
  ok(call, 'PATCH', `/api/resources${url(from)}?action=rename&destination=${encodeURIComponent(url(to))}`)

t.test('each user stars files and folders, and removes the stars', async (t) => {
  const { ann, admin, at } = await begin(t, { docs: { 'a.txt': 'hello' } })
  await star(ann, '/docs')
  await star(ann, '/docs/a.txt')
  await star(ann, '/docs/a.txt')
  t.match(
    (await list(ann, 'starred')).sort((a, b) => a.path.length - b.path.length),
    [
      { name: 'docs', path: '/docs', isDir: true, type: '', exists: true },
      { name: 'a.txt', path: '/docs/a.txt', isDir: false, type: 'text', exists: true, size: 5 },
    ],
  )
  t.strictSame(await starred(admin), [], 'they belong to one user')
  rmSync(at('docs/a.txt'))
  t.match(
    (await list(ann, 'starred')).find(({ path }) => path === '/docs/a.txt'),
    { exists: false, isDir: false, size: 0, modified: '' },
    'what another program has deleted is marked',
  )
  for (const path of ['/docs', '/docs/a.txt', '/docs/a.txt']) await ok(ann, 'DELETE', `/api/starred${path}`)
  t.strictSame(await starred(ann), [])
})

t.test('stars and recent files follow renamed, deleted and restored entries', async (t) => {
  const { ann, admin, services } = await begin(t, { docs: { sub: { 'a.txt': 'hello' }, 'sub-two': {} } })
  for (const path of ['/docs/sub', '/docs/sub/a.txt', '/docs/sub-two']) await star(ann, path)
  await open(ann, '/docs/sub/a.txt')
  await move(admin, '/docs/sub', '/docs/new')
  t.strictSame(await starred(ann), ['/docs/new', '/docs/new/a.txt', '/docs/sub-two'])
  t.strictSame(await recent(ann), ['/docs/new/a.txt'])
  await ok(admin, 'DELETE', '/api/resources/docs')
  t.strictSame([await starred(ann), await recent(ann)], [[], []])
  const [item] = (await ok(admin, 'GET', '/api/trash')).json().items
  await ok(admin, 'POST', `/api/trash/${item.id}/restore`)
  t.strictSame(await starred(ann), ['/docs/new', '/docs/new/a.txt', '/docs/sub-two'])
  t.strictSame(await recent(ann), ['/docs/new/a.txt'])
  await ok(admin, 'DELETE', '/api/resources/docs/new')
  await ok(admin, 'DELETE', '/api/trash')
  await ok(admin, 'DELETE', '/api/resources/docs/sub-two?permanent=true')
  t.strictSame(await services.database.read('SELECT path FROM user_paths'), [], 'nothing is left of them')
})

t.test('files that a user opens, creates, saves or renames are recent, the newest first', async (t) => {
  const { ann, bob, admin, clock } = await begin(t, { 'a.txt': 'a', team: { 'b.txt': 'b', 'c.txt': 'c' } })
  const next = () => clock.advance({ seconds: 1 })
  await open(ann, '/a.txt')
  next()
  await ok(ann, 'POST', '/api/resources/new.txt', { payload: 'new' })
  next()
  await ok(ann, 'PUT', '/api/resources/team/b.txt', { payload: 'changed' })
  next()
  await ok(ann, 'POST', '/api/resources/folder/')
  await move(ann, '/team/c.txt', '/team/d.txt')
  t.strictSame(await recent(ann), ['/team/d.txt', '/team/b.txt', '/new.txt', '/a.txt'])
  next()
  await open(ann, '/a.txt')
  t.equal((await recent(ann))[0], '/a.txt')
  t.strictSame([await recent(bob), await recent(admin)], [[], []])
  t.equal((await ann('POST', '/api/recent/team')).statusCode, 405, 'folders are not recent')
  await ok(ann, 'DELETE', '/api/recent')
  t.strictSame(await recent(ann), [])
})

t.test('an upload of many files is one recent entry: the folder of the files', async (t) => {
  const { ann, bob, clock } = await begin(t, { photos: {}, team: {} })
  const upload = (call: Call, path: string) =>
    ok(call, 'POST', `/api/resources${url(path)}`, { payload: 'x' })
  const undo = (call: Call, { headers }: Awaited<ReturnType<typeof upload>>) =>
    ok(call, 'POST', `/api/operations/${headers['x-operation']}/undo`)
  const entries = async (call: Call) =>
    (await list(call, 'recent')).map(({ path, files }) => (files ? `${path}: ${files}` : path))
  for (let n = 0; n < 3; n++) await upload(ann, `/photos/${n}.jpg`)
  t.equal((await recent(ann)).length, 3, 'few files are listed one by one')
  await open(ann, '/photos/0.jpg')
  for (let n = 3; n < 45; n++) await upload(ann, `/photos/${n}.jpg`)
  t.strictSame(await entries(ann), ['/photos: 44', '/photos/0.jpg'], 'opened files stay')
  clock.advance({ minutes: 11 })
  await upload(ann, '/photos/later.jpg')
  t.strictSame(await entries(ann), ['/photos/later.jpg', '/photos: 44', '/photos/0.jpg'])
  clock.advance({ minutes: 11 })
  const files = Array.from({ length: 20 }, (_, n): [string, string] => [`day%20${n % 2}/${n}.jpg`, 'x'])
  const reply = await formSender(ann)('/api/upload/photos/trip/', formOf(...files))
  t.equal(reply.statusCode, 200)
  t.equal((await entries(ann))[0], '/photos/trip: 20', 'a folder is uploaded in one request')
  await move(ann, '/photos', '/pictures')
  t.equal((await entries(ann))[0], '/pictures/trip: 20')
  const uploaded = []
  for (let n = 0; n < 5; n++) uploaded.push(await upload(bob, `/${n}.jpg`))
  t.strictSame(await entries(bob), ['/: 5'], 'the folder of the user')
  for (const one of uploaded.splice(0, 2)) await undo(bob, one)
  t.strictSame(await entries(bob), ['/: 3'])
  for (const one of uploaded) await undo(bob, one)
  t.strictSame(await entries(bob), [], 'an upload that was undone is not recent')
})

t.test('lists are limited', async (t) => {
  const names = Array.from({ length: maxStarred + 1 }, (_, n) => `${n}.txt`)
  const { ann, services } = await begin(t, Object.fromEntries(names.map((name) => [name, ''])))
  for (const name of names.slice(1)) await star(ann, `/${name}`)
  const refused = await ann('PUT', '/api/starred/0.txt', { headers: { accept: 'application/json' } })
  t.match(refused.json(), { status: 429, code: 'star.many', details: { most: maxStarred } })
  await star(ann, '/1.txt')
  await ok(ann, 'DELETE', '/api/resources/1.txt')
  await star(ann, '/0.txt')
  t.equal((await starred(ann)).length, maxStarred, 'what is in the trash makes room')
  for (const name of names.slice(2, 260)) await open(ann, `/${name}`)
  t.equal((await recent(ann)).length, maxRecent)
  const [row] = await services.database.read<{ n: number }>(
    `SELECT count(*) AS n FROM user_paths WHERE kind = 'recent'`,
  )
  t.equal(row?.n, 200)
})

t.test('users see only what they may read now', async (t) => {
  const { admin, ann, bob, document, at, base } = await begin(t, {
    'a.txt': 'a',
    team: { 'b.txt': 'b', secret: { 'c.txt': 'c' }, '.dot': 'd' },
  })
  mkdirSync(join(base, 'outside'))
  writeFileSync(join(base, 'outside/x.txt'), 'x')
  symlinkSync(join(base, 'outside'), at('team/out'))
  symlinkSync(at('a.txt'), at('team/up.txt'))
  const attempts = [
    '/../a.txt',
    '/%2e%2e/a.txt',
    '/out/x.txt',
    '/out',
    '/up.txt',
    '/missing.txt',
    '/',
    '',
    '/a%00b',
  ]
  for (const path of attempts) {
    for (const [method, place] of [
      ['PUT', 'starred'],
      ['POST', 'recent'],
    ] as const) {
      const { statusCode } = await bob(method, `/api/${place}${path}`)
      t.ok(statusCode >= 400 && statusCode < 500, `${method} ${place} ${path}: ${statusCode}`)
    }
  }
  t.strictSame([await starred(bob), await recent(bob)], [[], []])
  for (const path of ['/b.txt', '/secret/c.txt', '/.dot']) {
    await star(bob, path)
    await open(bob, path)
  }
  await document.update(({ users }) => {
    for (const user of Object.values(users)) {
      if (user.username !== 'bob') continue
      user.rules = [{ allow: false, path: '/SECRET', regex: false, regexp: null }, ...deny('/secret')]
      user.hideDotfiles = true
    }
  })
  t.strictSame([await starred(bob), await recent(bob)], [['/b.txt'], ['/b.txt']])
  t.equal((await bob('PUT', '/api/starred/secret/c.txt')).statusCode, 403)
  await move(admin, '/team/b.txt', '/moved.txt')
  t.strictSame([await starred(bob), await recent(bob)], [[], []], 'what has left the scope is not shown')
  // A link takes the place of a starred folder.
  await document.update(({ users }) => {
    for (const user of Object.values(users)) if (user.username === 'bob') user.rules = []
  })
  renameSync(at('team/secret'), join(base, 'outside/secret'))
  symlinkSync(join(base, 'outside/secret'), at('team/secret'))
  t.strictSame([await starred(bob), await recent(bob)], [[], []])
  await star(ann, '/a.txt')
  await ok(bob, 'DELETE', '/api/starred/a.txt')
  await bob('DELETE', '/api/starred/../a.txt')
  t.strictSame(await starred(ann), ['/a.txt'], 'users cannot remove the stars of others')
})

const deny = (path: string) => [{ allow: false, path, regex: false, regexp: null }]

t.test('hostile names can be starred and opened', async (t) => {
  const { ann } = await begin(t, { all: Object.fromEntries(hostileNames.map((name) => [name, name])) })
  for (const name of hostileNames) {
    await star(ann, `/all/${name}`)
    await open(ann, `/all/${name}`)
  }
  const expected = hostileNames.map((name) => `/all/${name}`).sort()
  t.strictSame(await starred(ann), expected)
  t.strictSame((await recent(ann)).sort(), expected)
  for (const path of expected) await ok(ann, 'DELETE', `/api/starred${url(path)}`)
  t.strictSame(await starred(ann), [])
})

t.test('the lists of a user are deleted with the account', async (t) => {
  const { ann, admin, services, document } = await begin(t, { 'a.txt': 'a' })
  await star(ann, '/a.txt')
  await open(ann, '/a.txt')
  await star(admin, '/a.txt')
  const id = Object.values(document.data.users).find(({ username }) => username === 'ann')?.id
  await services.users.remove(undefined, id ?? 0)
  t.strictSame(await services.database.read('SELECT user FROM user_paths'), [{ user: 1 }])
})
