import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { contract } from '#contract/index.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import { openRecords } from '#src/core/storage/records.ts'
import { isSession } from '#src/state/sessions.ts'
import { password, start } from '#src/testing/start.ts'

const json = { accept: 'application/json' }
const fresh = 'another long passphrase'
// No scanner listens there, so that files are held.
const scanner = { clamd: { host: '127.0.0.1', port: 9 }, clamdAll: true }
// Each held file has a name of its own.
let heldFiles = 0

/**
 * One request of an administrator for each endpoint that needs a proof. Bob has the id 2. Eve has the id 3 and is
 * signed in.
 */
const calls: Record<string, (call: Call, proof: object) => ReturnType<Call>> = {
  'POST /api/users': (call, proof) =>
    call('POST', '/api/users', {
      what: 'user',
      which: [],
      data: { username: 'new', password: fresh },
      ...proof,
    }),
  'PUT /api/users/:id': (call, proof) =>
    call('PUT', '/api/users/2', { what: 'user', which: ['locale'], data: { id: 2, locale: 'de' }, ...proof }),
  'DELETE /api/users/:id/sessions/:session': async (call, proof) => {
    const listed = (await call('GET', '/api/users/3/sessions')).json()
    const id = (Array.isArray(listed) && listed[0]?.id) || 'none'
    return call('DELETE', `/api/users/3/sessions/${id}`, proof)
  },
  'DELETE /api/sessions': (call, proof) => call('DELETE', '/api/sessions', proof),
  'DELETE /api/sessions/:id': async (call, proof) => {
    const listed = (await call('GET', '/api/sessions')).json()
    const other = Array.isArray(listed) && listed.find(({ current }) => !current)
    return call('DELETE', `/api/sessions/${other?.id ?? 'none'}`, proof)
  },
  'DELETE /api/users/:id': (call, proof) => call('DELETE', '/api/users/3', proof),
  'DELETE /api/users/:id/sessions': (call, proof) => call('DELETE', '/api/users/2/sessions', proof),
  'PUT /api/settings/mail': (call, proof) =>
    call('PUT', '/api/settings/mail', { host: '', port: 25, security: 'none', user: '', from: '', ...proof }),
  'POST /api/held/:id/release': async (call, proof) => {
    heldFiles++
    await call('POST', `/api/resources/held-${heldFiles}.txt`, { text: 'a file that waits for the scanner' })
    const listed = (await call('GET', '/api/held')).json()
    const id = (Array.isArray(listed) && listed[0]?.id) || 'none'
    return call('POST', `/api/held/${id}/release`, proof)
  },
  'PUT /api/settings': (call, proof) => call('PUT', '/api/settings', { signup: true, ...proof }),
}
const withProof = Object.entries<Endpoint>(contract).filter(([, { proof }]) => proof)

type Call = Awaited<ReturnType<typeof setUp>>['request']

/** An instance with an administrator who has just signed in, and two users. */
async function setUp(t: Test, config = {}) {
  const started = await start(t, { people: { bob: {}, eve: {} }, config: { ...scanner, ...config } })
  started.clock.stop()
  await signInEve(started)
  const admin = await started.as('admin')
  await started.login('admin') // another session of the same user
  const asJson = (call: typeof admin) => (method: string, url: string, payload?: object) =>
    call(method, url, { headers: json, ...(payload && { payload }) } as InjectOptions)
  const state = () => structuredClone(started.document.data)
  const sessionsOfBob = async () => (await started.services.sessions.ofUser(2)).length
  return { ...started, admin, asJson, request: asJson(admin), state, sessionsOfBob }
}

/** Begins a session directly, so that it also works without password sign-in. */
async function signInEve({ services }: Pick<Awaited<ReturnType<typeof start>>, 'services'>) {
  const eve = { id: 3 } as Parameters<typeof services.sessions.start>[0]
  await services.sessions.start(eve, { device: '', address: '', isProven: false })
}

t.test('this table has every endpoint that needs a proof of the password', async (t) => {
  t.strictSame(Object.keys(calls).sort(), withProof.map(([address]) => address).sort())
})

t.test('a sign-in counts as a proof of the password for ten minutes', async (t) => {
  for (const [address, make] of Object.entries(calls)) {
    const { request, clock } = await setUp(t)
    clock.advance({ minutes: 9, seconds: 59 })
    t.ok((await make(request, {})).statusCode < 300, address)
  }
})

t.test('refuses sensitive changes ten minutes after the sign-in, but keeps the session', async (t) => {
  for (const [address, make] of Object.entries(calls)) {
    const { request, admin, login, clock, state, sessionsOfBob } = await setUp(t)
    await login('bob')
    const before = state()
    clock.advance({ minutes: 10 })
    const reply = await make(request, {})
    t.match(reply, { statusCode: 401, headers: { 'cache-control': 'no-store' } }, address)
    t.match(reply.json(), { status: 401, code: 'auth.proof', detail: /10 minutes/ }, address)
    // RFC 9470: the client must sign in again for this request, but keeps the session.
    t.match(
      reply.headers['www-authenticate'],
      /^Bearer error="insufficient_user_authentication", max_age=600$/,
    )
    t.match(
      (await make(request, { current_password: 'wrong' })).json(),
      { code: 'password.current' },
      address,
    )
    t.match((await make(request, { current_password: '' })).json(), { status: 400, code: 'password.needed' })
    t.strictSame(state(), before)
    t.equal(await sessionsOfBob(), 1)
    t.equal((await admin('GET', '/api/sessions')).statusCode, 200, 'the session continues')
  }
})

