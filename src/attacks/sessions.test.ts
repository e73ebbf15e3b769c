import { createHmac } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { password, start } from '#src/testing/start.ts'
import { dial } from '#src/testing/wire.ts'
import { isRefused, openTarget } from './fixture.ts'
import type { TestResponse } from './line.ts'

const target = await openTarget(t)
const { ask, row, advanceMinutes, idOf, settings, document, clock } = target

const fresh = async (username: string, more: object = {}) => {
  const { status, text } = await ask('', 'POST', '/api/login', { json: { username, password, ...more } })
  if (status !== 200) throw new Error(text)
  return text
}

const get = (token: string, url = '/api/resources/') => ask('', 'GET', url, { headers: { 'x-auth': token } })
const assertAccepted = async (t: Test, token: string) => t.equal((await get(token)).status, 200)

/** Asserts that no endpoint of any kind accepts a token. */
async function assertRefused(t: Test, token: string): Promise<void> {
  const headers = { 'x-auth': token }
  for (const url of [
    'resources/',
    'raw/pub.txt',
    'search/?query=a',
    'usage/',
    'shares',
    'sessions',
    'users/1',
  ]) {
    isRefused(t, await ask('', 'GET', `/api/${url}`, { headers }), [401])
    isRefused(
      t,
      await ask('', 'GET', `/api/${url}`, { headers: { authorization: `Bearer ${token}` } }),
      [401],
    )
  }
  for (const url of ['renew', 'logout', 'ticket', 'share/pub.txt', 'resources/new.txt']) {
    isRefused(t, await ask('', 'POST', `/api/${url}`, { headers }), [401])
  }
  isRefused(t, await ask('', 'GET', `/api/raw/pub.txt?auth=${encodeURIComponent(token)}`), [401])
  isRefused(t, await ask('', 'GET', '/api/resources/', { headers: { cookie: `auth=${token}` } }), [401])
  isRefused(t, await ask('', 'GET', '/api/command/', { headers }), [401, 403, 404, 405])
}

row('F01 CVE-2025-53826 a token is refused everywhere after its user signed out', async (t) => {
  const token = await fresh('alice')
  const other = await fresh('alice')
  const { ticket } = JSON.parse(
    (
      await ask('', 'POST', '/api/ticket', {
        headers: { 'x-auth': token },
        json: { action: 'raw', path: '/pub.txt' },
      })
    ).text,
  ) as { ticket: string }
  t.equal((await ask('', 'GET', `/api/raw/pub.txt?auth=${ticket}`)).text, 'public')
  t.equal((await ask('', 'POST', '/api/logout', { headers: { 'x-auth': token } })).status, 200)
  await assertRefused(t, token)
  isRefused(t, await ask('', 'GET', `/api/raw/pub.txt?auth=${ticket}`), [401])
  await assertAccepted(t, other)
  const [, payload = ''] = token.split('.')
  const { sid } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid: string }
  const files = readdirSync(join(target.base, 'state.d/sessions'))
  t.notOk(
    files.some((name) => name.includes(sid)),
    'a restart cannot restore the session',
  )
})

row("F02 changing or locking a password and deleting a user end the user's sessions", async (t) => {
  const next = 'another long sentence'
  const change = (account: 'alice' | 'admin', id: number, which: string[], data: object, token?: string) =>
    ask(token ? '' : account, 'PUT', `/api/users/${id}`, {
      json: { what: 'user', which, current_password: token && password, data: { id, ...data } },
      headers: token ? { 'x-auth': token } : {},
    })
  const id = idOf('alice')
  const [first, second] = [await fresh('alice'), await fresh('alice')]
  t.equal((await change('alice', id, ['password'], { password: next }, first)).status, 200)
  await assertRefused(t, second)
  const third = (await ask('', 'POST', '/api/login', { json: { username: 'alice', password: next } })).text
  t.equal((await change('admin', id, ['password'], { password })).status, 200)
  await assertRefused(t, first)
  await assertRefused(t, third)
  const locked = await fresh('team2')
  t.equal((await change('admin', idOf('team2'), ['lockPassword'], { lockPassword: true })).status, 200)
  await assertRefused(t, locked)
  const gone = await fresh('team2')
  await ask('admin', 'DELETE', `/api/users/${idOf('team2')}`)
  const data = { username: 'team2', password, scope: '/team' }
  await ask('admin', 'POST', '/api/users', { json: { what: 'user', which: [], data } })
  await assertRefused(t, gone)
  target.signOut()
})

