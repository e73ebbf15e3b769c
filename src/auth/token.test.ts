import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import t from 'tap'
import { start } from '#src/testing/start.ts'

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const hs256 = (body: string, key: Buffer | string) =>
  createHmac('sha256', key).update(body).digest('base64url')

t.test('a token has three parts and contains the user, the expiry and the session', async (t) => {
  const { login, clock } = await start(t, { people: { alice: {} } })
  const parts = (await login('alice')).split('.')
  t.equal(parts.length, 3)
  const [head, payload] = parts.map((part) => Buffer.from(part, 'base64url').toString())
  t.strictSame(JSON.parse(head ?? ''), { alg: 'HS256', typ: 'JWT' })
  const claims = JSON.parse(payload ?? '')
  t.match(claims, { sid: /^[\w-]{22}$/, user: { id: 2, username: 'alice', perm: { admin: false } } })
  t.equal(claims.exp - claims.iat, 2 * 60 * 60)
  t.ok(claims.iat <= clock.now() / 1000)
  for (const secret of ['scope', 'rules', 'password']) t.notOk(secret in claims.user, secret)
})

t.test('a token is accepted in X-Auth and as Bearer', async (t) => {
  const { call, login } = await start(t)
  const token = await login('admin')
  for (const headers of [
    { 'x-auth': token },
    { authorization: `Bearer ${token}` },
    { authorization: `bearer ${token}` },
  ]) {
    t.equal((await call('GET', '/api/sessions', { headers })).statusCode, 200)
  }
})

t.test('rejects forged and altered tokens', async (t) => {
  const { call, login, document, services } = await start(t)
  const token = await login('admin')
  const [head = '', payload = '', mark = ''] = token.split('.')
  const key = Buffer.from(document.data.credentials.signingKey, 'base64')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const forged = (header: object, body: object, by: Buffer | string) => {
    const text = `${base64(header)}.${base64(body)}`
    return `${text}.${hs256(text, by)}`
  }
  const hs = { alg: 'HS256', typ: 'JWT' }
  const rs = `${base64({ alg: 'RS256', typ: 'JWT' })}.${payload}`
  const flipped = (text: string) => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A')
  // The last character of a signature has unused bits, so another character can encode the same bytes.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const respelt = mark.slice(0, -1) + alphabet[alphabet.indexOf(mark.slice(-1)) ^ 1]
  t.strictSame(Buffer.from(respelt, 'base64url'), Buffer.from(mark, 'base64url'))
  const refused = [
    '.',
    '..',
    '...',
    'token',
    `${head}.${payload}`,
    `${head}.${payload}.`,
    `${head}..${mark}`,
    `.${payload}.${mark}`,
    `${token}.x`,
    token.slice(0, -1),
    token.slice(1),
    flipped(token),
    `${token}=`,
    `${head}.${payload}.${respelt}`,
    `${head}.${payload}.${Buffer.from(mark, 'base64url').toString('base64')}`,
    forged({ alg: 'none', typ: 'JWT' }, claims, key),
    `${base64({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    `${base64({ alg: 'NONE' })}.${payload}.x`,
    `${rs}.${sign('sha256', Buffer.from(rs), privateKey).toString('base64url')}`,
    forged({ ...hs, kid: '../../dev/null' }, claims, ''),
    forged(hs, claims, ''),
    forged(hs, claims, 'secret'),
    forged(hs, claims, document.data.credentials.signingKey),
    `${head}.${base64({ ...claims, user: { ...claims.user, id: 2 } })}.${mark}`,
    forged({ typ: 'JWT', alg: 'HS256' }, claims, key),
    'x'.repeat(8000),
    'é.é.é',
  ]
  for (const forgery of refused) {
    const reply = await call('GET', '/api/sessions', { headers: { 'x-auth': forgery } })
    t.equal(reply.statusCode, 401, forgery.slice(-60))
    t.equal(reply.body, '401 Unauthorized (sign in first)\n')
  }
  // Invalid claims are rejected even if they are signed with our key.
  const { exp: _, ...endless } = claims
  for (const strange of [
    null,
    5,
    [],
    endless,
    { ...claims, exp: `${claims.exp}` },
    { ...claims, exp: null },
    { ...claims, sid: 5 },
    { ...claims, sid: undefined },
    { ...claims, sid: '__proto__' },
  ]) {
    t.equal(services.sessions.check(forged(hs, strange as object, key)), undefined, JSON.stringify(strange))
  }
})

t.test('rejects a token of another instance', async (t) => {
  let foreign = ''
  await t.test('the other instance', async (t) => {
    foreign = await (await start(t)).login('admin')
  })
  const { call } = await start(t)
  t.equal((await call('GET', '/api/sessions', { headers: { 'x-auth': foreign } })).statusCode, 401)
})

t.test('a token expires at the time in its claims', async (t) => {
  const { call, login, clock } = await start(t)
  const token = await login('admin')
  const look = async () => (await call('GET', '/api/sessions', { headers: { 'x-auth': token } })).statusCode
  clock.advance({ hours: 1, minutes: 59 })
  t.equal(await look(), 200)
  clock.advance({ minutes: 1, seconds: 1 })
  t.equal(await look(), 401)
  const renewed = await call('POST', '/api/renew', { headers: { 'x-auth': token } })
  t.equal(renewed.statusCode, 401, 'an expired token cannot be renewed')
})

t.test('a cached token is rejected after it expires, its session ends or the key changes', async (t) => {
  const { call, login, document, clock } = await start(t)
  const ask = async (token: string) =>
    (await call('GET', '/api/sessions', { headers: { 'x-auth': token } })).statusCode
  const [kept, ended, late] = [await login('admin'), await login('admin'), await login('admin')]
  for (const token of [kept, kept, ended, late]) t.equal(await ask(token), 200)
  await call('POST', '/api/logout', { headers: { 'x-auth': ended } })
  t.equal(await ask(ended), 401)
  t.equal(await ask(kept), 200)
  const { signingKey } = document.data.credentials
  await document.update((draft) => {
    draft.credentials.signingKey = Buffer.alloc(64, 1).toString('base64')
  })
  t.equal(await ask(kept), 401, 'signed with another key')
  await document.update((draft) => {
    draft.credentials.signingKey = signingKey
  })
  t.equal(await ask(kept), 200)
  clock.advance({ hours: 2, seconds: 1 })
  t.equal(await ask(late), 401)
})
