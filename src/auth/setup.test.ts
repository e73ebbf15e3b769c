import t, { type Test } from 'tap'
import { contract } from '#contract/index.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import { password, start } from '#src/testing/start.ts'
import { createSetupCode, setupCodeCheck } from './setup-code.ts'

const code = '7K2M-X0QD-93HB'
const account = { username: 'ann', password: 'a long enough passphrase' }

/** Starts a server without an administrator. */
async function begin(t: Test) {
  const started = await start(t, { tree: { 'a.txt': '' }, setupCode: code })
  const setUp = (given: object, remoteAddress = '127.0.0.1') =>
    started.call('POST', '/api/setup', {
      payload: { code, ...account, ...given },
      headers: { accept: 'application/json' },
      remoteAddress,
    })
  return { ...started, setUp }
}

t.test('the set-up creates the first administrator with the printed code, and signs in', async (t) => {
  const { call, setUp, document } = await begin(t)
  const reply = await setUp({ code: ' 7k2mxoqd–93hb' })
  t.equal(reply.statusCode, 200, reply.body)
  t.match(document.data.users, { 1: { username: 'ann', scope: '/', perm: { admin: true } } })
  t.notOk(
    'mustChangePassword' in (document.data.users[1] ?? {}),
    'the administrator has chosen this password',
  )
  const headers = { 'x-auth': reply.body }
  t.equal((await call('GET', '/api/resources/', { headers })).statusCode, 200)
  t.equal((await call('GET', '/api/users', { headers })).statusCode, 200)
  t.equal((await call('POST', '/api/login', { payload: account })).statusCode, 200)
})

t.test('after the set-up, its endpoint answers every request with 404', async (t) => {
  const { call, setUp } = await begin(t)
  t.equal((await setUp({})).statusCode, 200)
  for (const given of [{}, { username: 'eve' }, { code: 'wrong' }]) {
    t.match((await setUp(given)).json(), { status: 404, code: 'request.unknown' })
  }
  t.equal((await call('POST', '/api/setup', { payload: '{"broken' })).statusCode, 404)
  const started = await start(t)
  const reply = await started.call('POST', '/api/setup', { payload: { code, ...account } })
  t.equal(reply.statusCode, 404, 'nor on a server that never needed a set-up')
})

t.test(
  'before the set-up every endpoint refuses, except health and the description of the API',
  async (t) => {
    const { call, setUp } = await begin(t)
    const open: string[] = []
    for (const [address, { access }] of Object.entries<Endpoint>(contract)) {
      const [method = '', path = ''] = address.split(' ')
      const url = path.replace(/:\w+/g, '1').replace('*', 'a.txt')
      const reply = await call(method, url, { headers: { accept: 'application/json' } })
      const isRefused = reply.statusCode === 503 && reply.json().code === 'setup.needed'
      if (!isRefused) open.push(address)
      t.ok(access === 'public' || isRefused, `${address}: ${reply.body}`)
    }
    t.strictSame(open.sort(), ['GET /api/docs', 'GET /api/openapi.json', 'GET /health', 'POST /api/setup'])
    const login = await call('POST', '/api/login', { payload: { username: 'admin', password } })
    t.match(
      login.body,
      /^503 .*no administrator yet: open \/setup in a browser and enter the code from its log/,
    )
    t.equal((await setUp({})).statusCode, 200)
  },
)

t.test('before the set-up every page leads to /setup', async (t) => {
  const { call } = await start(t, { setupCode: code, config: { username: 'root', baseUrl: '/sub' } })
  for (const url of ['/sub/', '/sub/files/a', '/sub/login', '/sub/share/x']) {
    const reply = await call('GET', url)
    t.match(reply, { statusCode: 302, headers: { location: '/sub/setup', 'cache-control': 'no-store' } }, url)
  }
  t.match(
    (await call('GET', '/sub/setup')).body,
    '"Setup":"root"',
    'the page proposes the name of --username',
  )
  const payload = { code, ...account }
  t.equal((await call('POST', '/sub/api/setup', { payload })).statusCode, 200)
  t.equal((await call('GET', '/sub/')).statusCode, 200)
  t.match((await call('GET', '/sub/setup')).body, '"Setup":""')
})

t.test('of several people with the right code only one becomes the administrator', async (t) => {
  const { setUp, document } = await begin(t)
  const replies = await Promise.all(
    ['ann', 'bob', 'eve', 'ann'].map((username, at) => setUp({ username }, `192.0.2.${at}`)),
  )
  t.strictSame(replies.map(({ statusCode }) => statusCode).sort(), [200, 404, 404, 404])
  t.equal(Object.keys(document.data.users).length, 1)
})

t.test('guesses of the code are limited for each address and in total', async (t) => {
  const { setUp, document, clock } = await begin(t)
  const guess = async (address: string) => (await setUp({ code: 'AAAA-BBBB-CCCC' }, address)).statusCode
  for (let at = 0; at < 10; at++) t.equal(await guess('192.0.2.1'), 403)
  t.equal(await guess('192.0.2.1'), 429)
  t.equal((await setUp({}, '192.0.2.1')).statusCode, 429, 'the right code has to wait as well')
  for (let at = 0; at < 90; at++) await guess(`198.51.${at}.1`)
  t.equal(await guess('203.0.113.1'), 429)
  t.strictSame(document.data.users, {})
  clock.advance({ minutes: 6 })
  t.equal((await setUp({})).statusCode, 200)
})

t.test('an unusable name or password is refused without counting as a wrong code', async (t) => {
  const { setUp, document } = await begin(t)
  for (const [given, code] of [
    [{ password: 'short' }, 'password.weak'],
    [{ password: 'ann ann ann ann' }, 'password.common'],
    [{ username: '..' }, 'user.name'],
    [{ username: '' }, 'user.name'],
    [{ username: 5 }, 'request.invalid'],
    [{ code: 'x'.repeat(65) }, 'request.invalid'],
  ] as const) {
    for (let time = 0; time < 3; time++) t.match((await setUp(given)).json(), { code }, JSON.stringify(given))
  }
  t.strictSame(document.data.users, {})
  t.equal((await setUp({})).statusCode, 200)
})

t.test('a code has 60 random bits and no characters that look alike', async (t) => {
  const codes = Array.from({ length: 200 }, createSetupCode)
  t.equal(new Set(codes).size, 200)
  for (const one of codes) t.match(one, /^([0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/)
  t.equal(new Set(codes.join('').replaceAll('-', '')).size, 32)
  const isRight = setupCodeCheck('01AB-CD23-4567')
  for (const typed of [
    '01AB-CD23-4567',
    '01abcd234567',
    'o1ab cd23 4567',
    'OLAB-CD23-4567',
    ' 0iab—cd23-4567\n',
  ])
    t.ok(isRight(typed), typed)
  for (const typed of ['', '01AB-CD23-456', '01AB-CD23-45678', '11AB-CD23-4567', '-'])
    t.notOk(isRight(typed), typed)
})
