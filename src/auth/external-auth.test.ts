import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { password, start } from '#src/testing/start.ts'
import { dial, exchange, listen } from '#src/testing/wire.ts'

const proxy = '10.1.2.3'

/** An instance behind a proxy that sends user names in `X-Remote-User`. */
async function startBehindProxy(t: Test, { signup = false, config = {}, people = {} } = {}) {
  const started = await start(t, {
    config: { authHeader: 'x-remote-user', trustedProxy: ['10.0.0.0/8', '127.0.0.1'], ...config },
    people: { alice: { scope: '/alice' }, bob: {}, ...people },
  })
  await started.document.update((draft) => {
    Object.assign(draft.settings, { signup, createUserDir: true })
    draft.settings.defaults.perm = { ...draft.settings.defaults.perm, admin: true, execute: true }
    draft.settings.defaults.commands = ['git']
  })
  const signIn = (name: string, { from = proxy, token = '' } = {}) =>
    started.call('POST', '/api/login', {
      payload: { username: '', password: '' },
      remoteAddress: from,
      headers: { 'x-remote-user': name, ...(token && { 'x-auth': token }) },
    })
  const userOf = async (token: string) => {
    const { statusCode, body } = await started.call('GET', '/api/sessions', { headers: { 'x-auth': token } })
    if (statusCode !== 200) return statusCode
    const { user } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    // Only the user may read this record: this proves that the session belongs to the user, not only the token.
    const own = await started.call('GET', `/api/users/${user.id}`, { headers: { 'x-auth': token } })
    return { user: own.json().username, sessions: JSON.parse(body).length }
  }
  const names = () => Object.values(started.document.data.users).map(({ username }) => username)
  return { ...started, signIn, userOf, names }
}

t.test('signs in the user named by a trusted proxy without a password', async (t) => {
  const { signIn, userOf } = await startBehindProxy(t)
  t.strictSame(await userOf((await signIn('alice')).body), { user: 'alice', sessions: 1 })
})

/** A name as a proxy sends it: its UTF-8 bytes as Latin-1 characters. */
const bytes = (name: string) => Buffer.from(name).toString('latin1')

/** Spellings that would equal `alice` or `Zoë` if names were folded, normalised or trimmed. */
const alike = [
  'ALICE',
  'Alice',
  '\uff41lice',
  'alice\u00a0',
  '\u3000alice',
  '\ufeffalice',
  'alice\u2028',
  'al\u{1d5c2}ce',
  'Zoe\u0308',
  'zoë',
]

for (const signup of [false, true]) {
  const where = signup ? 'sign-up on' : 'sign-up off'
  t.test(`a name from the proxy matches an account only if it is exactly the same (${where})`, async (t) => {
    const log = join(t.testdirName, 'log')
    const config = { log, logFormat: 'json' as const }
    const { signIn, names, userOf } = await startBehindProxy(t, {
      signup,
      config,
      people: { Zoë: {}, ＺＥＤ: {} },
    })
    const before = names()
    for (const name of alike) {
      const { statusCode, body } = await signIn(bytes(name))
      t.ok(
        (signup ? [400, 409] : [403]).includes(statusCode),
        `${encodeURIComponent(name)}: ${statusCode} ${body}`,
      )
    }
    t.strictSame(names(), before, 'no account is created')
    for (const exact of ['alice', 'Zoë', 'ＺＥＤ']) {
      t.match(
        await userOf((await signIn(bytes(exact))).body),
        { user: exact, sessions: 1 },
        'only one session began',
      )
    }
    const lines = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const warnings = lines.filter(({ level }) => level === 'warn')
    t.match(warnings[0], { given: 'ALICE', account: 'alice', msg: /is spelled differently from the account/ })
    t.match(warnings[2], { given: '\\u{ff41}lice', account: 'alice' })
    t.ok(warnings.some(({ given, account }) => given === 'Zoe\\u{308}' && account === 'Zo\\u{eb}'))
  })
}

t.test('ignores spaces and tabs around the header value, as HTTP requires', async (t) => {
  const { app } = await startBehindProxy(t)
  const port = await listen(app)
  const { socket, closed } = await dial(t, port)
  const head = 'Host: x\r\nX-Remote-User: \t alice \t \r\nContent-Length: 0\r\nConnection: close'
  socket.write(`POST /api/login HTTP/1.1\r\n${head}\r\n\r\n`)
  t.match(await closed(), /^HTTP\/1\.1 200 /)
})

