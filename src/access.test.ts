import t, { type Test } from 'tap'
import { contract } from '#contract/index.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import { createApp } from '#src/server/app.ts'
import { start } from '#src/testing/start.ts'
import { defaultLimits } from './config/options/limits.ts'
import { createLog } from './core/log/log.ts'

const endpoints = Object.entries<Endpoint>(contract).map(([address, endpoint]) => {
  const [method = '', path = ''] = address.split(' ')
  return { address, method, path, url: path.replace(/:\w+/g, '1').replace('*', 'a.txt'), ...endpoint }
})

const protectedEndpoints = endpoints.filter(({ access }) => access !== 'public')

async function startWithAlice(t: Test) {
  const started = await start(t, { people: { alice: {} } })
  return { ...started, state: () => structuredClone(started.document.data) }
}

t.test('only these endpoints are public', async (t) => {
  const open = endpoints.filter(({ access }) => access === 'public').map(({ address }) => address)
  const known = [
    'GET /api/docs',
    'GET /api/openapi.json',
    'GET /api/site/preview/:id/*',
    'GET /health',
    'POST /api/login',
    'POST /api/setup',
    'POST /api/signup',
  ]
  t.strictSame(open.filter((address) => !address.includes('/api/public/')).sort(), known)
})

t.test('every other endpoint responds to anonymous requests with 401 and no details', async (t) => {
  const { call } = await start(t, { tree: { 'a.txt': 'CANARY' } })
  for (const { address, method, url } of protectedEndpoints) {
    for (const headers of [{}, { 'x-auth': '' }, { 'x-auth': 'a.b.c' }, { authorization: 'Bearer a.b.c' }]) {
      const reply = await call(method, url, { headers, payload: '{"broken' })
      t.equal(reply.statusCode, 401, address)
      t.equal(reply.body, '401 Unauthorized (sign in first)\n', address)
    }
  }
})

t.test('HEAD requires the same sign-in as GET', async (t) => {
  const { call } = await start(t, { tree: { 'a.txt': 'CANARY' } })
  for (const { method, url } of protectedEndpoints.filter((one) => one.method === 'GET')) {
    const reply = await call('HEAD', url)
    t.equal(reply.statusCode, 401, `${method} ${url}`)
    t.notOk(reply.headers.etag, 'the headers reveal nothing either')
  }
})

t.test('endpoints for administrators respond to other users with 403, whatever they send', async (t) => {
  const { as } = await start(t, { people: { alice: {} } })
  const alice = await as('alice')
  for (const { address, method, url } of endpoints.filter(({ access }) => access === 'admin')) {
    const reply = await alice(method, url, { payload: '{"broken' })
    t.equal(reply.statusCode, 403, address)
  }
})

t.test('endpoints of a user respond to other users with 403, whatever they send', async (t) => {
  const { as, clock, state } = await startWithAlice(t)
  const alice = await as('alice')
  const before = state()
  clock.advance({ hours: 1 })
  for (const { address, method, path } of endpoints.filter(({ access }) => access === 'self')) {
    for (const id of ['1', '99', '01', '1e0', '0x1', '02', '2.0', 'one']) {
      const reply = await alice(method, path.replace(':id', id), {
        payload: method === 'GET' ? '' : '{"broken',
      })
      t.equal(reply.statusCode, 403, `${address} of ${id}`)
    }
  }
  t.strictSame(state(), before)
})

t.test('only these changes need no recent password confirmation', async (t) => {
  const withoutProof = endpoints.filter(
    ({ method, access, proof }) => method !== 'GET' && access !== 'public' && proof !== 'always',
  )
  // Files and shares, starred and recent files, undoing, signing out, the user's own preferences, and a measurement.
  t.strictSame(withoutProof.map(({ address }) => address).sort(), [
    'DELETE /api/held/:id',
    'DELETE /api/notices',
    'DELETE /api/publish/*',
    'DELETE /api/recent',
    'DELETE /api/resources/*',
    'DELETE /api/share/*',
    'DELETE /api/starred/*',
    'DELETE /api/trash',
    'DELETE /api/trash/:id',
    'DELETE /api/tus/*',
    'DELETE /api/versions/*',
    'PATCH /api/resources/*',
    'PATCH /api/share/*',
    'PATCH /api/tus/*',
    'POST /api/delete/*',
    'POST /api/doctor/probe',
    'POST /api/logout',
    'POST /api/notices/read',
    'POST /api/notices/settings/confirm',
    'POST /api/operations/:id/redo',
    'POST /api/operations/:id/undo',
    'POST /api/publish/*',
    'POST /api/recent/*',
    'POST /api/renew',
    'POST /api/resources/*',
    'POST /api/rotate/*',
    'POST /api/settings/mail/test',
    'POST /api/share/*',
    'POST /api/site/front-matter',
    'POST /api/site/pages',
    'POST /api/site/preview',
    'POST /api/ticket',
    'POST /api/trash/:id/restore',
    'POST /api/tus/*',
    'POST /api/upload/*',
    'POST /api/versions/*',
    'POST /api/webhook/deliveries/:id',
    'POST /api/webhook/secret',
    'POST /api/webhook/test',
    'PUT /api/events/:id',
    'PUT /api/notices/settings',
    'PUT /api/resources/*',
    'PUT /api/starred/*',
    'PUT /api/users/:id',
    'PUT /api/webhook',
  ])
  const bodies = endpoints.filter(({ proof }) => proof).map(({ body }) => JSON.stringify(body))
  t.ok(
    bodies.length > 4 && bodies.every((body) => body?.includes('"current_password"')),
    'each body includes it',
  )
})

