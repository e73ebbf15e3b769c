import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { password, start } from '#src/testing/start.ts'
import { dial, exchange, listen } from '#src/testing/wire.ts'
import { stripBaseUrl } from './server.ts'

t.test('strips scheme, host and base path from a URL', (t) => {
  const cases = [
    ['/x', '', '/x'],
    ['/', '', '/'],
    ['http://h/x?y', '', '/x?y'],
    ['http://h', '', '/'],
    ['HTTP://h:80/x', '', '/x'],
    ['http://h?y', '', '/?y'],
    ['*', '', '/*'],
    ['', '', '/'],
    ['/b/x', '/b', '/x'],
    ['/b', '/b', '/'],
    ['/b?y', '/b', '/?y'],
    ['/b/', '/b', '/'],
    ['/bx', '/b', '/bx'],
    ['/b/b/x', '/b', '/b/x'],
    ['/x', '/b', '/x'],
    ['http://h/b/x', '/b', '/x'],
    ['/b//x', '/b', '//x'],
  ] as const
  for (const [url, base, plain] of cases) t.equal(stripBaseUrl(url, base), plain, `${url} under ${base}`)
  t.end()
})

async function recordedAddress(
  t: Parameters<typeof start>[0],
  trustedProxy: string[],
  forwarded: string,
  from: string,
) {
  const { call, services } = await start(t, { config: { trustedProxy } })
  const payload = { username: 'admin', password }
  const headers = { 'x-forwarded-for': forwarded }
  const { statusCode } = await call('POST', '/api/login', { payload, headers, remoteAddress: from })
  t.equal(statusCode, 200)
  return (await services.sessions.ofUser(1))[0]?.address
}

t.test('accepts the address of the client only from trusted proxies', async (t) => {
  const cases = [
    [[], '203.0.113.1', '192.0.2.1', '192.0.2.1'],
    [['10.0.0.0/8'], '203.0.113.1', '192.0.2.1', '192.0.2.1'],
    [['10.0.0.0/8'], '203.0.113.1', '10.1.2.3', '203.0.113.1'],
    [['10.0.0.0/8'], '198.51.100.9, 203.0.113.1', '10.1.2.3', '203.0.113.1'],
    [['10.0.0.0/8'], '203.0.113.1, 10.9.9.9', '10.1.2.3', '203.0.113.1'],
    [['fd00::/8'], '2001:db8::1', 'fd00::1', '2001:db8::1'],
    [['127.0.0.1'], '203.0.113.1', '::ffff:127.0.0.1', '203.0.113.1'],
  ] as const
  for (const [trusted, forwarded, from, expected] of cases) {
    await t.test(`${forwarded} through ${from}, trusting ${trusted}`, async (t) => {
      t.equal(await recordedAddress(t, [...trusted], forwarded, from), expected)
    })
  }
})

t.test('through a Unix socket, the address of the client is the one from the proxy', async (t) => {
  const { app, services } = await start(t)
  // The path of a socket must be short, and the folder of a test is deep.
  const folder = await mkdtemp(join(tmpdir(), 'coffer-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, 's')
  await app.listen({ path })
  const body = JSON.stringify({ username: 'admin', password })
  const response = await exchange(path, 'POST', '/api/login', {
    body,
    headers: { 'x-forwarded-for': '203.0.113.1' },
  })
  t.equal(response.status, 200)
  t.equal((await services.sessions.ofUser(1))[0]?.address, '203.0.113.1')
  t.equal((await exchange(path, 'POST', '/api/login', { body })).status, 200)
  t.ok((await services.sessions.ofUser(1)).every(({ address }) => typeof address === 'string'))
})

t.test('ignores forged headers for host and scheme', async (t) => {
  const { app } = await start(t)
  const port = await listen(app)
  const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' }
  const reply = await exchange(port, 'GET', '/', { headers })
  t.notMatch(JSON.stringify(reply), /evil/)
  t.notOk(reply.headers['strict-transport-security'])
})

t.test(
  'sends headers that old clients compare case-sensitively with the spelling of File Browser',
  async (t) => {
    const { app, login } = await start(t, { people: { alice: { perm: { create: true, modify: true } } } })
    const port = await listen(app)
    const own = `HTTP/1.1\r\nHost: x\r\nX-Auth: ${await login('alice')}\r\n`
    const cases: [request: string, spelled: RegExp][] = [
      [
        `POST /api/tus/a.bin ${own}Upload-Length: 4\r\nContent-Length: 0\r\n\r\n`,
        /\r\nLocation: |location: /,
      ],
      [`HEAD /api/tus/a.bin ${own}\r\n`, /\r\nUpload-Offset: 0\r\n/],
      [`HEAD /api/tus/a.bin ${own}\r\n`, /\r\nUpload-Length: 4\r\n/],
      [`POST /api/renew ${own}Content-Length: 0\r\n\r\n`, /\r\nX-Renew-Token: false\r\n/],
    ]
    for (const [request, spelled] of cases) {
      const wire = await dial(t, port)
      wire.socket.write(request)
      t.match((await wire.until(/\r\n\r\n/)).input, spelled)
    }
  },
)