row('F02 running requests are aborted when their session ends', async (t) => {
  const big = join(target.root, 'alice/docs/big.bin')
  closeSync(openSync(big, 'w'))
  truncateSync(big, 8 * 1024 ** 3)
  const ends: Record<string, (token: string) => Promise<TestResponse>> = {
    'signing out': (token) => ask('', 'POST', '/api/logout', { headers: { 'x-auth': token } }),
    'an administrator': () => ask('admin', 'DELETE', `/api/users/${idOf('alice')}/sessions`),
  }
  for (const [how, end] of Object.entries(ends)) {
    const token = await fresh('alice')
    const urls = ['/api/raw/docs/big.bin', '/api/raw/docs?algo=tar', '/api/raw/?files=docs&algo=zip']
    const waits = await Promise.all(urls.map((url) => target.startReading(t, url, token)))
    const upload = await dial(t, target.port)
    const head = `POST /api/resources/late-${how.length} HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}`
    upload.socket.write(`${head}\r\nContent-Length: 1000\r\n\r\nhalf`)
    const sum = get(token, '/api/resources/docs/big.bin?checksum=sha512')
    t.equal((await end(token)).status, 200)
    await Promise.all(waits.map((wait) => wait()))
    await upload.until(/^HTTP\/1\.1 401 /)
    t.equal((await sum).status, 401, how)
  }
  target.signOut()
})

row('F03 the tokens of a session end with it, and no token can be renewed after its end', async (t) => {
  const renew = (token: string) => ask('', 'POST', '/api/renew', { headers: { 'x-auth': token } })
  const first = await fresh('alice')
  const again = await Promise.all(Array.from({ length: 20 }, () => renew(first)))
  clock.advance({ seconds: 61 })
  // Two tabs that renew their token at each load do not end each other's session.
  for (const { text } of again) await assertAccepted(t, text)
  await assertAccepted(t, first)
  isRefused(t, await renew(`${first.slice(0, -3)}AAA`), [401])
  t.equal((await ask('', 'POST', '/api/logout', { headers: { 'x-auth': first } })).status, 200)
  for (const { text } of again) await assertRefused(t, text)
  const old = await fresh('alice')
  clock.advance({ hours: 3 })
  isRefused(t, await renew(old), [401])
  target.signOut()
})

t.test('F03 a session that is renewed again and again ends ninety days after its sign-in', async (t) => {
  const { call, clock, login } = await start(t, { config: { tokenExpirationMs: 40 * 24 * 60 * 60_000 } })
  const renew = (token: string) => call('POST', '/api/renew', { headers: { 'x-auth': token } })
  let token = await login('admin')
  for (const days of [29, 29, 29, 2.9]) {
    clock.advance({ days })
    const { statusCode, body } = await renew(token)
    t.equal(statusCode, 200)
    token = body
  }
  clock.advance({ hours: 3 })
  t.equal((await renew(token)).statusCode, 401)
  t.equal((await call('GET', '/api/sessions', { headers: { 'x-auth': token } })).statusCode, 401)
})

