import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import { killAfter } from '#src/testing/kill-after.ts'
import { openNotifySocket } from '#src/testing/notify-socket.ts'
import { password, run, runAsService, serve, signIn } from '#src/testing/program.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { dial, exchange, until } from '#src/testing/wire.ts'
import { sendDatagram } from './datagram.ts'
import { takeServiceManager } from './service-manager.ts'

function createRoot(t: Test) {
  const base = t.testdir({ root: {} })
  return { base, root: join(base, 'root') }
}

const noPython = { skip: 'this system has no python3 to receive datagrams' }

t.test(
  'systemd hears from the process itself when Coffer is ready, reloads, is alive and stops',
  async (t) => {
    const systemd = await openNotifySocket(t)
    if (!systemd) return void t.pass('messages to systemd', noPython)
    const { socket, messages } = systemd
    const { root } = createRoot(t)
    const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '200000', WATCHDOG_PID: '$$' }
    const { child, said, ended } = runAsService(
      t,
      { env },
      '--root',
      root,
      '--port',
      '0',
      '--password',
      password,
    )
    const texts = () => messages.map(({ text }) => text)
    await until(() => texts().some((text) => text.startsWith('READY=1')))
    const [, url] = / serves .+ at (\S+)/.exec(said()) ?? []
    const ready = `READY=1\nSTATUS=Coffer serves ${root} at ${url}`
    t.equal(texts()[0], ready)
    await until(() => texts().filter((text) => text === 'WATCHDOG=1').length >= 2)
    child.kill('SIGHUP')
    await until(() => texts().filter((text) => text === ready).length === 2)
    const reloading = texts().findIndex((text) => /^RELOADING=1\nMONOTONIC_USEC=\d+$/.test(text))
    t.ok(reloading > 0 && reloading < texts().lastIndexOf(ready))
    child.kill('SIGTERM')
    t.equal(await ended, 0)
    await until(() => texts().some((text) => text.startsWith('STOPPING=1\nSTATUS=')))
    t.ok(
      messages.every(({ pid }) => pid === child.pid),
      'so that NotifyAccess=main is enough',
    )
  },
)

t.test('sends a message to an abstract socket, and says when nothing listens', async (t) => {
  const name = `@coffer-${process.pid}`
  t.notOk(sendDatagram(name, 'READY=1'))
  t.notOk(sendDatagram('/nowhere', 'READY=1'))
  t.notOk(sendDatagram(`/${'x'.repeat(200)}`, 'READY=1'))
  const systemd = await openNotifySocket(t, name)
  if (!systemd) return void t.pass('messages to systemd', noPython)
  t.ok(sendDatagram(name, 'READY=1'))
  await until(() => systemd.messages.length > 0)
  t.match(systemd.messages, [{ text: 'READY=1', pid: process.pid }])
})

t.test('the variables of the service manager are read once and not passed on', (t) => {
  const env = {
    ...{ NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' },
    ...{ LISTEN_FDS: '2', LISTEN_PID: '7', LISTEN_FDNAMES: 'a:b', PATH: '/bin' },
  }
  const mine: NodeJS.ProcessEnv = { ...env }
  t.strictSame(takeServiceManager(mine, 7), {
    descriptors: [3, 4],
    notifySocket: '/run/notify',
    watchdogMs: 30_000,
  })
  t.strictSame(mine, { PATH: '/bin' })
  t.strictSame(takeServiceManager({ ...env }, 8), {
    descriptors: [],
    notifySocket: '/run/notify',
    watchdogMs: undefined,
  })
  const odd = { NOTIFY_SOCKET: 'vsock:2:9', WATCHDOG_USEC: 'soon' }
  t.strictSame(takeServiceManager(odd, 7), {
    descriptors: [],
    notifySocket: undefined,
    watchdogMs: undefined,
  })
  t.strictSame(takeServiceManager({}, 7), { descriptors: [], notifySocket: undefined, watchdogMs: undefined })
  for (const LISTEN_FDS of ['-1', 'x', '1000', '65'])
    t.throws(() => takeServiceManager({ LISTEN_FDS, LISTEN_PID: '7' }, 7), { message: /^LISTEN_FDS must be/ })
  t.end()
})

/** A listening socket of this process, and its descriptor. */
async function listener(t: Test) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle
  return { server, fd, port: (server.address() as AddressInfo).port }
}

const activation = (count: number) => ({ LISTEN_FDS: String(count), LISTEN_PID: '$$' })

