// Needs a process of its own: it measures the memory of the process.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import { Problem } from '#src/core/problem.ts'
import { password, start } from '#src/testing/start.ts'
import { dial, exchange, listen, until } from '#src/testing/wire.ts'
import { createBodyMemory } from './body-room.ts'

const localhost = '127.0.0.1'
const otherAddress = '127.0.0.2'

/** The status of one request from a local address. */
async function requestStatus(
  port: number,
  localAddress: string,
  path = '/health',
  headers = {},
): Promise<number> {
  const outgoing = get({ host: localhost, port, path, localAddress, headers, agent: false })
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  reply.resume()
  return reply.statusCode ?? 0
}

/** Opens connections from a local address; each sends `text` at once. */
function open(t: Test, port: number, options: { many: number; localAddress?: string; text?: string }) {
  const { many, localAddress = localhost, text = '' } = options
  const sockets = Array.from({ length: many }, () => {
    const socket = connect({ port, host: localhost, localAddress })
    socket.on('error', () => {}) // the server may close it, which some tests wait for
    if (text) socket.write(text)
    t.teardown(() => socket.destroy())
    return socket
  })
  return Promise.all(sockets.map((socket) => once(socket, 'connect').then(() => socket)))
}

const connections = async (server: { getConnections(then: (_: unknown, many: number) => void): unknown }) =>
  new Promise<number>((resolve) => server.getConnections((_, many) => resolve(many)))

t.test('limits one address to a quarter of the connections, and all addresses to the maximum', async (t) => {
  const { app } = await start(t, { config: { connections: 64 } })
  const port = await listen(app)
  const own = await open(t, port, { many: 16 })
  const more = await dial(t, port)
  t.match(
    await more.closed(),
    /^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n[\s\S]*the server is busy; try again in a moment/,
  )
  t.equal(await requestStatus(port, otherAddress), 200, 'another address gets a response')
  for (const n of [2, 3, 4]) await open(t, port, { many: n === 4 ? 15 : 16, localAddress: `127.0.0.${n}` })
  t.equal(await requestStatus(port, '127.0.0.5'), 200, 'the last free connection')
  await open(t, port, { many: 1, localAddress: '127.0.0.4' })
  t.equal(await requestStatus(port, '127.0.0.5'), 503, 'one more than the maximum')
  for (const socket of own) socket.destroy()
  await until(async () => (await requestStatus(port, '127.0.0.5')) === 200)
  t.equal(await requestStatus(port, localhost), 200, 'closed connections are not counted')
})

t.test('counts idle connections, WebSockets and connections before their first request', async (t) => {
  const { app, login } = await start(t, { config: { connections: 64, enableExec: true } })
  const token = await login('admin')
  const port = await listen(app)
  const [silent, idle] = await open(t, port, { many: 2 })
  idle?.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
  const upgraded = await dial(t, port)
  upgraded.socket.write(
    'GET /api/command/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-Auth: ${token}\r\n\r\n`,
  )
  await upgraded.until(/^HTTP\/1\.1 101 /)
  await open(t, port, { many: 13 })
  t.equal(await requestStatus(port, localhost), 503)
  upgraded.socket.destroy()
  await until(async () => (await requestStatus(port, localhost)) === 200)
  await open(t, port, { many: 1 })
  silent?.destroy()
  await until(async () => (await requestStatus(port, localhost)) === 200)
})

t.test(
  'a trusted proxy may use all connections, and each of its clients a quarter of that number of requests',
  async (t) => {
    const config = { connections: 64, trustedProxy: [localhost] }
    const { app, login } = await start(t, { config })
    const headers = { 'x-auth': await login('admin') }
    const port = await listen(app)
    const half = (client: string) =>
      `POST /api/login HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\nContent-Length: 100\r\n\r\n{`
    const first = await open(t, port, { many: 16, text: half('203.0.113.1') })
    await until(
      async () => (await requestStatus(port, localhost, '/', { 'x-forwarded-for': '203.0.113.1' })) === 429,
    )
    t.equal(
      await requestStatus(port, localhost, '/', { 'x-forwarded-for': '203.0.113.2' }),
      200,
      'another client',
    )
    t.equal(await requestStatus(port, localhost, '/', {}), 200, 'the proxy itself')
    t.equal(await requestStatus(port, localhost, '/api/sessions', headers), 200)
    const rest = await open(t, port, { many: 48 })
    await until(async () => (await connections(app.server)) >= 64)
    t.equal(await requestStatus(port, localhost), 503, 'no connection is free')
    for (const socket of [...first, ...rest]) socket.destroy()
    await until(
      async () => (await requestStatus(port, localhost, '/', { 'x-forwarded-for': '203.0.113.1' })) === 200,
    )
  },
)

t.test('answers a few pipelined requests on a connection, and closes one with very many', async (t) => {
  const { app } = await start(t)
  const port = await listen(app)
  const request = 'GET /api/public/share/none HTTP/1.1\r\nHost: x\r\n\r\n'
  const few = await dial(t, port)
  few.socket.write(request.repeat(30))
  await until(() => few.seen().match(/HTTP\/1\.1 404/g)?.length === 30)
  const many = await dial(t, port)
  many.socket.write(request.repeat(1000))
  const received = (await many.closed()).match(/HTTP\/1\.1 404/g) ?? []
  t.ok(received.length <= 32, `${received.length} responses`)
  t.equal(await requestStatus(port, localhost), 200)
})