t.test('a name cannot forge a line in the log', async (t) => {
  const log = join(t.testdirName, 'log')
  const forged = 'alice\u00a0" level=error \\u{a} \u2028\u0085\u001b[2J'
  const { signIn } = await startBehindProxy(t, { config: { log, logFormat: 'text' } })
  await signIn(bytes(forged))
  await signIn(bytes(`${'\u3000'.repeat(4000)}alice`))
  await signIn(bytes('ALICE'))
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  t.equal(lines.length, 3 + 2, 'one line per request, and two spelling warnings')
  for (const line of lines) {
    t.match(line, /^\d{4}-\d\d-\d\dT\S+ (INFO|WARN) /)
    t.match(line, /^[\x20-\x7e…]+$/)
    t.ok(line.length < 2000, String(line.length))
  }
})

t.test('creates no account whose name differs from another only in case or Unicode form', async (t) => {
  const { signIn, names, userOf } = await startBehindProxy(t, { signup: true })
  t.match(await userOf((await signIn('Carol')).body), { user: 'Carol' })
  t.match(await signIn('carol'), { statusCode: 409, body: /taken/ })
  t.match(await signIn(bytes('\uff23arol')), { statusCode: 409 })
  t.match(
    await signIn(bytes('Cafe\u0301')),
    { statusCode: 400, body: /cannot be used/ },
    'it would be stored in another form',
  )
  t.match(await signIn(bytes('dora\u00a0')), { statusCode: 400 })
  const both = await Promise.all(['dave', 'DAVE', 'Dave', 'dave'].map((name) => signIn(name)))
  t.equal(names().filter((name) => name.toLowerCase() === 'dave').length, 1)
  t.ok(both.every(({ statusCode }) => [200, 409].includes(statusCode)))
  t.equal(names().length, 5, 'admin, alice, bob, Carol and Dave')
})

t.test('ignores the header when it does not come from a trusted proxy', async (t) => {
  const { call, signIn, names } = await startBehindProxy(t, { signup: true })
  const before = names()
  for (const from of ['192.0.2.1', '11.0.0.1', '::1'])
    t.equal((await signIn('alice', { from })).statusCode, 403)
  const payload = { username: 'alice', password }
  const own = await call('POST', '/api/login', { payload, remoteAddress: proxy })
  t.equal(own.statusCode, 403, 'a password does not sign in')
  const forwarded = { 'x-remote-user': 'alice', 'x-forwarded-for': '127.0.0.1' }
  for (const remoteAddress of ['192.0.2.1', '::1']) {
    const reply = await call('POST', '/api/login', { headers: forwarded, remoteAddress })
    t.equal(reply.statusCode, 403, 'nor does a forged X-Forwarded-For address')
  }
  t.strictSame(names(), before, 'no account is created')
})

t.test('refuses a sign-in when the header is missing, empty, repeated or a list', async (t) => {
  const { app, call, signIn, names } = await startBehindProxy(t, { signup: true })
  const before = names()
  for (const name of ['', ' ', 'bob, admin', 'bob,admin', '\u00ff\u00fe', 'a'.repeat(65), '.', '..']) {
    const { statusCode } = await signIn(name)
    t.ok([400, 403].includes(statusCode), `${name}: ${statusCode}`)
  }
  const other = { 'x-remote_user': 'alice', x_remote_user: 'alice', 'remote-user': 'alice' }
  t.equal((await call('POST', '/api/login', { headers: other, remoteAddress: proxy })).statusCode, 403)
  const port = await listen(app)
  const { socket, closed } = await dial(t, port)
  const twice = 'X-Remote-User: alice\r\nx-remote-user: admin\r\n'
  socket.write(
    `POST /api/login HTTP/1.1\r\nHost: x\r\n${twice}Content-Length: 0\r\nConnection: close\r\n\r\n`,
  )
  t.match(await closed(), /^HTTP\/1\.1 403 /)
  const once = await exchange(port, 'POST', '/api/login', { headers: { 'X-Remote-User': 'alice' } })
  t.equal(once.status, 200, 'a single header is accepted')
  t.strictSame(names(), before)
})

t.test('a new user from the proxy gets an account only if sign-up is on', async (t) => {
  const closed = await startBehindProxy(t)
  t.equal((await closed.signIn('carol')).statusCode, 403)
  t.notOk(closed.names().includes('carol'))
  const { signIn, document, userOf, root } = await startBehindProxy(t, { signup: true })
  const name = Buffer.from('cärol').toString('latin1')
  t.strictSame(
    await userOf((await signIn(name)).body),
    { user: 'cärol', sessions: 1 },
    'names are read as UTF-8',
  )
  const made = Object.values(document.data.users).find(({ username }) => username === 'cärol')
  t.match(made, { scope: '/users/c-rol', lockPassword: true, commands: [], rules: [] })
  t.match(made?.perm, { admin: false, execute: false })
  mkdirSync(join(root, 'users/dave'))
  t.equal((await signIn('dave')).statusCode, 409, 'an existing folder is not given to a new user')
})