row(
  'F04 CVE-2025-52901 a token in an address is accepted for raw content only, and is not logged',
  async (t) => {
    const token = await fresh('alice')
    // `auth` in the query is accepted on raw content and the command socket only (contract/README.md#sessions).
    t.equal((await ask('', 'GET', `/api/raw/pub.txt?auth=${token}`)).text, 'public')
    for (const url of ['resources/', 'search/', 'usage/', 'shares', 'users/1', 'sessions']) {
      isRefused(t, await ask('', 'GET', `/api/${url}?auth=${token}`), [401])
    }
    for (const name of ['token', 'jwt', 'access_token', 'Auth', 'x-auth']) {
      isRefused(t, await ask('', 'GET', `/api/raw/pub.txt?${name}=${token}`), [401])
    }
    isRefused(t, await ask('', 'PUT', `/api/resources/pub.txt?auth=${token}`, { body: 'x' }), [401])
    isRefused(t, await ask('', 'GET', `/api/public/dl/none?auth=${token}`), [404])
    const responses = target.responses().map(({ content }) => content)
    t.equal(
      responses.filter((said) => said.includes(token)).length,
      1,
      'only the response to the sign-in contains the token',
    )
    t.notOk(readFileSync(target.config.log, 'utf8').includes(token.slice(-40)))
    t.equal((await ask('', 'GET', '/')).headers['referrer-policy'], 'no-referrer')
  },
)

row('F05 F06 CVE-2026-54089 no request header sets the user', async (t) => {
  const headers = {
    'x-remote-user': 'admin',
    'x-forwarded-user': 'admin',
    'x-forwarded-for': '127.0.0.1',
    'x-auth-user': 'admin',
  }
  for (const json of [{}, { username: 'admin', password: '' }]) {
    isRefused(t, await ask('', 'POST', '/api/login', { headers, json }), [400, 403])
  }
  isRefused(t, await ask('', 'GET', '/api/settings', { headers }), [401])
  isRefused(t, await ask('', 'POST', '/api/renew', { headers }), [401])
})

row(
  'F07 CVE-2026-23849 a failed sign-in gets the same response whether the user exists or not',
  async (t) => {
    advanceMinutes(6)
    const tries = [
      { username: 'admin', password: 'wrong word here' },
      { username: 'nobody', password: 'wrong word here' },
      { username: 'ADMIN ', password: '' },
      { username: 'nobody', password: '' },
      { username: '', password: '' },
      { username: 'x'.repeat(1000), password: 'y'.repeat(1000) },
      { username: '__proto__', password: 'wrong word here' },
    ]
    const responses: TestResponse[] = []
    for (const json of tries) responses.push(await ask('', 'POST', '/api/login', { json }))
    const shapes = responses.map(({ status, text, headers }) => {
      const { 'x-request-id': _id, date: _date, ...rest } = headers
      return JSON.stringify([status, text, rest])
    })
    t.equal(new Set(shapes).size, 1)
    t.equal(responses[0]?.status, 403)
  },
)

row(
  'F08 password guesses are limited by user name and address, and no header changes the address',
  async (t) => {
    advanceMinutes(6)
    const guess = (username: string, headers = {}) =>
      ask('', 'POST', '/api/login', { json: { username, password: 'wrong word here' }, headers })
    for (let n = 0; n < 10; n++) isRefused(t, await guess('ro'), [403])
    for (let n = 0; n < 6; n++) {
      const spoof = {
        'x-forwarded-for': `10.0.0.${n}`,
        'x-real-ip': `10.0.0.${n}`,
        forwarded: `for=10.0.0.${n}`,
      }
      const limited = await guess('ro', spoof)
      isRefused(t, limited, [429])
      t.ok(Number(limited.headers['retry-after']) > 0)
    }
    // Other spellings of a name count as the same name.
    isRefused(t, await guess(' RO'), [429])
    // If the guesses use many names, the limit of the address applies.
    const spread = await Promise.all(Array.from({ length: 50 }, (_, n) => guess(`name${n}`)))
    t.ok(spread.some(({ status }) => status === 429))
    advanceMinutes(6)
    await fresh('ro')
  },
)

