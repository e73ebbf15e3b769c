import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { receiveHooks } from '#src/testing/hook-receiver.ts'
import { createAddressCheck } from './allowed-addresses.ts'
import { createWebhookSender } from './send-webhook.ts'
import { newSecret } from './signature.ts'

const message = { id: 'one', body: '{"type":"test"}' }
const running = new AbortController().signal
const local = { address: '127.0.0.1', family: 4 }

function sender(allow: readonly string[], more: Partial<Parameters<typeof createWebhookSender>[0]> = {}) {
  const post = createWebhookSender({ check: createAddressCheck(allow), clock: Date.now, ...more })
  return (url: string, signal = running) => post({ url, secret: newSecret() }, message, signal)
}

/** A server that accepts connections and does with them what `act` says. */
async function listenRaw(t: Test, act: (socket: import('node:net').Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    act(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

t.test('an internal address is not connected to unless it is allowed', async (t) => {
  const receiver = await receiveHooks(t)
  t.strictSame(await sender([])(receiver.url), { reason: 'address' })
  t.equal(receiver.hooks.length, 0)
  t.match(await sender(['127.0.0.1'])(receiver.url), { status: 204 })
  t.match(receiver.hooks, [{ method: 'POST', url: '/hook', body: message.body }])
})

t.test('a name that has an internal address is refused, also if only one of its addresses is', async (t) => {
  const receiver = await receiveHooks(t)
  const url = `http://hooks.example:${receiver.port}/`
  for (const found of [
    [local],
    [{ address: '8.8.8.8', family: 4 }, local],
    [{ address: '::1', family: 6 }],
    [],
  ]) {
    const post = sender([], { resolve: async () => found })
    t.strictSame(await post(url), { reason: 'address' })
  }
  const lost = sender([], { resolve: () => Promise.reject(new Error('ENOTFOUND')) })
  t.strictSame(await lost(url), { reason: 'address' }, 'a name that does not exist looks the same')
  t.equal(receiver.hooks.length, 0)
})

t.test('the connection goes to the address that was checked, and the name is looked up once', async (t) => {
  const receiver = await receiveHooks(t)
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return [local]
  }
  const post = sender(['hooks.example'], { resolve })
  t.match(await post(`http://HOOKS.example:${receiver.port}/a`), { status: 204 })
  t.strictSame(asked, ['hooks.example'])
  t.match(receiver.hooks, [{ headers: { host: `hooks.example:${receiver.port}` } }])
})

t.test('a redirect is not followed', async (t) => {
  const inner = await receiveHooks(t)
  const outer = await receiveHooks(t, (response) => response.writeHead(302, { location: inner.url }).end())
  t.match(await sender(['127.0.0.1'])(outer.url), { status: 302 })
  t.equal(inner.hooks.length, 0)
})

t.test('of an endless answer only the status is read', async (t) => {
  let closed = false
  const url = await listenRaw(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    const more = () => {
      while (socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`));
    }
    socket.on('drain', more)
    socket.on('close', () => {
      closed = true
    })
    more()
  })
  t.match(await sender(['127.0.0.1'])(url), { status: 200 })
  while (!closed) await new Promise(setImmediate)
  t.ok(closed)
})

t.test('a receiver that does not answer in time, or answers nonsense, is unreachable', async (t) => {
  const silent = await listenRaw(t, () => {})
  const post = sender(['127.0.0.1'], { timeoutMs: 50 })
  t.strictSame(await post(silent), { reason: 'unreachable' })
  const slow = await listenRaw(t, (socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 200 OK\r\n'.slice(0, 1)), 5)
    socket.on('close', () => clearInterval(timer))
  })
  t.strictSame(await post(slow), { reason: 'unreachable' })
  const patient = sender(['127.0.0.1'])
  const nonsense = await listenRaw(t, (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'))
  t.strictSame(await patient(nonsense), { reason: 'unreachable' })
  const long = await listenRaw(t, (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`))
  t.strictSame(await patient(long), { reason: 'unreachable' }, 'endless headers')
  const other = await listenRaw(t, (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  )
  t.strictSame(await patient(other), { reason: 'unreachable' }, 'another protocol')
  const closed = await listenRaw(t, (socket) => socket.destroy())
  t.strictSame(await patient(closed), { reason: 'unreachable' })
  t.strictSame(await patient(closed.replace('http:', 'https:')), { reason: 'unreachable' })
  const never = sender(['hooks.example'], { timeoutMs: 20, resolve: () => new Promise(() => {}) })
  t.strictSame(await never('http://hooks.example/'), { reason: 'unreachable' }, 'a look-up that does not end')
})

t.test('a server that stops aborts what it sends', async (t) => {
  const silent = await listenRaw(t, () => {})
  const stopping = new AbortController()
  const sending = sender(['127.0.0.1'])(silent, stopping.signal)
  stopping.abort()
  t.strictSame(await sending, { reason: 'unreachable' })
  t.strictSame(await sender(['127.0.0.1'])(silent, stopping.signal), { reason: 'unreachable' })
})
