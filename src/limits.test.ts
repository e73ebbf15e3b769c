import { truncateSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Limits } from '#src/config/config.ts'
import { extendIdleTimeout } from '#src/http/limits.ts'
import { password, start } from '#src/testing/start.ts'
import { dial, exchange, listen, until } from '#src/testing/wire.ts'
import { temporaries } from '#src/testing/writer.ts'

const alice = { people: { alice: { perm: { create: true, modify: true, download: true, share: true } } } }

const withLimits = (t: Test, config: Partial<Limits>, trustedProxy: string[] = []) =>
  start(t, { ...alice, tree: { 'a.txt': 'a', docs: { 'b.txt': 'b' } }, config: { ...config, trustedProxy } })

t.test(
  'refuses anonymous requests above the rate limit with Retry-After, and accepts later ones',
  async (t) => {
    const { call, as, clock } = await withLimits(t, { requestRate: 1 })
    clock.stop()
    const request = (url: string, remoteAddress = '192.0.2.1', rest = {}) =>
      call('GET', url, { remoteAddress, ...rest })
    for (let n = 0; n < 10; n++) t.equal((await request('/api/resources/')).statusCode, 401)
    for (let n = 0; n < 10; n++) t.equal((await request('/api/public/share/none')).statusCode, 404)
    for (const url of ['/api/resources/', '/api/public/share/none', '/api/openapi.json']) {
      const refused = await request(url)
      t.equal(refused.statusCode, 429, url)
      t.equal(refused.headers['retry-after'], '1')
      t.equal(refused.body, '429 Too Many Requests (too many requests; try again in 1 s)\n')
    }
    const login = { payload: { username: 'alice', password }, remoteAddress: '192.0.2.1' }
    t.equal((await call('POST', '/api/login', login)).statusCode, 429)
    t.equal((await request('/health')).statusCode, 200, 'it costs nothing and is not counted')
    // These responses look up the branding on the disk.
    for (const url of ['/', '/files/', '/static/none.js']) t.equal((await request(url)).statusCode, 429, url)
    t.equal(
      (await request('/api/openapi.json', '192.0.2.2')).statusCode,
      200,
      'another address has its own limit',
    )
    const requestAsAlice = await as('alice')
    for (let n = 0; n < 50; n++) {
      const reply = await requestAsAlice('GET', '/api/resources/', { remoteAddress: '192.0.2.1' })
      if (reply.statusCode !== 200) t.fail('signed-in users are not counted by address')
    }
    clock.advance({ seconds: 2 })
    t.equal((await request('/api/openapi.json')).statusCode, 200)
  },
)

t.test('the default limits never refuse normal work', async (t) => {
  const { as, root } = await withLimits(t, {})
  const request = await as('alice')
  // A request waits at most ten seconds. A busy machine answers this many in a fraction of that.
  const downloads = Array.from({ length: 1000 }, () => request('GET', '/api/raw/a.txt'))
  const uploads = Array.from({ length: 60 }, (_, n) =>
    request('POST', `/api/resources/up/${n}.txt`, { payload: String(n) }),
  )
  const codes = (await Promise.all([...downloads, ...uploads])).map(({ statusCode }) => statusCode)
  t.strictSame([...new Set(codes)], [200])
  t.strictSame(temporaries(join(root, 'up')), [])
})

t.test('limits the request rate of a user when configured', async (t) => {
  const { as, clock } = await withLimits(t, { userRate: 2 })
  clock.stop()
  const request = await as('alice')
  const codes: number[] = []
  for (let n = 0; n < 41; n++) codes.push((await request('GET', '/api/sessions')).statusCode)
  t.strictSame(codes, [...Array(40).fill(200), 429])
  const other = await as('admin')
  t.equal((await other('GET', '/api/sessions')).statusCode, 200)
})

t.test('counts the clients behind a trusted proxy by their own networks', async (t) => {
  const cases: [trusted: string[], peer: string, used: string, same: string[], others: string[]][] = [
    [['10.0.0.0/8'], '10.1.2.3', '203.0.113.1', ['1.1.1.1, 203.0.113.1', '203.0.113.1:99'], ['203.0.113.2']],
    [
      ['10.0.0.0/8'],
      '::ffff:10.1.2.3',
      '203.0.113.1',
      ['::ffff:203.0.113.1', '::ffff:cb00:7101'],
      ['9.9.9.9'],
    ],
    [['10.0.0.0/8'], '10.1.2.3', '203.0.113.1, 10.9.9.9', ['203.0.113.1'], ['10.9.9.9']],
    [['fd00::/8'], 'fd00::1', '2001:db8::1', ['2001:db8::ffff', '[2001:DB8::2]:443'], ['2001:db8:0:1::1']],
  ]
  for (const [trusted, remoteAddress, used, same, others] of cases) {
    const { call, clock } = await withLimits(t, { requestRate: 1 }, trusted)
    clock.stop()
    const request = async (forwarded: string) =>
      (await call('GET', '/api/sessions', { remoteAddress, headers: { 'x-forwarded-for': forwarded } }))
        .statusCode
    for (let n = 0; n < 20; n++) t.equal(await request(used), 401)
    for (const one of [used, ...same]) t.equal(await request(one), 429, `${one} is ${used}`)
    for (const one of others) t.equal(await request(one), 401, `${one} is not ${used}`)
  }
})