row(
  'F09 CVE-2026-54092 huge bodies are refused before they are stored, and the server stays healthy',
  async (t) => {
    advanceMinutes(6)
    for (const url of [
      '/api/login',
      '/api/signup',
      '/api/users',
      '/api/settings',
      '/api/share/pub.txt',
      '/api/ticket',
    ]) {
      const method = url === '/api/settings' ? 'PUT' : 'POST'
      const wire = await dial(t, target.port)
      const head = [`${method} ${url} HTTP/1.1`, 'Host: coffer', `X-Auth: ${await target.token('admin')}`]
      // An announced length is refused before the first byte is received.
      wire.socket.write(
        `${head.join('\r\n')}\r\nContent-Length: 200000000\r\nExpect: 100-continue\r\n\r\n{"password":"`,
      )
      t.match((await wire.until(/^HTTP\/1\.1 \d+ (?!Continue)[\s\S]*\r\n\r\n/m))[0], /HTTP\/1\.1 4\d\d/, url)
      wire.socket.destroy()
      const chunked = await dial(t, target.port)
      chunked.socket.write(`${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n`)
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
      for (let n = 0; n < 20; n++) chunked.socket.write(chunk)
      t.match((await chunked.until(/^HTTP\/1\.1 \d+/))[0], /413|405/, url)
      chunked.socket.destroy()
    }
    const flood = Array.from({ length: 40 }, () =>
      ask('', 'POST', '/api/login', { json: { username: 'x', password: 'y' } }),
    )
    t.equal((await ask('', 'GET', '/health')).status, 200)
    for (const response of await Promise.all(flood)) isRefused(t, response, [403, 429, 503])
  },
)

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

row('F10 a token that was not signed by the server exactly as it is, is refused', async (t) => {
  const good = await fresh('alice')
  const [head = '', payload = '', sign = ''] = good.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number; user: object }
  const signed = (header: object, body: object, key: string | Buffer) => {
    const text = `${encode(header)}.${encode(body)}`
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
  }
  const hs256 = { alg: 'HS256', typ: 'JWT' }
  const admin = { ...claims, user: { ...claims.user, id: 1, perm: { admin: true } } }
  const own = Buffer.from(document.data.credentials.signingKey, 'base64')
  const { exp: _exp, ...endless } = claims
  const forged = [
    `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.${sign}`,
    ...['', 'secret', 'coffer', document.data.credentials.signingKey].map((key) => signed(hs256, admin, key)),
    signed({ ...hs256, alg: 'RS256' }, claims, own),
    signed({ ...hs256, kid: '../../etc/passwd' }, claims, own),
    signed({ typ: 'JWT', alg: 'HS256' }, claims, own),
    signed(hs256, endless, own),
    signed(hs256, { ...claims, exp: String(claims.exp) }, own),
    signed(hs256, { ...claims, sid: 'none' }, own),
    signed(hs256, { ...claims, sid: '__proto__' }, own),
    `${head}.${encode(admin)}.${sign}`,
    `${head}.${payload}`,
    `${head}.${payload}.`,
    '..',
    'a.b.c',
  ]
  for (const token of forged) await get(token).then((response) => isRefused(t, response, [401]))
  // With the key, an attacker can forge tokens, but no permissions: these are read from the state, not from the token.
  isRefused(t, await get(signed(hs256, admin, own), '/api/users'), [401, 403])
  await assertAccepted(t, good)
})

row('F11 a token has one valid spelling, and an ended one is refused in every spelling', async (t) => {
  const token = await fresh('alice')
  const last = token.at(-1) ?? ''
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const turned = `${token.slice(0, -1)}${alphabet[alphabet.indexOf(last) ^ 1]}`
  const plain = token.replaceAll('-', '+').replaceAll('_', '/')
  const others = [
    turned,
    `${token}=`,
    `${token}==`,
    `${token}.x`,
    `${token}.`,
    `"${token}"`,
    `${token},${token}`,
  ]
  for (const other of others) isRefused(t, await get(other), [401])
  if (plain !== token) isRefused(t, await get(plain), [401])
  await assertAccepted(t, token)
  await ask('', 'POST', '/api/logout', { headers: { 'x-auth': token } })
  for (const other of [...others, plain, ` ${token} `]) isRefused(t, await get(other), [401])
  isRefused(t, await ask('', 'GET', '/api/resources/', { headers: { 'X-AUTH': token } }), [401])
})

