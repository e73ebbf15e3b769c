import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hostileNames } from '#src/testing/names.ts'
import { password, start } from '#src/testing/start.ts'

async function setUp(t: Test, settings: object = {}) {
  const started = await start(t)
  const admin = await started.as('admin')
  await admin('PUT', '/api/settings', { payload: { createUserDir: true, ...settings } })
  const add = (username: string, data: object = {}) =>
    admin('POST', '/api/users', {
      payload: { what: 'user', which: [], data: { username, password, ...data } },
    })
  const signup = (username: string) =>
    started.call('POST', '/api/signup', { payload: { username, password } })
  const scopes = () =>
    Object.values(started.document.data.users).map(({ username, scope }) => [username, scope])
  return { ...started, admin, add, signup, scopes }
}

t.test('createUserDir: a user without a scope gets a home folder', async (t) => {
  const { add, scopes, root } = await setUp(t)
  for (const [name, data] of [
    ['bob smith..', {}],
    ['ann', { scope: '' }],
    ['eve', { scope: '.' }],
    ['zoe', { scope: ' ./ ' }],
  ] as const) {
    t.equal((await add(name, data)).statusCode, 201, name)
  }
  t.strictSame(scopes().slice(1), [
    ['bob smith..', '/users/bob-smith'],
    ['ann', '/users/ann'],
    ['eve', '/users/eve'],
    ['zoe', '/users/zoe'],
  ])
  t.strictSame(readdirSync(join(root, 'users')).sort(), ['ann', 'bob-smith', 'eve', 'zoe'])
  t.equal(statSync(join(root, 'users/ann')).mode & 0o027, 0, 'the mode comes from the settings')
})

t.test('createUserDir: an explicit scope from an administrator is used unchanged', async (t) => {
  const { add, scopes, root } = await setUp(t)
  await add('ann', { scope: '/' })
  await add('bob', { scope: '/team' })
  await add('eve', { scope: 'team' })
  t.strictSame(scopes().slice(1), [
    ['ann', '/'],
    ['bob', '/team'],
    ['eve', '/team'],
  ])
  t.notOk(existsSync(join(root, 'users')))
})

t.test(
  'createUserDir: the default scope counts as no scope, and the base folder of homes can be changed',
  async (t) => {
    const settings = { userHomeBasePath: 'people/../home/', defaults: { scope: './all' } }
    const { add, scopes, root } = await setUp(t, settings)
    await add('ann', { scope: './all' })
    await add('bob', { scope: '/all' })
    t.strictSame(scopes().slice(1), [
      ['ann', '/home/ann'],
      ['bob', '/all'],
    ])
    t.ok(existsSync(join(root, 'home/ann')))
  },
)

t.test('two names with the same home folder cannot both get an account', async (t) => {
  const { add, signup, scopes, admin } = await setUp(t, { signup: true })
  t.equal((await add('team/x')).statusCode, 201)
  for (const name of [
    'team-x',
    'team--x',
    ' team-x ',
    'team..-x',
    'TEAM-X',
    'team x',
    'team\\x',
    'te..am-x',
  ]) {
    t.equal((await add(name)).statusCode, 409, name)
    t.equal((await signup(name)).statusCode, 409, name)
  }
  t.equal((await add('guest', { scope: '/Users/Lisa' })).statusCode, 201)
  t.equal((await add('lisa')).statusCode, 409, 'a folder that is the scope of another user is taken')
  t.equal((await signup('LISA')).statusCode, 409)
  t.equal(scopes().length, 3)
  const { username } = (await admin('GET', '/api/users/2')).json()
  t.equal(username, 'team/x')
})

t.test('of parallel requests for one home folder, exactly one succeeds', async (t) => {
  const { add, signup, scopes, root } = await setUp(t, { signup: true })
  const names = ['a/b', 'a-b', 'A b', 'a--b']
  const replies = await Promise.all(names.flatMap((name) => [signup(name), add(name)]))
  const codes = replies.map(({ statusCode }) => statusCode)
  t.equal(codes.filter((code) => code < 300).length, 1, codes.join())
  t.equal(codes.filter((code) => code === 409).length, 7, codes.join())
  t.equal(scopes().length, 2)
  t.equal(readdirSync(join(root, 'users')).length, 1)
})