t.test('forwarding headers of untrusted clients do not change any limit', async (t) => {
  for (const trusted of [[], ['10.0.0.1'], ['fd00::/8']]) {
    for (const remoteAddress of ['192.0.2.1', '10.0.0.2', '2001:db8::1', '::ffff:192.0.2.1']) {
      const { call, clock } = await withLimits(t, { requestRate: 1, loginAttempts: 3 }, trusted)
      clock.stop()
      const headers = (n: number) => ({ 'x-forwarded-for': `203.0.113.${n}`, 'x-real-ip': `203.0.113.${n}` })
      const guess = (n: number) =>
        call('POST', '/api/login', {
          payload: { username: 'alice', password: 'wrong' },
          headers: headers(n),
          remoteAddress,
        })
      const guesses: number[] = []
      for (let n = 0; n < 4; n++) guesses.push((await guess(n)).statusCode)
      t.strictSame(guesses, [403, 403, 403, 429], `${remoteAddress}, trusting ${trusted}`)
      const calls: number[] = []
      for (let n = 0; n < 17; n++) {
        calls.push((await call('GET', '/api/sessions', { headers: headers(n), remoteAddress })).statusCode)
      }
      t.strictSame(calls, [...Array(16).fill(401), 429], remoteAddress)
    }
  }
})

t.test('limits guesses of share passwords like those of user passwords', async (t) => {
  const { as, call } = await withLimits(t, { loginAttempts: 3 })
  const request = await as('alice')
  const { hash } = (await request('POST', '/api/share/docs', { payload: { password: 'open sesame' } })).json()
  const visitShare = (given: string, remoteAddress: string) =>
    call('GET', `/api/public/share/${hash}`, { headers: { 'x-share-password': given }, remoteAddress })
  for (let n = 0; n < 3; n++) t.equal((await visitShare(`guess ${n}`, '192.0.2.1')).statusCode, 401)
  const refused = await visitShare('open%20sesame', '192.0.2.1')
  t.equal(refused.statusCode, 429)
  t.match(refused.headers['retry-after'], /^\d+$/)
  t.equal((await visitShare('open%20sesame', '192.0.2.2')).statusCode, 200)
})

t.test('limits the concurrent uploads of a user', async (t) => {
  const { app, login, root } = await withLimits(t, { uploadsPerUser: 2 })
  const port = await listen(app)
  const own = `HTTP/1.1\r\nHost: x\r\nX-Auth: ${await login('alice')}\r\nContent-Length: 2\r\n\r\n1`
  const begin = async (method: string, name: string) => {
    const wire = await dial(t, port)
    wire.socket.write(`${method} /api/resources/${name} ${own}`)
    return wire
  }
  const first = await begin('POST', 'one.txt')
  await begin('PUT', 'a.txt')
  await until(() => temporaries(root).length === 2)
  for (const method of ['POST', 'PUT']) {
    const refused = await begin(method, 'three.txt')
    await refused.until(
      /^HTTP\/1\.1 429 [\s\S]*2 uploads are already in progress; try again when one has finished/,
    )
    t.match(refused.seen(), /\r\nretry-after: 1\r\n/i)
  }
  const headers = { 'x-auth': await login('admin') }
  const other = await exchange(port, 'POST', '/api/resources/four.txt', { headers, body: 'x' })
  t.equal(other.status, 200, 'another user has a separate limit')
  first.socket.write('2')
  await first.until(/200 OK/)
  const third = await begin('POST', 'three.txt')
  await until(() => temporaries(root).length === 2)
  third.socket.destroy()
})

