import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { openFolder, otherUser } from '#src/testing/other-user.ts'
import { beginUpload, password, run, serve, serveAs, signIn } from '#src/testing/program.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { exchange, until } from '#src/testing/wire.ts'
import { temporaries } from '#src/testing/writer.ts'

function createRoot(t: Test) {
  const base = t.testdir({ root: {} })
  return { base, root: join(base, 'root') }
}

t.test('sessions persist over a restart, and signed-out sessions stay rejected', async (t) => {
  const { root } = createRoot(t)
  const first = await serve(t, root, '--password', password)
  const active = await signIn(first.port)
  const ended = await signIn(first.port)
  await exchange(first.port, 'POST', '/api/logout', { headers: { 'x-auth': ended } })
  first.child.kill('SIGKILL')
  await first.ended
  const second = await serve(t, root)
  const statusWith = async (token: string) =>
    (await exchange(second.port, 'GET', '/api/sessions', { headers: { 'x-auth': token } })).status
  t.equal(await statusWith(active), 200)
  t.equal(await statusWith(ended), 401)
})

t.test('a stopping server lets a running upload finish', async (t) => {
  const { root } = createRoot(t)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const program = await serve(t, root, '--password', password)
    const token = await signIn(program.port)
    const wire = await beginUpload(t, { port: program.port, token, name: `${signal}.txt`, length: 3 })
    await until(() => temporaries(root).length > 0)
    program.child.kill(signal)
    await until(() =>
      exchange(program.port, 'GET', '/health').then(
        ({ status }) => status !== 200,
        () => true,
      ),
    )
    wire.socket.write('23')
    await wire.until(/200 OK/)
    t.equal(await program.ended, 0)
    t.equal(readFileSync(join(root, `${signal}.txt`), 'utf8'), '123')
    t.match(program.said(), /INFO +the server is stopping\n[\s\S]*INFO +the server has stopped\n/)
  }
})

t.test('a stopping server refuses an upload that stalls, and leaves no file', async (t) => {
  const { root } = createRoot(t)
  writeFileSync(join(root, 'a.txt'), 'old')
  const program = await serve(t, root, '--password', password, '--stop-timeout', '1s')
  const token = await signIn(program.port)
  const wire = await beginUpload(t, { port: program.port, token, name: 'a.txt', length: 3 })
  await until(() => temporaries(root).length > 0)
  program.child.kill('SIGTERM')
  t.equal(await program.ended, 0)
  t.match(
    await wire.closed(),
    /^HTTP\/1\.1 503 [\s\S]*503 Service Unavailable \(the server is shutting down; /,
  )
  t.strictSame(readdirSync(root), ['a.txt'])
  t.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'old')
})

t.test('a server killed during uploads starts again with only the old files', async (t) => {
  const { base, root } = createRoot(t)
  mkdirSync(join(root, 'deep'))
  writeFileSync(join(root, 'a.txt'), 'old')
  for (let round = 0; round < 10; round++) {
    const program = await serve(t, root, '--password', password)
    t.strictSame(temporaries(root), [], 'nothing is left of the last round')
    const token = await signIn(program.port)
    for (const name of ['a.txt', 'new.txt', 'deep/new.txt']) {
      const wire = await beginUpload(t, { port: program.port, token, name, length: 10_000_000 })
      wire.socket.write('x'.repeat(100_000 * round))
    }
    await until(() => temporaries(root).length === 2 && temporaries(join(root, 'deep')).length === 1)
    program.child.kill('SIGKILL')
    t.equal(await program.ended, 'SIGKILL')
  }
  const last = await serve(t, root)
  const headers = { 'x-auth': await signIn(last.port) }
  const { items } = JSON.parse((await exchange(last.port, 'GET', '/api/resources/', { headers })).body)
  t.strictSame(
    items.map(({ name }: { name: string }) => name),
    ['deep', 'a.txt'],
  )
  t.strictSame(readdirSync(root).sort(), ['a.txt', 'deep'])
  t.strictSame(readdirSync(join(root, 'deep')), [])
  t.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'old')
  t.strictSame(readdirSync(join(`${root}.coffer.d`, 'parts')), ['journal'])
  t.strictSame(
    readdirSync(base).filter((name) => name.includes('.new')),
    [],
  )
})

t.test('a second process on the same state is refused', async (t) => {
  const { root } = createRoot(t)
  const first = await serve(t, root, '--password', password)
  const second = run(t, '--root', root, '--port', '0')
  t.equal(await second.ended, 2)
  t.match(
    second.said(),
    /^Another Coffer process uses the state in .+: stop it, or .+--database to another file\.\n$/,
  )
  t.equal((await exchange(first.port, 'GET', '/health')).status, 200)
  first.child.kill('SIGKILL')
  await first.ended
  t.ok((await serve(t, root)).port, 'a killed process does not block the next one')
})

