import t, { type Test } from 'tap'
import { contract } from '#contract/index.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import type { Config } from '#src/config/config.ts'
import { entryOf } from '#src/core/lookup.ts'
import { password, start } from '#src/testing/start.ts'
import { dial, listen } from '#src/testing/wire.ts'

const next = 'another long passphrase'
const json = { accept: 'application/json' }

/** Starts with an administrator and a user who must change their passwords. */
async function begin(t: Test, config: Partial<Config> = {}) {
  const people = {
    ann: { mustChangePassword: true },
    bob: {},
    lee: { mustChangePassword: true, lockPassword: true },
  }
  const started = await start(t, { tree: { 'a.txt': 'CANARY' }, people, config })
  const mustChange = (id: number) =>
    started.document.update(({ users }) =>
      Object.assign(entryOf(users, id) ?? {}, { mustChangePassword: true }),
    )
  return { ...started, mustChange }
}

/** The body that sets a password. */
const change = (id: number, data: object = { password: next }, which: string[] = Object.keys(data)) => ({
  payload: { what: 'user', which, data: { id, ...data } },
  headers: json,
})

/** The user in a token. */
const userIn = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).user as Record<string, unknown>

const open = ['GET /api/users/:id', 'PUT /api/users/:id', 'POST /api/renew']

/** Every endpoint for users, except signing out, which would end the session of the test. */
const signedInEndpoints = Object.entries<Endpoint>(contract).flatMap(([address, { access, ticket }]) => {
  const [method = '', path = ''] = address.split(' ')
  if (access === 'public' || path === '/api/logout') return []
  const url = path.replace(/:\w+/g, '1').replace('*', 'a.txt')
  return [[address, method, url, ticket !== undefined] as const]
})

t.test(
  'a user with a made-up password can only read the account, change the password and sign out',
  async (t) => {
    const { call, login, mustChange } = await begin(t)
    const token = await login('admin')
    const ticket = (
      await call('POST', '/api/ticket', {
        payload: { action: 'raw', path: '/a.txt' },
        headers: { 'x-auth': token },
      })
    ).json()
    const other = await login('admin')
    await mustChange(1)
    const refused = new Set<string>()
    for (const [address, method, url, isForTicket] of signedInEndpoints) {
      const tokens = isForTicket ? [token, ...(url.startsWith('/api/raw/') ? [ticket.ticket] : [])] : []
      for (const [at, headers] of [
        [url, { 'x-auth': token }],
        [url, { authorization: `Bearer ${token}` }],
        ...tokens.map((auth) => [`${url}?auth=${auth}`, {}] as const),
      ] as const) {
        const reply = await call(method, at, { headers: { ...headers, ...json }, payload: '{"broken' })
        t.notMatch(reply.body, 'CANARY', address)
        if (reply.body.includes('"password.change"')) refused.add(address)
        else t.ok(open.includes(address), `${address}: ${reply.body}`)
      }
    }
    t.ok(refused.size > 40, `${refused.size} endpoints`)
    const asAdmin = { headers: { 'x-auth': other } }
    t.equal(
      (await call('GET', '/api/users/2', asAdmin)).statusCode,
      403,
      'not even an administrator reads others',
    )
    t.match((await call('GET', '/api/users/1', asAdmin)).json(), { id: 1, mustChangePassword: true })
    const text = await call('GET', '/api/resources/', asAdmin)
    t.equal(
      text.body,
      '403 Forbidden (this password must be changed first: sign in with a browser and choose a new one)\n',
    )
    t.equal((await call('POST', '/api/logout', asAdmin)).statusCode, 200)
  },
)

t.test('a user with a made-up password sends no other change than the own password', async (t) => {
  const { as, document, mustChange } = await begin(t)
  const admin = await as('admin')
  await mustChange(1)
  for (const [id, request] of [
    [1, change(1, { locale: 'de' })],
    [1, change(1, { password: next, username: 'root' })],
    [1, change(1, { password: next, scope: '/x' }, ['all'])],
    [1, change(1, { password: '' })],
    [1, change(1, {}, ['password'])],
    [2, change(2)],
    [3, change(3)],
  ] as const) {
    const reply = await admin('PUT', `/api/users/${id}`, request)
    t.match(reply.json(), { status: 403, code: 'password.change' }, JSON.stringify(request.payload))
  }
  t.match(document.data.users[1], { username: 'admin', locale: '', mustChangePassword: true })
})