t.test('the right password is a proof for ten more minutes', async (t) => {
  for (const [address, make] of Object.entries(calls)) {
    const { request, clock } = await setUp(t)
    const promote = { what: 'user', which: ['perm'], data: { id: 2, perm: { admin: true } } }
    const settle = { what: 'user', which: ['perm'], data: { id: 2, perm: {} } }
    clock.advance({ hours: 1 })
    t.ok((await make(request, { current_password: password })).statusCode < 300, address)
    clock.advance({ minutes: 9, seconds: 59 })
    t.equal((await request('PUT', '/api/users/2', promote)).statusCode, 200)
    clock.advance({ seconds: 1 })
    t.equal((await request('PUT', '/api/users/2', settle)).json().code, 'auth.proof')
  }
})

t.test('a proof is valid for one session, not for other sessions of the same user', async (t) => {
  const { request, as, asJson, clock } = await setUp(t)
  const stolen = asJson(await as('admin'))
  clock.advance({ minutes: 30 })
  const change = { signup: true, current_password: password }
  t.equal((await request('PUT', '/api/settings', change)).statusCode, 200)
  t.equal((await stolen('PUT', '/api/settings', { signup: false })).json().code, 'auth.proof')
})

t.test('a renewed token does not renew the proof', async (t) => {
  const { call, login, clock } = await setUp(t)
  let token = await login('admin')
  clock.advance({ minutes: 8 })
  token = (await call('POST', '/api/renew', { headers: { 'x-auth': token } })).body
  clock.advance({ minutes: 2 })
  const headers = { 'x-auth': token, ...json }
  const reply = await call('PUT', '/api/settings', { headers, payload: { signup: true } })
  t.equal(reply.json().code, 'auth.proof')
})

t.test('wrong passwords are limited like sign-ins, and do not end the session', async (t) => {
  const { request, admin, clock } = await setUp(t)
  clock.advance({ minutes: 30 })
  const guess = () => request('PUT', '/api/settings', { signup: true, current_password: 'guess' })
  for (let n = 0; n < 10; n++) t.equal((await guess()).json().code, 'password.current')
  const limited = await guess()
  t.match(limited, { statusCode: 429 })
  t.ok(limited.headers['retry-after'])
  const right = await request('PUT', '/api/settings', { signup: true, current_password: password })
  t.equal(right.statusCode, 429, 'the right password is refused too')
  t.equal((await admin('GET', '/api/sessions')).statusCode, 200)
  clock.advance({ minutes: 5 })
  t.equal(
    (await request('PUT', '/api/settings', { signup: true, current_password: password })).statusCode,
    200,
  )
})

t.test(
  'users change their preferences without a proof, and a password in the request is ignored',
  async (t) => {
    const { as, asJson, request, clock, document } = await setUp(t)
    const bob = asJson(await as('bob'))
    clock.advance({ hours: 1 })
    const own: Record<string, unknown> = {
      locale: 'de',
      viewMode: 'list',
      sorting: { by: 'size', asc: true },
      singleClick: true,
      hideDotfiles: true,
      dateFormat: true,
      aceEditorTheme: 'dark',
      redirectAfterCopyMove: true,
      theme: 'dark',
      density: 'compact',
      sizeUnit: 'decimal',
      dateStyle: 'iso',
      firstDay: 'saturday',
      columns: ['kind', 'modified'],
      rememberViews: true,
      askBeforeTrash: true,
    }
    for (const [field, value] of Object.entries(own)) {
      const body = {
        what: 'user',
        which: [field],
        data: { id: 2, [field]: value },
        current_password: 'wrong',
      }
      t.equal((await bob('PUT', '/api/users/2', body)).statusCode, 200, field)
    }
    t.match(document.data.users[2], own)
    t.equal(
      (await request('PUT', '/api/users/1', { what: 'user', data: { id: 1, locale: 'de' } })).statusCode,
      200,
    )
    for (const which of [
      ['all'],
      ['locale', 'password'],
      ['password'],
      ['locale', 'perm'],
      ['constructor'],
    ]) {
      const data = { id: 1, ...own, password: fresh, perm: { admin: true } }
      const reply = await request('PUT', '/api/users/1', { what: 'user', which, data })
      t.equal(reply.json().code, 'auth.proof', which.join())
    }
  },
)