row('F12 on public addresses an ended token does not identify its bearer', async (t) => {
  const shareId = await target.share('/pub.txt')
  const locked = await target.share('/docs/public.txt', { password: 'p' })
  const token = await fresh('admin')
  await ask('', 'POST', '/api/logout', { headers: { 'x-auth': token } })
  const headers = { 'x-auth': token, cookie: `auth=${token}` }
  for (const carried of [{ headers }, {}]) {
    t.equal((await ask('', 'GET', `/api/public/dl/${shareId}`, carried)).text, 'public')
    isRefused(t, await ask('', 'GET', `/api/public/dl/${locked}`, carried), [401])
    t.equal((await ask('', 'GET', '/health', carried)).status, 200)
  }
  const pages = [await ask('', 'GET', '/', { headers }), await ask('', 'GET', '/')]
  t.equal(pages[0]?.text, pages[1]?.text)
})

row(
  'F13 F14 CVE-2021-46398 a forged cross-site request carries no credentials that the server accepts',
  async (t) => {
    const token = await fresh('admin')
    const before = [target.manifest('alice'), structuredClone(document.data)]
    const kinds = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json',
    ]
    const user = JSON.stringify({
      what: 'user',
      which: [],
      data: { username: 'evil', password: 'a long enough one' },
    })
    const calls = [
      ['POST', '/api/users', user],
      ['PUT', '/api/settings', '{"signup":true}'],
      ['POST', '/api/resources/alice/evil.txt', 'x'],
      ['DELETE', '/api/resources/alice/pub.txt', ''],
      ['PATCH', '/api/resources/alice/pub.txt?action=rename&destination=/alice/evil.txt', ''],
      ['POST', '/api/share/alice', '{}'],
      ['POST', '/api/renew', ''],
      ['POST', '/api/logout', ''],
    ] as const
    for (const type of kinds) {
      const headers = {
        cookie: `auth=${token}`,
        origin: 'https://evil.test',
        'sec-fetch-site': 'cross-site',
        'content-type': type,
      }
      for (const [method, url, body] of calls)
        isRefused(t, await ask('', method, url, { headers, body }), [401])
      isRefused(t, await ask('', 'POST', '/api/tus/x', { headers, body: '' }), [401])
      const upgrade = {
        ...headers,
        upgrade: 'websocket',
        connection: 'Upgrade',
        'sec-websocket-version': '13',
      }
      isRefused(t, await ask('', 'GET', '/api/command/', { headers: upgrade }), [401, 403, 404])
    }
    t.strictSame([target.manifest('alice'), document.data], before)
    await assertAccepted(t, token)
  },
)

row('F16 ids of sessions are random and contain no information', async (t) => {
  const ids = []
  for (let n = 0; n < 40; n++) {
    const [, payload = ''] = (await fresh('alice')).split('.')
    ids.push((JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid: string }).sid)
  }
  t.equal(new Set(ids).size, ids.length)
  t.ok(
    ids.every((id) => /^[\w-]{22,}$/.test(id)),
    '128 bits in base64url',
  )
  for (let at = 0; at < 20; at++)
    t.ok(new Set(ids.map((id) => id[at])).size > 8, `character ${at} is not fixed`)
})

row('F17 a client cannot choose a session id, and the session of a deleted account is refused', async (t) => {
  const chosen = await fresh('bob')
  const carried = { cookie: `auth=${chosen}`, 'x-auth': chosen }
  const response = await ask('', 'POST', '/api/login', {
    json: { username: 'alice', password },
    headers: carried,
  })
  t.equal(response.status, 200)
  t.not(response.text, chosen)
  t.notOk(response.headers['set-cookie'])
  const { username } = JSON.parse((await get(chosen, `/api/users/${idOf('bob')}`)).text) as {
    username: string
  }
  t.equal(username, 'bob')
  const data = { username: 'brief', password, scope: '/team' }
  await ask('admin', 'POST', '/api/users', { json: { what: 'user', which: [], data } })
  const token = await fresh('brief')
  await ask('admin', 'DELETE', `/api/users/${idOf('brief')}`)
  await assertRefused(t, token)
})

row('F19 without a configured captcha there is none to bypass, and no host to call for one', async (t) => {
  for (const recaptcha of ['', 'x', 'x'.repeat(8000)]) await fresh('alice', { recaptcha })
  await settings({ signup: false })
  const page = (await ask('', 'GET', '/')).text
  t.notMatch(page, /"ReCaptcha":true/)
})
