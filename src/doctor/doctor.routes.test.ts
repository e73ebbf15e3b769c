import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { start } from '#src/testing/start.ts'

t.test('the checks of the server hide names that the administrator cannot see', async (t) => {
  const { as, root } = await start(t, {
    tree: { ann: {}, bob: {} },
    people: { ann: { scope: '/ann', perm: { admin: true } } },
  })
  symlinkSync('/etc', join(root, 'ann', 'mine'))
  symlinkSync('/etc', join(root, 'bob', 'private'))
  const reply = await (await as('ann'))('GET', '/api/doctor')
  t.match(reply.json(), { version: /^\d/, findings: [] })
  t.match(reply.body, '/ann/mine')
  t.notMatch(reply.body, 'private')
  t.match(reply.body, '1 more such links are in folders that you cannot see')
  t.match((await (await as('admin'))('GET', '/api/doctor')).body, '/bob/private')
})

t.test('a request learns how it has arrived, and an untrusted proxy is remembered', async (t) => {
  const { as } = await start(t, { config: { trustedProxy: ['10.0.0.9'] } })
  const admin = await as('admin')
  const forwarded = {
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-proto': 'https',
    host: 'files.example.com',
  }
  const view = async (remoteAddress: string, headers: Record<string, string> = {}) =>
    (await admin('GET', '/api/doctor/connection', { remoteAddress, headers })).json()
  t.match(await view('192.0.2.1'), {
    ...{ address: '192.0.2.1', peer: '192.0.2.1', isTrusted: false, scheme: 'http' },
    forwarded: { address: false, scheme: false, host: false },
  })
  t.match(await view('10.0.0.9', forwarded), {
    ...{
      address: '203.0.113.7',
      peer: '10.0.0.9',
      isTrusted: true,
      scheme: 'https',
      host: 'files.example.com',
    },
    forwarded: { address: true, scheme: true, host: false },
  })
  const untrusted = async () =>
    (await admin('GET', '/api/doctor'))
      .json()
      .findings.find(({ id }: { id: string }) => id === 'options.untrusted-proxy')
  await view('198.51.100.3', forwarded)
  t.equal(await untrusted(), undefined, 'a client of the Internet is not taken for a proxy')
  t.match(await view('10.0.0.8', forwarded), { address: '10.0.0.8', isTrusted: false })
  t.match(await untrusted(), { lines: [{ where: 'coffer', text: '--trusted-proxy 10.0.0.8' }] })
})

t.test('a probe is counted and discarded, up to 16 MiB', async (t) => {
  const { as } = await start(t)
  const admin = await as('admin')
  const send = (bytes: number) =>
    admin('POST', '/api/doctor/probe', {
      payload: Buffer.alloc(bytes),
      headers: { accept: 'application/json' },
    })
  t.strictSame((await send(11 * 1024 * 1024)).json(), { bytes: 11 * 1024 * 1024 })
  t.match((await send(16 * 1024 * 1024 + 1)).json(), { status: 413, code: 'request.large' })
})

t.test('the lines of the stream arrive one by one', async (t) => {
  const { app, login } = await start(t)
  const token = await login('admin')
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const peer = connect(Number(url.port), url.hostname)
  t.teardown(() => peer.destroy())
  peer.write(`GET /api/doctor/stream HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nConnection: close\r\n\r\n`)
  const times: number[] = []
  peer.on('data', (chunk) => /\r\n\d\n/.test(`\r\n${chunk}`) && times.push(performance.now()))
  await once(peer, 'end')
  t.ok(times.length >= 4, `${times.length} parts`)
  t.ok((times.at(-1) ?? 0) - (times[0] ?? 0) > 250)
})