t.test('refuses a forbidden request without requiring a password', async (t) => {
  const { as, asJson, clock } = await setUp(t)
  const bob = asJson(await as('bob'))
  clock.advance({ hours: 1 })
  for (const [address, { access }] of withProof) {
    const code = access === 'admin' ? 'auth.forbidden' : 'auth.proof'
    if (access !== 'self') t.equal((await calls[address]?.(bob, {}))?.json().code, code, address)
  }
  const body = { what: 'user', which: ['locale'], data: { id: 3, locale: 'de' } }
  t.equal((await bob('PUT', '/api/users/3', body)).json().code, 'auth.forbidden')
})

t.test('a request changes nothing when its session ends during the password check', async (t) => {
  const { request, services, state, clock } = await setUp(t)
  clock.advance({ hours: 1 })
  const before = state()
  const change = request('PUT', '/api/settings', { signup: true, current_password: password })
  await Promise.all([change, services.sessions.endAll(1)])
  t.equal((await change).statusCode, 401)
  t.strictSame(state(), before)
  t.strictSame(await services.sessions.ofUser(1), [], 'the session stays ended')
})

t.test('in a session of an older version, the sign-in counts as the proof', async (t) => {
  const { request, services, clock } = await setUp(t)
  const [session] = await services.sessions.ofUser(1)
  if (!session) throw new Error('no session')
  clock.advance({ minutes: 9 })
  services.sessions.note(session.id, { proven: undefined } as never)
  const { proven: _, ...old } = session
  t.ok(isSession(JSON.parse(JSON.stringify(old))), 'the record is still valid')
  t.equal((await request('PUT', '/api/settings', { signup: true })).statusCode, 200)
  clock.advance({ minutes: 1 })
  t.equal((await request('PUT', '/api/settings', { signup: false })).json().code, 'auth.proof')
  for (const proven of [null, 'now', {}])
    t.notOk(isSession({ ...session, proven }), 'an invalid time makes the record invalid')
})

t.test('a proof survives a restart of the server', async (t) => {
  const { request, services, clock, base } = await setUp(t)
  clock.advance({ hours: 1 })
  await request('PUT', '/api/settings', { signup: true, current_password: password })
  await services.sessions.save()
  const [session] = await services.sessions.ofUser(1)
  const again = await openRecords(join(base, 'state.d/sessions'), isSession)
  t.equal(again.get(session?.id ?? '')?.proven, clock.now())
})

t.test('an expired proof stays expired when the clock is set back', async (t) => {
  const { request, clock } = await setUp(t)
  clock.advance({ seconds: -59 })
  t.equal(
    (await request('PUT', '/api/settings', { signup: true })).statusCode,
    200,
    'a small step back is tolerated',
  )
  clock.advance({ minutes: 12 })
  t.equal((await request('PUT', '/api/settings', { signup: false })).statusCode, 401)
  clock.advance({ minutes: -12 })
  t.equal((await request('PUT', '/api/settings', { signup: false })).statusCode, 401)
})

t.test('without authentication no request needs a password', async (t) => {
  for (const [address, make] of Object.entries(calls)) {
    const { call, asJson, clock } = await setUp(t, { noauth: true })
    const token = (await call('POST', '/api/login')).body
    const request = asJson((method, url, rest) =>
      call(method, url, { ...rest, headers: { 'x-auth': token, ...rest?.headers } }),
    )
    clock.advance({ hours: 1 })
    t.ok((await make(request, {})).statusCode < 300, address)
  }
})

t.test('with proxy sign-in, the proxy must name the same user on the request itself', async (t) => {
  const config = { ...scanner, authHeader: 'x-remote-user', trustedProxy: ['10.0.0.1'] }
  const { call, document, services } = await start(t, { people: { bob: {}, eve: {} }, config })
  await signInEve({ services })
  const remoteAddress = '10.0.0.1'
  const enter = { headers: { 'x-remote-user': 'admin' }, remoteAddress }
  // A session ends when the proxy names another user.
  let token = ''
  const signIn = async () => {
    token = (await call('POST', '/api/login', enter)).body
  }
  await signIn()
  t.equal((await services.sessions.ofUser(1))[0]?.proven, 0, 'the sign-in is not a proof')
  const named =
    (name: string | undefined, from = remoteAddress) =>
    (method: string, url: string, payload?: object) =>
      call(method, url, {
        headers: { 'x-auth': token, ...json, ...(name && { 'x-remote-user': name }) },
        remoteAddress: from,
        ...(payload && { payload }),
      })
  const before = structuredClone(document.data)
  for (const [address, make] of Object.entries(calls)) {
    for (const request of [named(undefined), named('bob'), named('ADMIN'), named('admin', '192.0.2.1')]) {
      for (const proof of [{}, { current_password: password }]) {
        await signIn()
        t.match((await make(request, proof)).json(), { status: 401, code: 'auth.required' }, address)
      }
    }
  }
  t.strictSame(document.data, before)
  for (const [address, make] of Object.entries(calls)) {
    await signIn()
    t.ok((await make(named('admin'), {})).statusCode < 300, address)
  }
})
