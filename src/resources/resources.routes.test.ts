import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { systemTool } from '#src/testing/system-tool.ts'
import { dial, listen, until } from '#src/testing/wire.ts'
import { temporaries, writer } from '#src/testing/writer.ts'

t.test(
  'after an aborted request body, the old file stays, no temporary file is left, and the server responds',
  async (t) => {
    const { app, call, login, root, onDisk } = await writer(t)
    const port = await listen(app)
    const token = await login('alice')
    const head = (length: string, path = 'a.txt?override=true') =>
      `POST /api/resources/${path} HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n${length}\r\n\r\n`
    const half = 'x'.repeat(100_000)
    const cases = [
      head('Content-Length: 1000000') + half,
      `${head('Transfer-Encoding: chunked')}186a0\r\n${half}\r\n`,
      `${head('Transfer-Encoding: chunked')}186a0\r\n${half.slice(1)}`,
      head('Content-Length: 1000000', 'new.txt') + half,
      head('Content-Length: 1000000'),
    ]
    for (const bytes of cases) {
      for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
        const wire = await dial(t, port)
        wire.socket.write(bytes)
        await until(() => temporaries(root).length > 0)
        wire.socket[leave]()
        await until(() => temporaries(root).length === 0)
      }
    }
    t.strictSame(readdirSync(root), ['a.txt'])
    t.equal(onDisk('a.txt'), 'old')
    t.equal((await call('GET', '/health')).statusCode, 200)
  },
)

t.test('a malformed chunked body leaves the old file unchanged', async (t) => {
  const { app, login, root, onDisk } = await writer(t)
  const wire = await dial(t, await listen(app))
  const token = await login('alice')
  wire.socket.write(
    `PUT /api/resources/a.txt HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nnew\r\nZZ\r\n`,
  )
  await wire.closed()
  await until(() => temporaries(root).length === 0)
  t.equal(onDisk('a.txt'), 'old')
})

t.test('a file is not visible while its body is being received', async (t) => {
  const { app, ask, login, root } = await writer(t, {})
  const wire = await dial(t, await listen(app))
  const token = await login('alice')
  wire.socket.write(
    `POST /api/resources/new.txt HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nContent-Length: 6\r\n\r\nabc`,
  )
  const [name] = await until(() => (temporaries(root).length ? temporaries(root) : undefined))
  t.strictSame((await ask('GET', '/api/resources/')).json().items, [])
  t.equal((await ask('GET', `/api/raw/${name}`)).statusCode, 404)
  wire.socket.write('def')
  await wire.until(/200 OK/)
  t.strictSame(readdirSync(root), ['new.txt'])
})

t.test('an upload without permission is refused before the body is sent', async (t) => {
  const { app, login } = await writer(t, { 'a.txt': 'old' }, { create: false, modify: false })
  const port = await listen(app)
  const token = await login('alice')
  for (const [method, auth, status] of [
    ['POST', token, '403'],
    ['PUT', token, '403'],
    ['PUT', 'a.b.c', '401'],
  ]) {
    const wire = await dial(t, port)
    wire.socket.write(
      `${method} /api/resources/a.txt HTTP/1.1\r\nHost: x\r\nX-Auth: ${auth}\r\n` +
        'Expect: 100-continue\r\nContent-Length: 99999999999999\r\n\r\n',
    )
    await wire.until(/\n\r?\n.*\(.+\)\n$/)
    t.match(wire.seen(), new RegExp(`^HTTP/1.1 ${status} `), 'the server does not request the body')
  }
})

t.test('an allowed upload gets 100 Continue before the body is sent', async (t) => {
  const { app, login, onDisk } = await writer(t)
  const wire = await dial(t, await listen(app))
  const token = await login('alice')
  wire.socket.write(
    `PUT /api/resources/a.txt HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`,
  )
  await wire.until(/^HTTP\/1.1 100 Continue\r\n\r\n$/)
  wire.socket.write('new')
  await wire.until(/HTTP\/1.1 200 OK/)
  t.equal(onDisk('a.txt'), 'new')
})

t.test(
  'an upload is refused if the permission or the session ends while the body is being received',
  async (t) => {
    const { app, login, document, services, root } = await writer(t, {})
    const port = await listen(app)
    const begin = async (name: string) => {
      const wire = await dial(t, port)
      wire.socket.write(
        `POST /api/resources/${name} HTTP/1.1\r\nHost: x\r\nX-Auth: ${await login('alice')}\r\nContent-Length: 6\r\n\r\nabc`,
      )
      await until(() => temporaries(root).length > 0)
      return wire
    }
    const denied = await begin('denied.txt')
    await document.update((draft) => {
      const alice = draft.users[2]
      if (alice) alice.perm.create = false
    })
    denied.socket.write('def')
    await denied.until(/HTTP\/1.1 403/)
    await document.update((draft) => {
      const alice = draft.users[2]
      if (alice) alice.perm.create = true
    })
    const ended = await begin('ended.txt')
    await services.sessions.endAll(2)
    ended.socket.write('def')
    await ended.until(/HTTP\/1.1 401/)
    t.strictSame(readdirSync(root), [])
  },
)

t.test('a full disk is 507, keeps the old file and leaves no temporary file', async (t) => {
  const { app, login, root, call } = await writer(t, { small: {} })
  const small = join(root, 'small')
  try {
    execFileSync(systemTool('mount'), ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small], { stdio: 'pipe' })
  } catch {
    t.pass('a small disk', { skip: 'this system allows no mounts' })
    return
  }
  try {
    const port = await listen(app)
    const headers = { 'x-auth': await login('alice') }
    const send = (method: string, name: string, size: number) =>
      new Promise<number>((resolve, reject) => {
        const out = request(
          { port, host: '127.0.0.1', method, path: `/api/resources/small/${name}`, headers },
          (reply) => {
            reply.resume()
            resolve(reply.statusCode ?? 0)
          },
        )
        out.on('error', reject)
        out.end(Buffer.alloc(size, 1))
      })
    t.equal(await send('POST', 'a.bin', 500_000), 200)
    t.equal(await send('PUT', 'a.bin', 4_000_000), 507)
    t.equal(await send('POST', 'b.bin', 4_000_000), 507)
    t.equal(statSync(join(small, 'a.bin')).size, 500_000)
    t.strictSame(readdirSync(small), ['a.bin'])
    t.equal(await send('POST', 'c.bin', 300_000), 200, 'a file that fits is written')
    t.equal((await call('GET', '/health')).statusCode, 200)
  } finally {
    execFileSync(systemTool('umount'), [small])
  }
})
