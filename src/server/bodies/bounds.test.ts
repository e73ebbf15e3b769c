import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import { Problem } from '#src/core/problem.ts'
import { password, start } from '#src/testing/start.ts'
import { dial, exchange, listen, until } from '#src/testing/wire.ts'
import { createBodyRoom } from './body-room.ts'

const here = '127.0.0.1'
const there = '127.0.0.2'

/** The status of one request that comes from an address of this machine. */
async function ask(port: number, localAddress: string, path = '/health', headers = {}): Promise<number> {
  const outgoing = get({ host: here, port, path, localAddress, headers, agent: false })
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  reply.resume()
  return reply.statusCode ?? 0
}

/** Connections from an address of this machine, each with what it says at once. */
function open(t: Test, port: number, options: { many: number; localAddress?: string; text?: string }) {
  const { many, localAddress = here, text = '' } = options
  const sockets = Array.from({ length: many }, () => {
    const socket = connect({ port, host: here, localAddress })
    socket.on('error', () => {}) // the server may cut it, which is what some tests wait for
    if (text) socket.write(text)
    t.teardown(() => socket.destroy())
    return socket
  })
  return Promise.all(sockets.map((socket) => once(socket, 'connect').then(() => socket)))
}

const connections = async (server: { getConnections(then: (_: unknown, many: number) => void): unknown }) =>
  new Promise<number>((resolve) => server.getConnections((_, many) => resolve(many)))

t.test('one address has a quarter of the connections, and all together have them all', async (t) => {
  const { app } = await start(t, { config: { connections: 64 } })
  const port = await listen(app)
  const own = await open(t, port, { many: 16 })
  const more = await dial(t, port)
  t.match(
    await more.closed(),
    /^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n[\s\S]*too much at once; try again/,
  )
  t.equal(await ask(port, there), 200, 'another address is served')
  for (const n of [2, 3, 4]) await open(t, port, { many: n === 4 ? 15 : 16, localAddress: `127.0.0.${n}` })
  t.equal(await ask(port, '127.0.0.5'), 200, 'the last one of all')
  await open(t, port, { many: 1, localAddress: '127.0.0.4' })
  t.equal(await ask(port, '127.0.0.5'), 503, 'one more than all')
  for (const socket of own) socket.destroy()
  await until(async () => (await ask(port, '127.0.0.5')) === 200)
  t.equal(await ask(port, here), 200, 'what has closed is counted no longer')
})

t.test('connections that shake hands, that are idle and that became WebSockets are counted', async (t) => {
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
  t.equal(await ask(port, here), 503)
  upgraded.socket.destroy()
  await until(async () => (await ask(port, here)) === 200)
  await open(t, port, { many: 1 })
  silent?.destroy()
  await until(async () => (await ask(port, here)) === 200)
})

t.test(
  'a trusted proxy has all connections, and each of its clients a quarter of as many requests',
  async (t) => {
    const config = { connections: 64, trustedProxy: [here] }
    const { app, login } = await start(t, { config })
    const headers = { 'x-auth': await login('admin') }
    const port = await listen(app)
    const half = (client: string) =>
      `POST /api/login HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\nContent-Length: 100\r\n\r\n{`
    const first = await open(t, port, { many: 16, text: half('203.0.113.1') })
    await until(async () => (await ask(port, here, '/', { 'x-forwarded-for': '203.0.113.1' })) === 429)
    t.equal(await ask(port, here, '/', { 'x-forwarded-for': '203.0.113.2' }), 200, 'another client')
    t.equal(await ask(port, here, '/', {}), 200, 'the proxy itself')
    t.equal(await ask(port, here, '/api/sessions', headers), 200)
    const rest = await open(t, port, { many: 48 })
    await until(async () => (await connections(app.server)) >= 64)
    t.equal(await ask(port, here), 503, 'all connections are taken')
    for (const socket of [...first, ...rest]) socket.destroy()
    await until(async () => (await ask(port, here, '/', { 'x-forwarded-for': '203.0.113.1' })) === 200)
  },
)

t.test('a few requests at once on one connection are answered, and very many close it', async (t) => {
  const { app } = await start(t)
  const port = await listen(app)
  const request = 'GET /api/public/share/none HTTP/1.1\r\nHost: x\r\n\r\n'
  const few = await dial(t, port)
  few.socket.write(request.repeat(30))
  await until(() => few.seen().match(/HTTP\/1\.1 404/g)?.length === 30)
  const many = await dial(t, port)
  many.socket.write(request.repeat(1000))
  const said = (await many.closed()).match(/HTTP\/1\.1 404/g) ?? []
  t.ok(said.length <= 32, `${said.length} answers`)
  t.equal(await ask(port, here), 200)
})

