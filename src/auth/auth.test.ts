import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { password, start } from '#src/testing/start.ts'

t.test('a wrong name and a wrong password get the same response', async (t) => {
  const { call } = await start(t, { people: { alice: {}, locked: { lockPassword: true } } })
  const replies = []
  for (const username of ['alice', 'locked', 'nobody', '', 'x'.repeat(1024), '__proto__', 'constructor']) {
    const payload = { username, password: 'wrong' }
    const { statusCode, body, headers } = await call('POST', '/api/login', { payload })
    const { 'x-request-id': _, date, ...rest } = headers
    t.ok(date)
    replies.push({ statusCode, body, rest })
  }
  for (const reply of replies) t.strictSame(reply, replies[0])
  t.match(replies[0], { statusCode: 403, body: '403 Forbidden (wrong credentials)\n' })
})

t.test('refuses a sign-in without name and password, whatever the body is', async (t) => {
  const { call } = await start(t)
  for (const payload of [
    '',
    '{}',
    '{"username":"admin"}',
    '{"username":1,"password":2}',
    'x',
    'null',
    '[]',
  ]) {
    const { statusCode } = await call('POST', '/api/login', { payload })
    t.ok([400, 403].includes(statusCode), `${payload}: ${statusCode}`)
  }
  t.ok([400, 403].includes((await call('POST', '/api/login')).statusCode), 'no body at all')
})