t.test('a token in the query is accepted only by endpoints that declare a ticket', async (t) => {
  const { call, login } = await start(t, { tree: { 'a.txt': 'here' } })
  const token = await login('admin')
  for (const { address, method, url, ticket } of protectedEndpoints) {
    const reply = await call(method, `${url}?auth=${token}`, { payload: '{"broken' })
    if (ticket) t.not(reply.statusCode, 401, address)
    else t.equal(reply.statusCode, 401, address)
  }
})

t.test('a token in a cookie, the body or another header is not accepted', async (t) => {
  const { call, login } = await start(t)
  const token = await login('admin')
  const others = [{ cookie: `auth=${token}` }, { 'x-token': token }, { authorization: `Basic ${token}` }]
  for (const headers of others) {
    t.equal((await call('GET', '/api/sessions', { headers })).statusCode, 401, Object.keys(headers).join())
  }
  t.equal((await call('POST', '/api/ticket', { payload: { auth: token } })).statusCode, 401)
})

t.test('refuses a route without access, and an administrative change without proof', async (t) => {
  const { services } = await start(t)
  const assets = { page: '', find: () => undefined }
  const server = {
    baseUrl: '',
    trustedProxy: [],
    tls: undefined,
    logRequests: 'all' as const,
    limits: defaultLimits(),
  }
  const app = await createApp(services, { assets, server, log: createLog({ target: '', format: 'text' }) })
  t.throws(() => app.get('/api/open', async () => 'all'), { message: 'GET /api/open declares no access' })
  const endpoint: Endpoint = { access: 'admin', summary: 'Switch something' }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const route = { method, url: '/api/switch', config: { endpoint }, handler: async () => 'done' }
    t.throws(() => app.route(route), { message: `${method} /api/switch declares no proof` })
  }
  await app.close()
})

t.test('refuses a parameter that is doubled, too long or of the wrong type, and names it', async (t) => {
  const { as } = await start(t, { tree: { 'a.txt': '' } })
  const admin = await as('admin')
  const refused = [
    ['POST', '/api/resources/b.txt?override=true&override=true', 'querystring.override'],
    ['POST', `/api/resources/b.txt?override=${'t'.repeat(17)}`, 'querystring.override'],
    ['GET', '/api/raw/a.txt?inline=true&inline=false', 'querystring.inline'],
  ] as const
  for (const [method, url, field] of refused) {
    const reply = await admin(method, url, { headers: { accept: 'application/json' } })
    t.match(reply.json(), { status: 400, code: 'request.invalid', details: { field } }, url)
  }
})

t.test('a number in a URL that cannot be an id is an unknown URL', async (t) => {
  const { as } = await start(t)
  const admin = await as('admin')
  for (const id of ['one', '0', '-1', '1.5', '18446744073709551616']) {
    const reply = await admin('GET', `/api/users/${id}`, { headers: { accept: 'application/json' } })
    t.match(reply.json(), { status: 404, code: 'request.unknown' }, id)
  }
})

t.test('refuses a body of the wrong shape and converts nothing in it', async (t) => {
  const { as } = await start(t)
  const admin = await as('admin')
  const bodies = [
    '',
    'null',
    '[]',
    '"text"',
    '5',
    'true',
    '{"action":"raw"}',
    '{"action":"raw","path":5}',
    '{"action":"raw","path":null}',
    '{"action":"raw","path":["/a"]}',
    '{"action":"write","path":"/a"}',
    '{"action":["raw"],"path":"/a"}',
    '{"action":"raw","path":"/a","__proto__":{"admin":true}}',
    '{"action":"raw","path":"/a"',
    '{"action":"raw","path":"/a"} x',
    `{"action":"raw","path":"${'a'.repeat(20_000)}"}`,
  ]
  for (const payload of bodies) {
    for (const type of ['application/json', 'text/plain', 'application/json\ta', 'application/vnd.x+json']) {
      const reply = await admin('POST', '/api/ticket', { payload, headers: { 'content-type': type } })
      t.ok([400, 415].includes(reply.statusCode), `${type}: ${payload.slice(0, 60)} → ${reply.statusCode}`)
    }
    t.equal((await admin('POST', '/api/ticket', { payload })).statusCode, 400, payload.slice(0, 60))
  }
})

t.test('ignores unknown keys and never stores them', async (t) => {
  const { as, document } = await start(t)
  const admin = await as('admin')
  const data = { id: 1, locale: 'de', shell: 'bash', perm: { admin: false }, constructor: 1 }
  const payload = { what: 'user', which: ['locale'], extra: true, data }
  t.equal((await admin('PUT', '/api/users/1', { payload })).statusCode, 200)
  t.match(document.data.users[1], { locale: 'de', perm: { admin: true } })
  t.notOk(Object.hasOwn(document.data.users[1] ?? {}, 'shell'))
})