t.test('a new password that differs from the made-up one opens everything', async (t) => {
  const { call, login, as, document, clock } = await begin(t)
  const first = await login('ann')
  t.equal(userIn(first).mustChangePassword, true, 'the page reads it from the token')
  const ann = (method: string, url: string, rest: object = {}) =>
    call(method, url, { headers: { 'x-auth': first, ...json }, ...rest })
  const stranger = await as('ann')
  const put = (data: object) => ann('PUT', '/api/users/2', { payload: change(2, data).payload })
  t.match((await put({ password })).json(), {
    status: 400,
    code: 'request.invalid',
    details: { field: 'data.password' },
  })
  t.match((await put({ password: 'short' })).json(), { code: 'password.weak' })
  clock.advance({ minutes: 11 })
  t.match((await put({ password: next })).json(), { code: 'auth.proof' }, 'a stolen session cannot change it')
  const proven = { ...change(2).payload, current_password: password }
  t.equal((await ann('PUT', '/api/users/2', { payload: proven })).statusCode, 200)
  t.notOk('mustChangePassword' in (document.data.users[2] ?? {}))
  t.equal((await ann('GET', '/api/resources/')).statusCode, 200, 'the session continues')
  t.equal((await ann('GET', '/api/resources/')).headers['x-renew-token'], 'true')
  const renewed = await ann('POST', '/api/renew')
  t.notOk('mustChangePassword' in userIn(renewed.body))
  t.equal((await stranger('GET', '/api/users/2')).statusCode, 401, 'every other session has ended')
})

t.test('an administrator who sets the password of a user ends the duty to change it', async (t) => {
  const { as, call, document } = await begin(t)
  const admin = await as('admin')
  t.equal((await admin('PUT', '/api/users/2', change(2))).statusCode, 200)
  t.notOk('mustChangePassword' in (document.data.users[2] ?? {}))
  const token = (await call('POST', '/api/login', { payload: { username: 'ann', password: next } })).body
  t.equal((await call('GET', '/api/resources/', { headers: { 'x-auth': token } })).statusCode, 200)
})

t.test('a locked password need not be changed, because the user may not', async (t) => {
  const { as, login } = await begin(t)
  t.notOk('mustChangePassword' in userIn(await login('lee')))
  t.equal((await (await as('lee'))('GET', '/api/resources/')).statusCode, 200)
})

t.test('users who sign in without a password need not change it', async (t) => {
  for (const config of [{ noauth: true }, { authHeader: 'x-remote-user', trustedProxy: ['127.0.0.1'] }]) {
    await t.test(Object.keys(config).join(), async (t) => {
      const { call, mustChange } = await begin(t, config)
      await mustChange(1)
      const headers = { 'x-remote-user': 'admin', host: 'localhost' }
      const reply = await call('POST', '/api/login', { headers })
      t.equal(reply.statusCode, 200, reply.body)
      t.notOk('mustChangePassword' in userIn(reply.body))
      const asked = await call('GET', '/api/resources/', { headers: { 'x-auth': reply.body } })
      t.equal(asked.statusCode, 200)
    })
  }
})

t.test('a user with a made-up password gets no command socket', async (t) => {
  const { app, login, mustChange } = await begin(t, { enableExec: true, execWithoutSandbox: true })
  const token = await login('admin')
  await mustChange(1)
  const wire = await dial(t, await listen(app))
  const offer =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='
  wire.socket.write(
    `GET /api/command/?auth=${token} HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\n${offer}\r\n\r\n`,
  )
  await wire.until(/^HTTP\/1\.1 403 [\s\S]*this password must be changed first/)
})