t.test('limits bodies to 64 KiB before sign-in, and to the limit of the endpoint after it', async (t) => {
  const { app, login } = await start(t)
  const headers = { 'x-auth': await login('admin') }
  const port = await listen(app)
  const selectionOf = (bytes: number) => JSON.stringify({ files: 'n'.repeat(bytes - 12) })
  const postSelection = (bytes: number, headers = {}) =>
    exchange(port, 'POST', '/api/public/selection', { headers, body: selectionOf(bytes) })
  t.equal((await postSelection(64 * 1024)).status, 200)
  const refused = await postSelection(64 * 1024 + 1)
  t.match(refused, { status: 413, body: /larger than 65536 bytes/ })
  t.equal((await postSelection(500 * 1024, headers)).status, 200, 'a signed-in user may send more')
  t.equal(
    (await postSelection(500 * 1024, { 'x-auth': 'a.b.c' })).status,
    413,
    'an invalid token counts as none',
  )
  t.equal((await postSelection(2 * 1024 * 1024, headers)).status, 413)
  const chunked = { 'transfer-encoding': 'chunked' }
  const login64 = JSON.stringify({ username: 'admin', password, filler: 'x'.repeat(64 * 1024) })
  t.equal((await exchange(port, 'POST', '/api/login', { body: login64 })).status, 413)
  t.equal((await exchange(port, 'POST', '/api/login', { body: login64, headers: chunked })).status, 413)
  const large = JSON.stringify({ password: 'x'.repeat(64 * 1024) })
  t.equal((await exchange(port, 'POST', '/api/share/', { headers, body: large })).status, 413)
})

t.test('incomplete bodies use little memory and do not prevent sign-in', async (t) => {
  const { app, login } = await start(t)
  const token = await login('admin')
  const port = await listen(app)
  const body = 60 * 1024
  const half = `POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: ${body}\r\n\r\n{${' '.repeat(body - 100)}`
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const held = () => {
    collectGarbage()
    return process.memoryUsage().arrayBuffers / 1024 ** 2
  }
  const before = held()
  // Each counts as 60 KiB, and one network may use 4 MiB.
  const fitting = Math.floor((4 * 1024) / 60)
  const refused: Socket[] = []
  const sockets = await open(t, port, { many: 4 * fitting, text: half })
  for (const socket of sockets) socket.once('data', () => refused.push(socket))
  await until(() => refused.length === 3 * fitting)
  const [one] = refused
  t.ok(one)
  // The memory of the refused bodies is released.
  await until(() => held() - before < 8)
  const wrong = await dial(t, port)
  wrong.socket.write(half)
  await wrong.until(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n/i)
  const outgoing = { username: 'admin', password }
  const [signedIn] = await Promise.all([
    new Promise<number>((resolve, reject) => {
      const payload = JSON.stringify(outgoing)
      const socket = connect({ port, host: localhost, localAddress: otherAddress })
      t.teardown(() => socket.destroy())
      socket.on('error', reject)
      socket.on('data', (received) => resolve(Number(received.toString().slice(9, 12))))
      socket.write(
        `POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: ${payload.length}\r\n\r\n${payload}`,
      )
    }),
  ])
  t.equal(signedIn, 200, 'another address can sign in')
  const headers = { 'x-auth': token }
  const ticket = JSON.stringify({ action: 'raw', path: '/' })
  t.equal((await exchange(port, 'POST', '/api/ticket', { headers, body: ticket })).status, 200)
  for (const socket of sockets) socket.destroy()
  await until(
    async () =>
      (await exchange(port, 'POST', '/api/login', { body: JSON.stringify(outgoing) })).status === 200,
  )
  // All memory is released.
  await until(() => held() - before < 2)
})

t.test('aborts the oldest incomplete body when all together exceed the limit', async (t) => {
  const bodies = createBodyMemory({ each: 60, all: 100 })
  const aborted: string[] = []
  const hold = (who: string, name: string) => bodies.openAccount(who, () => aborted.push(name))
  const [first, second] = [hold('a', 'first'), hold('b', 'second')]
  first.grow(60)
  t.throws(() => first.grow(1), new Problem('server.busy'), 'the limit of one sender')
  second.grow(40)
  t.strictSame(aborted, [])
  const third = hold('c', 'third')
  third.grow(1)
  t.strictSame(aborted, ['first'])
  first.grow(1000)
  third.grow(58)
  t.strictSame(aborted, ['first'], 'an aborted body is not counted')
  third.grow(1)
  t.strictSame(aborted, ['first'])
  third[Symbol.dispose]()
  third[Symbol.dispose]()
  const last = hold('d', 'last')
  last.grow(60)
  t.strictSame(aborted, ['first'])
})

t.test('discards a body that the endpoint does not read, while the request waits', async (t) => {
  const { app, services, login } = await start(t, { tree: { 'a.txt': 'a' } })
  const token = await login('admin')
  const port = await listen(app)
  const { users } = services.limits.listings
  const permits = new DisposableStack()
  for (let n = 0; n < 4; n++) {
    const permit = users.tryAcquire(`holder ${n}`)
    if (permit) permits.use(permit)
  }
  const wire = await dial(t, port)
  const bytes = 64 * 1024 * 1024
  wire.socket.write(
    `GET /api/resources/ HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nContent-Length: ${bytes}\r\n\r\n`,
  )
  const sent = Promise.withResolvers<void>()
  wire.socket.write(Buffer.alloc(bytes, ' '), () => sent.resolve())
  await sent.promise
  t.equal(users.waiting, 1, 'the listing still waits')
  permits.dispose()
  await wire.until(/^HTTP\/1\.1 200 /)
})