t.test(
  'listens on the sockets that systemd has opened, and lets their downloads finish at the end',
  async (t) => {
    const { root } = createRoot(t)
    const large = join(root, 'large')
    writeFileSync(large, '')
    truncateSync(large, 50_000_000)
    const [first, second] = [await listener(t), await listener(t)]
    const descriptors = [first.fd, second.fd]
    const env = activation(descriptors.length)
    const words = ['--root', root, '--address', '192.0.2.1', '--port', '1', '--password', password]
    const { child, said, ended } = runAsService(t, { env, descriptors }, ...words)
    // Only the program may accept connections from here on.
    for (const { server } of [first, second]) server.close()
    const token = await until(() => signIn(first.port).catch(() => undefined))
    await until(() => said().includes(` at http://127.0.0.1:${first.port}/`))
    const wire = await dial(t, second.port)
    wire.socket.pause()
    wire.socket.write(`GET /api/raw/large HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n\r\n`)
    const idle = await dial(t, second.port)
    idle.socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    await idle.until(/"OK"/)
    child.kill('SIGTERM')
    await idle.closed()
    t.equal(child.exitCode, null, 'the download is still running')
    // Idle connections may be closed a moment before the sockets.
    const refuses = (port: number) =>
      dial(t, port).then(
        () => false,
        ({ code }) => code === 'ECONNREFUSED',
      )
    for (const { port } of [first, second]) await until(() => refuses(port))
    const next = run(t, '--root', root, '--port', '0', '--password', password)
    t.equal(await next.ended, 2, 'the state is still in use')
    wire.socket.resume()
    t.match(await wire.closed(), /^HTTP\/1\.1 200 /)
    t.ok(wire.socket.bytesRead > 50_000_000)
    t.equal(await ended, 0)
  },
)

