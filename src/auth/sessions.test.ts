import t from 'tap'
import { password, start } from '#src/testing/start.ts'
import { dial, listen } from '#src/testing/wire.ts'

type Started = Awaited<ReturnType<typeof start>>

function createClient({ call }: Started) {
  return (token: string, method = 'GET', url = '/api/sessions', rest = {}) =>
    call(method, url, { ...rest, headers: { 'x-auth': token } })
}

t.test('signing out ends the session at once and permanently', async (t) => {
  const started = await start(t, { tree: { 'a.txt': 'a' } })
  const request = createClient(started)
  const token = await started.login('admin')
  const other = await started.login('admin')
  const { ticket } = (
    await request(token, 'POST', '/api/ticket', { payload: { action: 'raw', path: '/a.txt' } })
  ).json()
  t.match(await request(token, 'POST', '/api/logout'), { statusCode: 200, body: '200 OK\n' })
  for (const [method, url] of [
    ['GET', '/api/sessions'],
    ['POST', '/api/renew'],
    ['POST', '/api/logout'],
    ['GET', '/api/raw/a.txt'],
    ['POST', '/api/resources/b.txt'],
  ] as const) {
    t.equal((await request(token, method, url)).statusCode, 401, `${method} ${url}`)
  }
  t.equal(
    (await started.call('GET', `/api/raw/a.txt?auth=${ticket}`)).statusCode,
    401,
    'its tickets are rejected too',
  )
  t.equal((await request(other)).statusCode, 200, 'other sessions continue')
})

t.test('renewal returns a new token, and earlier tokens stay valid until they expire', async (t) => {
  const started = await start(t)
  const request = createClient(started)
  const tokens = [await started.login('admin')]
  for (let n = 0; n < 3; n++) {
    started.clock.advance({ minutes: 10 })
    const reply = await request(tokens.at(-1) ?? '', 'POST', '/api/renew')
    t.match(reply, { statusCode: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } })
    t.notOk(tokens.includes(reply.body))
    tokens.push(reply.body)
  }
  for (const token of tokens) t.equal((await request(token)).statusCode, 200)
  started.clock.advance({ minutes: 91 })
  const answers = []
  for (const token of tokens) answers.push((await request(token)).statusCode)
  t.strictSame(answers, [401, 200, 200, 200], 'the first token has expired after two hours')
})

t.test('the end of a session ends all of its tokens', async (t) => {
  const ways: Record<string, (started: Started, token: string) => Promise<unknown>> = {
    'signing out': (started, token) => createClient(started)(token, 'POST', '/api/logout'),
    'a change of the password': async (started) =>
      createClient(started)(await started.login('admin'), 'PUT', '/api/users/2', {
        payload: {
          what: 'user',
          which: ['password'],
          current_password: password,
          data: { id: 2, password: 'another long pass phrase' },
        },
      }),
    revocation: async (started) =>
      createClient(started)(await started.login('admin'), 'DELETE', '/api/users/2/sessions'),
  }
  for (const [title, way] of Object.entries(ways)) {
    const started = await start(t, { people: { alice: {} } })
    const request = createClient(started)
    const first = await started.login('alice')
    const second = (await request(first, 'POST', '/api/renew')).body
    t.match(await way(started, first), { statusCode: 200 }, title)
    for (const token of [first, second]) t.equal((await request(token)).statusCode, 401, title)
  }
})

t.test('parallel renewals in several tabs all succeed', async (t) => {
  const started = await start(t)
  const request = createClient(started)
  const old = await started.login('admin')
  started.clock.advance({ hours: 1, seconds: 1 })
  const replies = await Promise.all(Array.from({ length: 20 }, () => request(old, 'POST', '/api/renew')))
  for (const { statusCode } of replies) t.equal(statusCode, 200)
  started.clock.advance({ seconds: 61 })
  for (const { body } of replies) t.equal((await request(body)).statusCode, 200)
  t.equal((await started.services.sessions.ofUser(1)).length, 1)
})