t.test(
  'before signing in no body is larger than 64 KiB, and afterwards each call says how large',
  async (t) => {
    const { app, login } = await start(t)
    const headers = { 'x-auth': await login('admin') }
    const port = await listen(app)
    const names = (bytes: number) => JSON.stringify({ files: 'n'.repeat(bytes - 12) })
    const keep = (bytes: number, headers = {}) =>
      exchange(port, 'POST', '/api/public/selection', { headers, body: names(bytes) })
    t.equal((await keep(64 * 1024)).status, 200)
    const refused = await keep(64 * 1024 + 1)
    t.match(refused, { status: 413, body: /larger than 65536 bytes/ })
    t.equal((await keep(500 * 1024, headers)).status, 200, 'somebody who is signed in sends more')
    t.equal((await keep(500 * 1024, { 'x-auth': 'a.b.c' })).status, 413, 'a token that is none is none')
    t.equal((await keep(2 * 1024 * 1024, headers)).status, 413)
    const chunked = { 'transfer-encoding': 'chunked' }
    const login64 = JSON.stringify({ username: 'admin', password, filler: 'x'.repeat(64 * 1024) })
    t.equal((await exchange(port, 'POST', '/api/login', { body: login64 })).status, 413)
    t.equal((await exchange(port, 'POST', '/api/login', { body: login64, headers: chunked })).status, 413)
    const large = JSON.stringify({ password: 'x'.repeat(64 * 1024) })
    t.equal((await exchange(port, 'POST', '/api/share/', { headers, body: large })).status, 413)
  },
)

t.test('bodies that do not come whole take little memory, and nobody is kept from signing in', async (t) => {
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
  // Each counts as 60 KiB, and one network has four mebibytes.
  const room = Math.floor((4 * 1024) / 60)
  const refused: Socket[] = []
  const sockets = await open(t, port, { many: 4 * room, text: half })
  for (const socket of sockets) socket.once('data', () => refused.push(socket))
  await until(() => refused.length === 3 * room)
  const [one] = refused
  t.ok(one)
  // What was refused is not kept.
  await until(() => held() - before < 8)
  const wrong = await dial(t, port)
  wrong.socket.write(half)
  await wrong.until(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n/i)
  const outgoing = { username: 'admin', password }
  const [signedIn] = await Promise.all([
    new Promise<number>((resolve, reject) => {
      const payload = JSON.stringify(outgoing)
      const socket = connect({ port, host: here, localAddress: there })
      t.teardown(() => socket.destroy())
      socket.on('error', reject)
      socket.on('data', (said) => resolve(Number(said.toString().slice(9, 12))))
      socket.write(
        `POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: ${payload.length}\r\n\r\n${payload}`,
      )
    }),
  ])
  t.equal(signedIn, 200, 'another address signs in')
  const headers = { 'x-auth': token }
  const ticket = JSON.stringify({ action: 'raw', path: '/' })
  t.equal((await exchange(port, 'POST', '/api/ticket', { headers, body: ticket })).status, 200)
  for (const socket of sockets) socket.destroy()
  await until(
    async () =>
      (await exchange(port, 'POST', '/api/login', { body: JSON.stringify(outgoing) })).status === 200,
  )
  // All memory is given back.
  await until(() => held() - before < 2)
})

t.test('when all bodies together are too much, the oldest unfinished one gives way', async (t) => {
  const room = createBodyRoom({ each: 60, all: 100 })
  const gone: string[] = []
  const hold = (who: string, name: string) => room.hold(who, () => gone.push(name))
  const [first, second] = [hold('a', 'first'), hold('b', 'second')]
  first.grow(60)
  t.throws(() => first.grow(1), new Problem('server.busy'), 'one sender has no more')
  second.grow(40)
  t.strictSame(gone, [])
  const third = hold('c', 'third')
  third.grow(1)
  t.strictSame(gone, ['first'])
  first.grow(1000)
  third.grow(58)
  t.strictSame(gone, ['first'], 'what has given way is counted no longer')
  third.grow(1)
  t.strictSame(gone, ['first'])
  third[Symbol.dispose]()
  third[Symbol.dispose]()
  const last = hold('d', 'last')
  last.grow(60)
  t.strictSame(gone, ['first'])
})

t.test('a body that nobody reads is thrown away as it comes, whatever the call waits for', async (t) => {
  const { app, services, login } = await start(t, { tree: { 'a.txt': 'a' } })
  const token = await login('admin')
  const port = await listen(app)
  const { users } = services.limits.listings
  const turns = new DisposableStack()
  for (let n = 0; n < 4; n++) {
    const turn = users.tryAcquire(`holder ${n}`)
    if (turn) turns.use(turn)
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
  turns.dispose()
  await wire.until(/^HTTP\/1\.1 200 /)
})