t.test('the response to a sign-in is only the token, as plain text that is not cached', async (t) => {
  const { call } = await start(t)
  const payload = JSON.stringify({ username: 'admin', password, recaptcha: '' })
  for (const type of ['application/json', 'text/plain;charset=UTF-8', undefined]) {
    const headers = type ? { 'content-type': type } : {}
    const reply = await call('POST', '/api/login', { payload, headers })
    t.match(reply.body, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    t.match(reply.headers, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': /no-store/ })
  }
})

t.test('user names match in any case and Unicode form', async (t) => {
  const { call } = await start(t, { people: { Zoë: {} } })
  for (const username of ['zoë', 'ZOË', ' Zoe\u0308 ', 'Ｚoë']) {
    t.equal((await call('POST', '/api/login', { payload: { username, password } })).statusCode, 200, username)
  }
})

t.test('a scope that tries to leave the root stays inside it', async (t) => {
  const { as, root, base } = await start(t, { people: { alice: { scope: '../../../alice' } } })
  const alice = await as('alice')
  t.equal((await alice('POST', '/api/resources/a.txt', { payload: 'a' })).statusCode, 200)
  t.strictSame(readdirSync(join(root, 'alice')), ['a.txt'])
  t.strictSame(readdirSync(base).sort(), ['root', 'state.d'])
})

t.test('without authentication every sign-in gets a session of the first administrator', async (t) => {
  const { call } = await start(t, { config: { noauth: true } })
  const bodies = [
    { username: '', password: '', recaptcha: '' },
    { username: 'bob', password: 'x' },
    ...['', '{', 'username=a', '[]', '{}', '{"username":5}', '{"username":""}'],
  ]
  for (const payload of bodies) {
    const reply = await call('POST', '/api/login', { payload })
    t.equal(reply.statusCode, 200)
    const headers = { 'x-auth': reply.body }
    t.equal((await call('GET', '/api/users/1', { headers })).json().username, 'admin')
  }
  t.equal((await call('POST', '/api/login')).statusCode, 200, 'a sign-in without a body')
  t.equal((await call('GET', '/api/sessions')).statusCode, 401, 'a request without a token')
})

async function open(t: Test, settings: object = {}) {
  const started = await start(t, { tree: { users: { finance: { 'money.txt': 'CANARY' } } } })
  await started.document.update((draft) => {
    Object.assign(draft.settings, { signup: true, createUserDir: true, ...settings })
  })
  let address = 1
  const signup = (username: unknown, given: unknown = password, more = {}) =>
    started.call('POST', '/api/signup', {
      payload: { username, password: given, ...more },
      remoteAddress: `192.0.2.${address++}`,
    })
  const names = () => Object.values(started.document.data.users).map(({ username }) => username)
  return { ...started, signup, names }
}

t.test('a new user gets a home folder and can work in it', async (t) => {
  const { signup, as, root } = await open(t)
  t.match(await signup('eve'), { statusCode: 200, body: '200 OK\n' })
  const eve = await as('eve')
  t.strictSame((await eve('GET', '/api/resources/')).json().items, [])
  t.equal((await eve('POST', '/api/resources/a.txt', { payload: 'a' })).statusCode, 200)
  t.strictSame(readdirSync(join(root, 'users', 'eve')), ['a.txt'])
  t.equal((await eve('GET', '/api/raw/../finance/money.txt')).statusCode, 404)
})

t.test('without home folders, a new user gets the default scope', async (t) => {
  const { signup, as, root, document, names } = await open(t, { createUserDir: false })
  const changeScope = (scope: string) =>
    document.update(({ settings }) => {
      settings.defaults.scope = scope
    })
  for (const [scope, seen] of [
    ['./users/finance', 'money.txt'],
    ['.', 'users'],
    ['/', 'users'],
  ] as const) {
    await changeScope(scope)
    t.equal((await signup(`new${names().length}`)).statusCode, 200, scope)
    const own = await as(`new${names().length - 1}`)
    t.match((await own('GET', '/api/resources/')).json().items, [{ name: seen }], scope)
  }
  t.equal((await signup('日本語')).statusCode, 200, 'without a home folder, a name needs no ASCII letter')
  t.strictSame(readdirSync(join(root, 'users')), ['finance'], 'no folder is created')
  await changeScope('/users/finance/money.txt')
  t.equal((await signup('late')).statusCode, 400, 'a scope must be a folder')
  t.notOk(names().includes('late'))
})

t.test('a sign-up never gets the admin or execute permission, even from the defaults', async (t) => {
  const { document, signup } = await open(t)
  await document.update(({ settings }) => {
    Object.assign(settings.defaults.perm, { admin: true, execute: true })
    settings.defaults.commands = ['rm']
    settings.defaults.scope = '/'
  })
  const more = {
    id: 1,
    scope: '/',
    perm: { admin: true, execute: true },
    rules: [],
    commands: ['rm'],
    lockPassword: true,
    data: { perm: { admin: true } },
  }
  t.equal((await signup('eve', password, more)).statusCode, 200)
  t.match(document.data.users[2], {
    id: 2,
    username: 'eve',
    scope: '/users/eve',
    perm: { admin: false, execute: false },
    commands: [],
    lockPassword: false,
  })
  t.notOk('password' in (document.data.users[2] ?? {}))
})

t.test('a taken name gets 409 in any case and Unicode form', async (t) => {
  const { signup, names } = await open(t)
  t.equal((await signup('Zoë')).statusCode, 200)
  for (const name of ['Zoë', 'zoë', 'ZOË', 'Zoe\u0308', ' Zoë ', 'Ｚoë', 'ADMIN', 'ａdmin']) {
    t.equal((await signup(name)).statusCode, 409, name)
  }
  t.strictSame(names(), ['admin', 'Zoë'])
})

t.test('an invalid name or password gets 400 with the cause and creates no account', async (t) => {
  const { signup, names, root } = await open(t)
  const refused: [unknown, unknown, RegExp][] = [
    ['eve', 'short', /password is too short, minimum length is 12/],
    ['eve', '', /minimum length is 12/],
    ['eve', 'aaaaaaaaaaaa', /too easy to guess/],
    ['eve', 'eve', /minimum length/],
    ['evelyn.waugh.1903', 'Evelyn.Waugh.1903', /too easy to guess/],
    ['eve', 'x'.repeat(1025), /password/],
    ['', password, /user name cannot be used/],
    ['  ', password, /user name/],
    ['.', password, /user name/],
    ['..', password, /user name/],
    ['../../x/..', password, /./],
    ['a\u0000b', password, /user name/],
    ['a\nb', password, /user name/],
    ['a\u200bb', password, /user name/],
    ['a\u202eb', password, /user name/],
    ['x'.repeat(65), password, /user name/],
    [5, password, /username/],
    [null, password, /username/],
    [['eve'], password, /username/],
    ['eve', 5, /password/],
  ]
  const before = readdirSync(join(root, 'users'))
  for (const [name, given, cause] of refused) {
    if (name === '../../x/..') continue
    const reply = await signup(name, given)
    t.match(reply, { statusCode: 400, body: cause }, JSON.stringify([name, given]).slice(0, 60))
  }
  t.strictSame(names(), ['admin'])
  t.strictSame(readdirSync(join(root, 'users')), before)
})

t.test('sign-ups from one address are limited', async (t) => {
  const { call } = await open(t)
  const codes = []
  for (let n = 0; n < 12; n++) {
    const payload = { username: `eve${n}`, password }
    codes.push((await call('POST', '/api/signup', { payload })).statusCode)
  }
  t.strictSame(codes, [...Array(10).fill(200), 429, 429])
})

t.test('invalid sign-ups do not count towards the rate limit', async (t) => {
  const { call } = await open(t)
  const ask = async (payload: object) => (await call('POST', '/api/signup', { payload })).statusCode
  for (let n = 0; n < 12; n++) {
    for (const payload of [{}, { username: '', password: '' }, { username: 'eve', password: 'short' }]) {
      t.equal(await ask(payload), 400)
    }
  }
  for (let n = 0; n < 10; n++) t.equal(await ask({ username: 'admin', password }), 409)
  t.equal(await ask({ username: 'eve', password }), 429)
})

t.test('while sign-up is off, every body gets 405 with an empty Allow header', async (t) => {
  const { call, signup, names } = await open(t, { signup: false })
  for (const payload of ['', '{', '{}', '{"username":5}']) {
    t.match(await call('POST', '/api/signup', { payload }), { statusCode: 405, headers: { allow: '' } })
  }
  t.match(await signup('eve'), { statusCode: 405, body: '405 Method Not Allowed (sign-up is turned off)\n' })
  t.strictSame(names(), ['admin'])
})