t.test('sends X-Renew-Token after half of the token lifetime, not before', async (t) => {
  const started = await start(t)
  const request = createClient(started)
  const token = await started.login('admin')
  started.clock.advance({ minutes: 59 })
  t.notOk((await request(token)).headers['x-renew-token'])
  started.clock.advance({ minutes: 2 })
  t.equal((await request(token)).headers['x-renew-token'], 'true')
  const renewed = await request(token, 'POST', '/api/renew')
  t.equal(renewed.headers['x-renew-token'], 'false', 'the response to a renewal requests no further renewal')
  t.notOk((await request(renewed.body)).headers['x-renew-token'])
})

t.test('sends X-Renew-Token after the user record has changed', async (t) => {
  const started = await start(t)
  const request = createClient(started)
  const token = await started.login('admin')
  const payload = { what: 'user', which: ['locale'], data: { id: 1, locale: 'fr' } }
  t.equal((await request(token, 'PUT', '/api/users/1', { payload })).statusCode, 200)
  t.equal((await request(token)).headers['x-renew-token'], 'true')
  const { body } = await request(token, 'POST', '/api/renew')
  t.notOk((await request(body)).headers['x-renew-token'])
  t.equal(JSON.parse(Buffer.from(body.split('.')[1] ?? '', 'base64url').toString()).user.locale, 'fr')
})

t.test('a renewed session continues, and ends after thirty days without use', async (t) => {
  const started = await start(t)
  const request = createClient(started)
  let token = await started.login('admin')
  for (let hours = 0; hours < 24 * 40; hours += 24) {
    started.clock.advance({ hours: 1 })
    token = (await request(token, 'POST', '/api/renew')).body
  }
  t.equal((await request(token)).statusCode, 200)
  started.clock.advance({ days: 30 })
  t.equal((await started.services.sessions.ofUser(1)).length, 0)
})

t.test('a token with a longer lifetime also ends after thirty days without use', async (t) => {
  const started = await start(t, { config: { tokenExpirationMs: 40 * 24 * 60 * 60_000 } })
  const request = createClient(started)
  const token = await started.login('admin')
  started.clock.advance({ days: 29 })
  t.equal((await request(token)).statusCode, 200)
  started.clock.advance({ days: 30 })
  t.equal((await request(token)).statusCode, 401)
})

t.test('users list their own sessions and end one of them', async (t) => {
  const started = await start(t, { people: { alice: {} } })
  const request = createClient(started)
  const mine = await started.login('admin', '192.0.2.1')
  started.clock.advance({ seconds: 1 })
  const headers = { 'user-agent': 'Phone' }
  const payload = { username: 'admin', password }
  const phone = (await started.call('POST', '/api/login', { payload, headers })).body
  const alice = await started.login('alice')
  started.clock.advance({ seconds: 1 })
  const list = (await request(mine)).json()
  t.match(list, [
    { current: true, address: '192.0.2.1' },
    { current: false, device: 'Phone', address: '127.0.0.1' },
  ])
  t.equal(list.length, 2, "other users' sessions are not listed")
  t.equal(
    (await request(alice, 'DELETE', `/api/sessions/${list[1].id}`)).statusCode,
    404,
    'another user cannot end it',
  )
  t.equal((await request(phone)).statusCode, 200)
  t.equal((await request(mine, 'DELETE', `/api/sessions/${list[1].id}`)).statusCode, 200)
  t.equal((await request(phone)).statusCode, 401)
  for (const id of ['nothing', '__proto__', '..%2f..%2fstate', '%00', 'x'.repeat(65)]) {
    const { statusCode } = await request(mine, 'DELETE', `/api/sessions/${id}`)
    t.ok([400, 404].includes(statusCode), `${id}: ${statusCode}`)
  }
})

t.test('a user ends all sessions except the current one', async (t) => {
  const started = await start(t, { people: { alice: {} } })
  const request = createClient(started)
  const mine = await started.login('admin')
  const others = [await started.login('admin'), await started.login('admin')]
  const alice = await started.login('alice')
  t.match(await request(mine, 'DELETE'), { statusCode: 200, body: '200 OK\n' })
  for (const token of others) t.equal((await request(token)).statusCode, 401)
  t.match((await request(mine)).json(), [{ current: true }])
  t.equal((await request(alice)).statusCode, 200, "other users' sessions continue")
  t.equal((await request(mine, 'DELETE')).statusCode, 200, 'succeeds when there are no other sessions')
  t.equal((await started.call('DELETE', '/api/sessions')).statusCode, 401)
})