t.test('with home folders, a name without an ASCII letter or digit gets no account', async (t) => {
  const { add, signup, scopes } = await setUp(t, { signup: true })
  for (const name of ['..', '.', '-', 'ä', '日本語', '//', '....']) {
    t.equal((await add(name)).statusCode, 400, name)
    t.equal((await signup(name)).statusCode, 400, name)
  }
  t.equal(scopes().length, 1)
})

t.test('hostile names get a home folder inside the base folder', async (t) => {
  const { add, root, base } = await setUp(t)
  for (const name of [...hostileNames, '../../x', '..\\x', '%2e%2e', '/etc', 'CON', 'a'.repeat(64)]) {
    const { statusCode } = await add(name)
    t.ok([201, 400, 409].includes(statusCode), `${name}: ${statusCode}`)
  }
  t.strictSame(readdirSync(base).sort(), ['root', 'state.d'])
  t.strictSame(readdirSync(root), ['users'])
  for (const name of readdirSync(join(root, 'users'))) t.match(name, /^[\w@.-]+$/)
})

t.test('deleting an account keeps its home folder, and a later sign-up does not get it', async (t) => {
  const { add, signup, admin, root } = await setUp(t, { signup: true })
  await add('finance')
  writeFileSync(join(root, 'users/finance/books.txt'), 'secret')
  await admin('DELETE', '/api/users/2')
  t.equal((await signup('finance')).statusCode, 409)
  t.equal((await add('finance')).statusCode, 201, 'an administrator may reuse it')
  t.equal((await signup('Finance')).statusCode, 409)
})

t.test('creates no account when the base folder of homes leads outside the root', async (t) => {
  const { add, signup, scopes, base, root } = await setUp(t, { signup: true })
  mkdirSync(join(base, 'elsewhere'))
  symlinkSync('../elsewhere', join(root, 'users'))
  t.equal((await add('ann')).statusCode, 403)
  t.equal((await signup('bob')).statusCode, 403)
  t.strictSame(readdirSync(join(base, 'elsewhere')), [])
  t.equal(scopes().length, 1, 'no account without its home folder')
  rmSync(join(root, 'users'))
  writeFileSync(join(root, 'users'), 'a file')
  t.equal((await add('ann')).statusCode, 409)
  t.equal((await signup('bob')).statusCode, 409)
  t.equal(scopes().length, 1)
})

t.test(
  'creates no account when its home folder cannot be created',
  { skip: process.getuid?.() === 0 },
  async (t) => {
    const { add, scopes, root } = await setUp(t)
    chmodSync(root, 0o500)
    t.teardown(() => chmodSync(root, 0o700))
    t.equal((await add('ann')).statusCode, 403)
    t.equal(scopes().length, 1)
  },
)

t.test('creates the missing folder of a scope at the first sign-in', async (t) => {
  const { add, as, root } = await setUp(t)
  await add('ann', { scope: '/later/on' })
  t.notOk(existsSync(join(root, 'later')))
  t.match((await (await as('ann'))('GET', '/api/resources/')).json(), { items: [] })
  t.ok(existsSync(join(root, 'later/on')))
})

t.test('rejects new names that begin with a dash, but existing users keep such a name', async (t) => {
  const { add, signup, scopes, admin, document, as } = await setUp(t, { signup: true })
  for (const name of ['-rf', '--help', ' -x', '-a b']) {
    t.match(await add(name), { statusCode: 400, body: /user name/ }, name)
    t.match(await signup(name), { statusCode: 400, body: /user name/ }, name)
  }
  t.equal(scopes().length, 1)
  await add('old')
  await document.update((draft) => {
    Object.assign(draft.users[2] ?? {}, { username: '-old' })
  })
  const old = await as('-old')
  const data = (await old('GET', '/api/users/2')).json()
  const change = (username: string) =>
    admin('PUT', '/api/users/2', {
      payload: { what: 'user', which: ['all'], data: { ...data, username, locale: 'de' } },
    })
  t.equal((await change('-older')).statusCode, 400)
  t.equal((await change('-old')).statusCode, 200, 'a form sends the unchanged name')
  t.match((await old('GET', '/api/users/2')).json(), { username: '-old', locale: 'de' })
  t.equal((await change('new')).statusCode, 200)
})