t.test(
  "limits the concurrent archives of a share's visitors by address, apart from those of users",
  async (t) => {
    const { app, as, login, root } = await withLimits(t, { archivesPerUser: 1 })
    truncateSync(join(root, 'docs/b.txt'), 1024 ** 3)
    const request = await as('alice')
    const { hash } = (await request('POST', '/api/share/docs')).json()
    const port = await listen(app)
    const token = await login('alice')
    const replies: IncomingMessage[] = []
    const take = (path: string, localAddress: string, headers = {}) =>
      new Promise<number>((resolve) => {
        get({ host: '127.0.0.1', port, path, localAddress, headers, agent: false }, (reply) => {
          replies.push(reply)
          resolve(reply.statusCode ?? 0)
        })
      })
    const link = `/api/public/dl/${hash}/?algo=tar`
    t.equal(await take(link, '127.0.0.1'), 200)
    t.equal(await take(link, '127.0.0.1'), 429)
    t.equal(await take(link, '127.0.0.2'), 200)
    t.equal(
      await take('/api/raw/docs?algo=tar', '127.0.0.1', { 'x-auth': token }),
      200,
      'the owner has a separate limit',
    )
    t.equal(await take('/api/raw/docs?algo=tar', '127.0.0.3', { 'x-auth': token }), 429)
    for (const reply of replies) reply.destroy()
  },
)

t.test('refuses uploads, bodies and headers above their limits, and leaves no file', async (t) => {
  const { app, login, root } = await withLimits(t, { maxUpload: 1000, maxBody: 64 * 1024, maxHeader: 8192 })
  const port = await listen(app)
  const headers = { 'x-auth': await login('alice') }
  const large = Buffer.alloc(1001, 'x')
  const put = (path: string, body: Buffer, more = {}) =>
    exchange(port, 'POST', `/api/resources/${path}`, { headers: { ...headers, ...more }, body })
  t.equal((await put('fits.txt', large.subarray(1))).status, 200)
  t.match(await put('large.txt', large), { status: 413, body: /the request body is larger than 1000 bytes/ })
  t.equal((await put('large.txt', large, { 'transfer-encoding': 'chunked' })).status, 413)
  const form = Buffer.from(
    `--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n${large}\r\n--b--\r\n`,
  )
  t.equal((await put('', form, { 'content-type': 'multipart/form-data; boundary=b' })).status, 413)
  t.strictSame(temporaries(root), [])
  const largeJson = JSON.stringify({ username: 'x'.repeat(64 * 1024), password: '' })
  t.equal((await exchange(port, 'POST', '/api/login', { body: largeJson })).status, 413)
  const wide = await exchange(port, 'GET', '/health', { headers: { 'x-filler': 'x'.repeat(8192) } })
  t.equal(wide.status, 431)
})

t.test('responds to a slow request with 408 and closes the connection', async (t) => {
  const { app } = await withLimits(t, { requestTimeoutMs: 1000 })
  const port = await listen(app)
  const silent = await dial(t, port)
  const head = await dial(t, port)
  head.socket.write('GET /health HTTP/1.1\r\nHost: x\r\nX-A: b')
  const body = await dial(t, port)
  body.socket.write('POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"username":')
  t.match(await head.closed(), /^HTTP\/1\.1 408 /)
  t.match(await silent.closed(), /^HTTP\/1\.1 408 /)
  await body.until(/^HTTP\/1\.1 408 [\s\S]*408 Request Timeout \(the request did not arrive in time\)/)
})

t.test('closes a stalled transfer and leaves no file', async (t) => {
  const { app, login, root } = await withLimits(t, { idleTimeoutMs: 1000 })
  truncateSync(join(root, 'docs/b.txt'), 1024 ** 3)
  const port = await listen(app)
  const own = `HTTP/1.1\r\nHost: x\r\nX-Auth: ${await login('alice')}\r\n`
  const sender = await dial(t, port)
  sender.socket.write(`POST /api/resources/new.txt ${own}Content-Length: 100\r\n\r\n1`)
  await until(() => temporaries(root).length === 1)
  const readers = await Promise.all(['raw/docs/b.txt', 'raw/docs?algo=tar'].map(() => dial(t, port)))
  for (const [n, path] of ['raw/docs/b.txt', 'raw/docs?algo=tar'].entries()) {
    readers[n]?.socket.pause().write(`GET /api/${path} ${own}\r\n`)
  }
  await sender.closed()
  await until(() => temporaries(root).length === 0)
  await until(() => new Promise((resolve) => app.server.getConnections((_, many) => resolve(many === 0))))
})

t.test('does not time out a request that waits for slow work of the server', async (t) => {
  const { app } = await withLimits(t, { idleTimeoutMs: 1000 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const endpoint = { access: 'public', summary: '' } as const
  for (const [url, isLong] of [
    ['/long', true],
    ['/short', false],
  ] as const) {
    app.get(url, { config: { endpoint } }, async (_request, reply) => {
      if (isLong) extendIdleTimeout(reply)
      await promise
      return 'at last'
    })
  }
  const port = await listen(app)
  const request = (url: string) => exchange(port, 'GET', url)
  const long = request('/long')
  await t.rejects(request('/short'), 'any other request times out')
  resolve()
  t.match(await long, { status: 200, body: 'at last' })
})