t.test(
  'of parallel first sign-ins that would share a home folder, exactly one gets an account',
  async (t) => {
    const { signIn, names } = await startBehindProxy(t, { signup: true })
    const visits = Array.from({ length: 20 }, (_, n) => signIn(n % 2 ? 'a/b' : 'a-b'))
    const codes = (await Promise.all(visits)).map(({ statusCode }) => statusCode)
    t.equal(names().filter((name) => /^a.b$/.test(name)).length, 1)
    t.ok(codes.every((code) => [200, 409].includes(code)))
  },
)

t.test('a page load keeps its session, unless the proxy names another user', async (t) => {
  const { signIn, userOf } = await startBehindProxy(t)
  const first = (await signIn('alice')).body
  const second = (await signIn('alice', { token: first })).body
  t.strictSame(await userOf(second), { user: 'alice', sessions: 1 })
  t.strictSame(await userOf((await signIn('bob', { token: second })).body), { user: 'bob', sessions: 1 })
  t.equal(await userOf(second), 401, 'the session of the other user has ended')
  t.strictSame(await userOf((await signIn('alice', { token: 'a.b.c' })).body), { user: 'alice', sessions: 1 })
})

t.test('a session ends when the proxy names another user on any request', async (t) => {
  const { call, signIn, userOf } = await startBehindProxy(t)
  const get = async (token: string, name: string, { from = proxy, url = '/api/sessions' } = {}) => {
    const headers = { 'x-auth': token, ...(name && { 'x-remote-user': name }) }
    return (await call('GET', url, { headers, remoteAddress: from })).statusCode
  }
  const token = (await signIn('alice')).body
  t.equal(await get(token, 'alice'), 200)
  t.equal(await get(token, ''), 200, 'a request without a name')
  t.equal(await get(token, 'bob', { from: '192.0.2.1' }), 200, 'nobody but the proxy names users')
  const made = await call('POST', '/api/ticket', {
    headers: { 'x-auth': token, 'x-remote-user': 'alice' },
    remoteAddress: proxy,
    payload: { action: 'raw', path: '/' },
  })
  const { ticket } = made.json()
  t.equal(await get('', 'bob', { url: `/api/raw/?ticket=${ticket}` }), 401)
  t.equal(await get(token, 'alice'), 200, 'whoever has got a ticket does not end the session of its owner')
  t.equal(await get(token, 'bob', { url: '/api/resources/' }), 401)
  t.equal(await get(token, 'alice'), 401, 'the session has ended')
  t.equal(await userOf(token), 401)
})

t.test('rejects an expired token behind a proxy', async (t) => {
  const { call, signIn, userOf, clock } = await startBehindProxy(t)
  const token = (await signIn('alice')).body
  clock.advance({ hours: 3 })
  for (const headers of [{ 'x-auth': token }, { 'x-auth': token, 'x-remote-user': 'bob' }]) {
    for (const remoteAddress of [proxy, '192.0.2.1']) {
      t.equal((await call('GET', '/api/resources/', { headers, remoteAddress })).statusCode, 401)
      t.equal((await call('POST', '/api/renew', { headers, remoteAddress })).statusCode, 401)
    }
  }
  t.equal(await userOf(token), 401)
})

t.test('with proxy sign-in, no request needs the password and sign-up is refused', async (t) => {
  const { call, signIn, clock, document } = await startBehindProxy(t, { signup: true })
  await document.update((draft) => {
    const alice = draft.users[2]
    if (alice) alice.perm.admin = true
  })
  const payload = { username: 'eve', password }
  t.equal((await call('POST', '/api/signup', { payload })).statusCode, 405)
  const headers = { 'x-auth': (await signIn('alice')).body, 'x-remote-user': 'alice' }
  clock.advance({ minutes: 30 })
  const body = { what: 'user', which: ['password'], data: { id: 2, password: 'another long passphrase' } }
  const change = { headers, payload: body, remoteAddress: proxy }
  t.equal((await call('PUT', '/api/users/2', change)).statusCode, 200)
  const page = (await call('GET', '/')).body
  t.match(page, /"Signup":false.*"AuthMethod":"proxy","LoginPage":false/)
  t.match((await call('GET', '/api/settings', { headers })).json(), { authMethod: 'proxy' })
})

t.test('creates no account for a name from the proxy that begins with a dash', async (t) => {
  const { signIn, names, document, userOf } = await startBehindProxy(t, { signup: true })
  const before = names()
  t.match(await signIn('-rf'), { statusCode: 400, body: /user name/ })
  t.strictSame(names(), before)
  await document.update((draft) => {
    Object.assign(draft.users[2] ?? {}, { username: '-rf' })
  })
  t.match(
    await userOf((await signIn('-rf')).body),
    { user: '-rf' },
    'an account of an older version can still sign in',
  )
})