t.test(
  'descriptors for another process are ignored, and those that cannot listen stop the start',
  async (t) => {
    const { root } = createRoot(t)
    const { fd, port } = await listener(t)
    const words = ['--root', root, '--port', '0', '--password', password]
    const env = { LISTEN_FDS: '1', LISTEN_PID: '1' }
    const other = runAsService(t, { env, descriptors: [fd] }, ...words)
    const [, own] = await until(() => / at http:\/\/127\.0\.0\.1:(\d+)\//.exec(other.said()))
    t.not(Number(own), port)
    other.child.kill('SIGTERM')
    t.equal(await other.ended, 0)
    const file = openSync(join(root, 'file'), 'w')
    const refused = runAsService(t, { env: activation(1), descriptors: [file] }, ...words)
    closeSync(file)
    t.equal(await refused.ended, 2)
    t.match(
      refused.said(),
      /^Coffer cannot listen on the sockets that it inherited \(\S+\): use .+ Accept=no .+\.\n$/,
    )
  },
)

/** Makes a certificate for this name. Undefined: this system has no openssl. */
function certify(folder: string, name: string): { cert: string; key: string } | undefined {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const shape = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  try {
    execFileSync(systemTool('openssl'), [...shape, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`], {
      stdio: 'pipe',
    })
    return { cert, key }
  } catch {
    return undefined
  }
}

/** Connects with TLS and returns the connection and the name in the certificate. */
async function shake(port: number, more: object = {}) {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...more })
  await once(socket, 'secureConnect')
  return { socket, name: socket.getPeerCertificate().subject.CN, version: socket.getProtocol() }
}

t.test(
  'SIGHUP loads a new certificate and opens the log again, and keeps the old one if it must',
  async (t) => {
    const { base, root } = createRoot(t)
    const [one, two] = [certify(base, 'one.test'), certify(base, 'two.test')]
    if (!one || !two) return void t.pass('certificates', { skip: 'this system has no openssl to make one' })
    chmodSync(one.key, 0o644)
    const log = join(base, 'coffer.log')
    const flags = ['--cert', one.cert, '--key', one.key, '--log', log, '--log-format', 'json']
    const { port, child } = await serve(t, root, ...flags, '--password', password)
    const lines = () => readFileSync(log, 'utf8')
    t.match(
      lines(),
      /"level":"warn",.+one\.test\.key","msg":"every user of this machine can read the private key/,
    )
    const old = await shake(port)
    t.teardown(() => old.socket.destroy())
    t.match(old, { name: 'one.test', version: 'TLSv1.3' })
    t.match(
      await shake(port, { maxVersion: 'TLSv1.2' }).then(({ socket, version }) => (socket.destroy(), version)),
      'TLSv1.2',
    )
    await t.rejects(shake(port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }), 'older versions are refused')

    renameSync(two.cert, one.cert)
    child.kill('SIGHUP')
    await until(() => lines().includes('the certificate was not loaded again; the old one stays in use'))
    t.match(lines(), /"level":"error",.*"reason":"[^"]*key values mismatch/)
    t.equal((await shake(port)).name, 'one.test')

    renameSync(two.key, one.key)
    renameSync(log, `${log}.moved`)
    child.kill('SIGHUP')
    await until(async () => (await shake(port)).name === 'two.test')
    await until(() => lines().includes('the server opened its log again'))
    t.match(lines(), /"subject":"CN=two\.test"/)
    old.socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    const [answer] = await once(old.socket, 'data')
    t.match(String(answer), /^HTTP\/1\.1 200 /, 'an open connection goes on')
    renameSync(log, `${log}.moved-again`)
    child.kill('SIGUSR2')
    await until(() => existsSync(log))
  },
)

t.test('a stopping server refuses connections, closes idle ones and lets a download finish', async (t) => {
  const { root } = createRoot(t)
  const large = join(root, 'large')
  writeFileSync(large, '')
  truncateSync(large, 50_000_000)
  const { port, child, ended } = await serve(t, root, '--password', password)
  const token = await signIn(port)
  const idle = await dial(t, port)
  idle.socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
  await idle.until(/"OK"/)
  const wire = await dial(t, port)
  wire.socket.write(`GET /api/raw/large HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n\r\n`)
  await wire.until(/200 OK/)
  wire.socket.pause()
  child.kill('SIGTERM')
  await idle.closed()
  // An idle connection can end a moment before the port is closed.
  await until(() =>
    dial(t, port).then(
      () => false,
      ({ code }) => code === 'ECONNREFUSED',
    ),
  )
  t.equal(child.exitCode, null)
  wire.socket.resume()
  await wire.closed()
  t.ok(wire.socket.bytesRead > 50_000_000)
  t.equal(await ended, 0)
})

t.test('a download that is not finished within --stop-timeout is aborted', async (t) => {
  const { root } = createRoot(t)
  const large = join(root, 'large')
  writeFileSync(large, '')
  truncateSync(large, 200_000_000)
  const { port, child, ended } = await serve(t, root, '--password', password, '--stop-timeout', '1s')
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  socket.pause()
  socket.write(`GET /api/raw/large HTTP/1.1\r\nHost: x\r\nX-Auth: ${await signIn(port)}\r\n\r\n`)
  await until(() => socket.bytesWritten > 0)
  child.kill('SIGTERM')
  t.equal(await ended, 0)
})

t.test('SIGHUP from a terminal that is closed stops the server', async (t) => {
  // Not in this process, because the test runner handles signals too.
  const script = `
    const { handleSignals } = await import(${JSON.stringify(new URL('./signals.ts', import.meta.url).href)})
    const alive = setInterval(() => {}, 1000)
    const handlers = { reload: () => console.log('reloaded'), reopen() {} }
    handleSignals(handlers, process.argv[1] === 'terminal').then(() => clearInterval(alive))
    console.log('listening')`
  const endOf = async (terminal: string) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, terminal], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    killAfter(t, child)
    const lines = createInterface({ input: child.stdout })
    const seen: string[] = []
    for await (const line of lines) {
      seen.push(line)
      child.kill(seen.length === 1 ? 'SIGHUP' : 'SIGTERM')
    }
    return { seen, code: child.exitCode }
  }
  t.match(await endOf('terminal'), { seen: ['listening'] })
  t.strictSame((await endOf('')).seen, ['listening', 'reloaded'])
})

t.test('a signal that comes during the start does not end the program', async (t) => {
  const { root } = createRoot(t)
  const program = run(t, '--root', root, '--port', '0', '--password', password, '--log-format', 'json')
  const early = setInterval(() => program.said() === '' || program.child.kill('SIGHUP'), 5)
  t.teardown(() => clearInterval(early))
  const [, port] = await until(() => / at http:\/\/127\.0\.0\.1:(\d+)\//.exec(program.said()))
  await until(() => program.said().includes('opened its log again'))
  t.equal((await exchange(Number(port), 'GET', '/health')).status, 200)
})