t.test('a port in use stops the start with a message', async (t) => {
  const { root } = createRoot(t)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const program = run(t, '--root', root, '--port', String(port), '--password', password)
  t.equal(await program.ended, 2)
  t.match(
    program.said(),
    new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is in use: .+ --port to another port\\.\\n$`),
  )
})

t.test('an address of another machine stops the start with a message', async (t) => {
  const { root } = createRoot(t)
  const program = run(t, '--root', root, '--address', '192.0.2.1', '--password', password)
  t.equal(await program.ended, 2)
  t.match(
    program.said(),
    /^Coffer cannot listen on 192\.0\.2\.1, .+ --address to an address of this machine\.\n$|--address/,
  )
  t.notMatch(program.said(), /at .+\.ts:/)
})

t.test('listens on a unix socket with the configured mode', async (t) => {
  const { root } = createRoot(t)
  const folder = mkdtempSync(join(tmpdir(), 'coffer-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 's')
  const words = ['--root', root, '--socket', socket, '--socket-perm', '0600', '--password', password]
  const first = run(t, ...words)
  await until(() => first.said().includes(` at unix:${socket}`))
  t.equal(statSync(socket).mode & 0o777, 0o600)
  t.ok(await signIn(socket))
  const other = join(t.testdirName, 'other')
  mkdirSync(other)
  const second = run(t, '--root', other, '--socket', socket, '--password', password)
  t.equal(await second.ended, 2)
  t.match(
    second.said(),
    /^Coffer cannot create the socket .+ \(EADDRINUSE\): .+--socket to another path\.\n$/,
  )
  first.child.kill('SIGKILL')
  await first.ended
  const third = run(t, ...words)
  await until(() => third.said().includes(` at unix:${socket}`))
  t.equal(
    (await exchange(socket, 'GET', '/health')).status,
    200,
    'a leftover socket does not block the start',
  )
  third.child.kill('SIGTERM')
  t.equal(await third.ended, 0)
  t.strictSame(readdirSync(folder), [], 'the socket is removed on exit')
})

t.test('does not remove a file that is not a socket', async (t) => {
  const { base, root } = createRoot(t)
  const precious = join(base, 'precious.txt')
  writeFileSync(precious, 'precious')
  symlinkSync(precious, join(base, 'link'))
  for (const name of ['precious.txt', 'link', 'root']) {
    const program = run(t, '--root', root, '--socket', join(base, name), '--password', password)
    t.equal(await program.ended, 2)
    t.match(program.said(), /^.+ exists and is not a socket: set --socket to another path\.\n$/)
  }
  t.equal(readFileSync(precious, 'utf8'), 'precious')
})

t.test(
  'a second process that serves the same folder with another state is a warning',
  { skip: process.platform !== 'linux' && process.platform !== 'win32' },
  async (t) => {
    const { base, root } = createRoot(t)
    const warning = /WARN +another Coffer process serves the same folder with another --database/
    const first = await serve(t, root, '--password', password)
    const other = ['--password', password, '--database', join(base, 'other.json')]
    const second = await serve(t, root, ...other)
    t.match(second.said(), warning)
    t.notMatch(first.said(), warning)
    second.child.kill('SIGTERM')
    await second.ended
    first.child.kill('SIGKILL')
    await first.ended
    const third = await serve(t, root, ...other)
    t.notMatch(third.said(), warning, 'a killed process does not matter')
  },
)

t.test('an invalid option stops the start with a message that names it', async (t) => {
  const { base, root } = createRoot(t)
  const file = join(base, 'file')
  writeFileSync(file, '')
  mkdirSync(join(base, 'one.d'))
  writeFileSync(join(base, 'one.d', 'parts'), '')
  for (const [words, said] of [
    [['--username', '..'], /^The user name "\.\." cannot be used: .+--username to another name\.\n$/],
    [['--username=-rf'], /^The user name "-rf" cannot be used: .+--username to another name\.\n$/],
    [
      ['--database', join(base, 'one')],
      /^.+one\.d\/parts must be a folder: .+--database to another file\.\n$/,
    ],
    [['--cache-dir', file], /^.+file must be a folder: .+--cache-dir to another folder\.\n$/],
    [['--cache-dir', join(file, 'x')], /^.+ \(ENOTDIR\): .+--cache-dir to another folder\.\n$/],
  ] as const) {
    const program = run(t, '--root', root, '--port', '0', '--password', password, ...words)
    t.equal(await program.ended, 2, program.said())
    t.match(program.said(), said)
  }
  t.notOk(existsSync(`${root}.coffer.json`))
  t.equal(readFileSync(file, 'utf8'), '')
})

t.test('serves TLS with a certificate', async (t) => {
  const { base, root } = createRoot(t)
  const [cert, key] = [join(base, 'cert.pem'), join(base, 'key.pem')]
  try {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
    const shape = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    execFileSync(systemTool('openssl'), [...shape, '-keyout', key, '-out', cert, ...subject], {
      stdio: 'pipe',
    })
  } catch {
    t.pass('needs a certificate', { skip: 'this system has no openssl to make one' })
    return
  }
  const program = await serve(t, root, '--cert', cert, '--key', key, '--password', password)
  const outgoing = get(`https://127.0.0.1:${program.port}/health`, { ca: readFileSync(cert), agent: false })
  const [reply] = await once(outgoing, 'response')
  t.equal(await text(reply), '{"status":"OK"}')
  t.match(reply.headers['strict-transport-security'], /max-age/)
})

t.test('responds with 403 where the system denies access, and serves the rest', async (t) => {
  const folder = openFolder(t)
  const root = join(folder, 'root')
  mkdirSync(join(root, 'closed'), { recursive: true })
  writeFileSync(join(root, 'closed.txt'), 'CANARY')
  writeFileSync(join(root, 'open.txt'), 'open')
  chmodSync(join(root, 'closed'), 0)
  chmodSync(join(root, 'closed.txt'), 0)
  if (otherUser)
    for (const name of ['', 'root', 'root/open.txt', 'root/closed', 'root/closed.txt']) {
      chownSync(join(folder, name), otherUser.uid, otherUser.gid)
    }
  const program = await serveAs(t, otherUser, root, '--password', password)
  const headers = { 'x-auth': await signIn(program.port) }
  const request = (method: string, path: string) =>
    exchange(program.port, method, `/api/${path}`, { headers, ...(method === 'PUT' && { body: 'new' }) })
  const { items } = JSON.parse((await request('GET', 'resources/')).body)
  t.match(items, [{ name: 'closed' }, { name: 'closed.txt' }, { name: 'open.txt', type: 'text' }])
  t.equal((await request('GET', 'raw/open.txt')).body, 'open')
  const denied = [
    await request('GET', 'raw/closed.txt'),
    await request('GET', 'resources/closed/'),
    await request('GET', 'resources/closed/x'),
    await request('PUT', 'resources/closed/x'),
  ]
  for (const { status, body } of denied) {
    t.equal(status, 403, body)
    t.notMatch(body, new RegExp(`CANARY|${folder}`))
  }
  const view = JSON.parse((await request('GET', 'resources/closed.txt')).body)
  t.match(view, { kind: 'preview', name: 'closed.txt' }, 'the file is listed, without its text')
  t.notOk('content' in view)
})

t.test('the log has one line for each response, with its request id and without tokens', async (t) => {
  const { root } = createRoot(t)
  writeFileSync(join(root, 'a.txt'), 'a')
  const program = await serve(t, root, '--password', password, '--log-format', 'json')
  const token = await signIn(program.port)
  const reply = await exchange(program.port, 'GET', `/api/raw/a.txt?auth=${token}&inline=true`)
  t.equal(reply.status, 200)
  const wrong = await exchange(program.port, 'GET', `/api/nothing?auth=${token}`, {
    headers: { 'x-auth': token },
  })
  await until(() => program.said().includes(String(wrong.headers['x-request-id'])))
  const lines = program
    .said()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  const answered = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'answered')
  t.match(answered, [
    { method: 'POST', url: '/api/login', status: 200 },
    {
      url: '/api/raw/a.txt?auth=[redacted]&inline=true',
      status: 200,
      request: reply.headers['x-request-id'],
    },
    { url: '/api/nothing?auth=[redacted]', status: 404, request: wrong.headers['x-request-id'] },
  ])
  for (const part of token.split('.')) t.notOk(program.said().includes(part))
  t.notMatch(program.said(), password)
})

t.test('a client that aborts an upload is not logged as an error', async (t) => {
  const { root } = createRoot(t)
  const program = await serve(t, root, '--password', password, '--log-format', 'json')
  const token = await signIn(program.port)
  const wire = await beginUpload(t, { port: program.port, token, name: 'a.txt', length: 3 })
  await until(() => temporaries(root).length > 0)
  wire.socket.destroy()
  await until(() => temporaries(root).length === 0)
  await exchange(program.port, 'GET', '/last')
  await until(() => program.said().includes('/last'))
  t.notMatch(program.said(), /"level":"(error|warn)"/)
})