t.test('an administrator lists and ends the sessions of any user', async (t) => {
  const started = await start(t, { people: { alice: {} } })
  const request = createClient(started)
  const admin = await started.login('admin')
  const alice = [await started.login('alice'), await started.login('alice')]
  t.equal((await request(admin, 'GET', '/api/users/2/sessions')).json().length, 2)
  t.equal((await request(admin, 'GET', '/api/users/9/sessions')).statusCode, 404)
  t.equal((await request(admin, 'DELETE', '/api/users/9/sessions')).statusCode, 404)
  t.equal((await request(admin, 'DELETE', '/api/users/2/sessions')).statusCode, 200)
  for (const token of alice) t.equal((await request(token)).statusCode, 401)
  t.equal((await request(admin)).statusCode, 200)
})

t.test('only an administrator ends a single session of another user', async (t) => {
  const started = await start(t, { people: { alice: {}, bob: {} } })
  const request = createClient(started)
  const [admin, bob] = [await started.login('admin'), await started.login('bob')]
  const alice = [await started.login('alice'), await started.login('alice')]
  const idOf = async (token = '') =>
    (await request(token)).json().find(({ current }: { current: boolean }) => current).id
  const one = `/api/users/2/sessions/${await idOf(alice[0])}`
  for (const token of [bob, alice[1] ?? '']) {
    t.equal((await request(token, 'DELETE', one)).statusCode, 403)
    t.equal((await request(token, 'GET', '/api/users/2/sessions')).statusCode, 403)
  }
  t.equal((await started.call('DELETE', one)).statusCode, 401)
  for (const other of [
    `/api/users/9/sessions/${await idOf(alice[0])}`,
    `/api/users/3/sessions/${await idOf(alice[0])}`,
    '/api/users/2/sessions/none',
    '/api/users/2/sessions/..%2f..%2f1',
  ])
    t.equal((await request(admin, 'DELETE', other)).statusCode, 404, other)
  t.equal((await request(alice[0] ?? '')).statusCode, 200)
  t.match(await request(admin, 'DELETE', one), { statusCode: 200, body: '200 OK\n' })
  t.equal((await request(alice[0] ?? '')).statusCode, 401)
  for (const token of [alice[1] ?? '', bob, admin]) t.equal((await request(token)).statusCode, 200)
  t.match((await request(admin, 'DELETE', one)).body, /this session does not exist/, 'it has already ended')
})

t.test('a request that waits while its session ends cannot revive the session', async (t) => {
  const started = await start(t)
  const request = createClient(started)
  const port = await listen(started.app)
  const token = await started.login('admin')
  const wire = await dial(t, port)
  wire.socket.write(
    `POST /api/ticket HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nExpect: 100-continue\r\nContent-Length: 30\r\n\r\n`,
  )
  await wire.until(/100 Continue/)
  t.equal((await request(token, 'POST', '/api/logout')).statusCode, 200)
  wire.socket.write('{"action":"raw","path":"/a/b"}')
  await wire.until(/HTTP\/1.1 401/)
  t.equal((await request(token)).statusCode, 401)
  t.equal((await started.services.sessions.ofUser(1)).length, 0)
})

t.test('rejects the token of a deleted user with 401', async (t) => {
  const started = await start(t, { people: { alice: {} }, tree: { 'a.txt': 'a' } })
  const request = createClient(started)
  const token = await started.login('alice')
  const payload = { action: 'raw', path: '/a.txt' }
  const { ticket } = (await request(token, 'POST', '/api/ticket', { payload })).json()
  await started.document.update((draft) => {
    delete draft.users[2]
    delete draft.credentials.passwords[2]
  })
  t.equal((await request(token)).statusCode, 401)
  t.equal((await request(token, 'POST', '/api/renew')).statusCode, 401)
  t.equal((await started.call('GET', `/api/raw/a.txt?auth=${ticket}`)).statusCode, 401)
})

t.test('limits the sessions of a user by ending the least recently used one', async (t) => {
  const started = await start(t)
  const request = createClient(started)
  const first = await started.login('admin')
  for (let n = 0; n < 200; n++) {
    started.clock.advance({ seconds: 1 })
    await started.login('admin')
  }
  t.equal((await started.services.sessions.ofUser(1)).length, 200)
  t.equal((await request(first)).statusCode, 401)
})
