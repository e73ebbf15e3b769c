import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import type { AuditRecord } from '#contract/history/audit.ts'
import type { Config } from '#src/config/config.ts'
import { type Person, start } from '#src/testing/start.ts'
import { dial, listen, until } from '#src/testing/wire.ts'

const listed = ['ls', 'pwd', 'echo', 'cat', 'printf', 'seq', 'sh', 'sleep', 'env', 'yes', 'printenv']
const tree = { docs: { 'a b.txt': 'hello', deep: {} }, 'file.txt': 'x' }

/** Starts a listening server with commands enabled, and users who may run commands. */
async function open(
  t: Test,
  { config = {}, people = {} }: { config?: Partial<Config>; people?: Record<string, Person> } = {},
) {
  const ann: Person = { perm: { execute: true }, commands: listed }
  const all = { ann, bob: { perm: { execute: false }, commands: listed }, ...people }
  const made = await start(t, { tree, people: all, config: { enableExec: true, ...config } })
  const port = await listen(made.app)
  return { ...made, port, ...lines(t, port, made.login) }
}

/** The messages received on a socket, and how the socket was closed. */
interface SocketResult {
  said: string[]
  code: number
  reason: string
}

function lines(t: Test, port: number, login: (name: string) => Promise<string>) {
  const tokens = new Map<string, string>()
  const tokenOf = async (name: string) => {
    tokens.set(name, tokens.get(name) ?? (await login(name)))
    return tokens.get(name) ?? ''
  }

  /** Opens a socket in a folder. Resolves when it is open. */
  async function connect(path = '/', name = 'ann') {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/command${path}?auth=${await tokenOf(name)}`)
    t.teardown(() => socket.close())
    const heard: SocketResult = { said: [], code: 0, reason: '' }
    socket.addEventListener('message', ({ data }) => heard.said.push(String(data)))
    const closed = new Promise<SocketResult>((resolve) =>
      socket.addEventListener('close', ({ code, reason }) => resolve({ ...heard, code, reason })),
    )
    await new Promise((resolve) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('close', resolve)
    })
    return { socket, heard, closed }
  }

  /** Runs one command and returns all messages. */
  async function run(command: string, path = '/', name = 'ann'): Promise<SocketResult> {
    const { socket, closed } = await connect(path, name)
    socket.send(command)
    return closed
  }

  return { connect, run, tokenOf }
}

t.test('a listed program runs in the folder, and each line of its output is a message', async (t) => {
  const { run, root } = await open(t)
  t.strictSame(await run('ls', '/docs/'), { said: ['a b.txt', 'deep'], code: 1000, reason: 'exit 0' })
  t.strictSame((await run('pwd', '/docs/deep')).said, [join(root, 'docs/deep')])
  t.strictSame((await run('pwd', '')).said, [root])
  t.match(await run('sh -c "echo out; echo err >&2; exit 3"'), {
    said: new Set(['out', 'err']),
    reason: 'exit 3',
  })
})

/** An upgrade request that is written by hand. */
interface Upgrade {
  path?: string
  auth?: string
  headers?: Record<string, string>
}

/** Sends an upgrade request and returns the connection. */
async function upgrade(t: Test, port: number, { path = '/', auth = '', headers = {} }: Upgrade) {
  const wire = await dial(t, port)
  const all = {
    host: `127.0.0.1:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}`)
  wire.socket.write([`GET /api/command${path}?auth=${auth} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  return wire
}

/** Sends an upgrade request and returns the response status. */
async function shake(t: Test, port: number, { isOn = true, ...given }: Upgrade & { isOn?: boolean }) {
  const wire = await upgrade(t, port, given)
  const [, status] = await wire.until(/^HTTP\/1\.1 (\d+)/)
  // After a refused upgrade, the server closes the connection when the response is sent.
  if (status !== '101' && isOn) await wire.closed()
  wire.socket.destroy()
  return { status: Number(status) }
}

/** Returns the processes of a program with this name whose working folder is below the fixture. */
const running = (name: string, root: string) =>
  readdirSync('/proc').filter((id) => {
    try {
      const [program = ''] = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
      const isCalled = basename(program) === name
      return isCalled && readFileSync(`/proc/${id}/environ`, 'utf8') !== '' && cwdOf(id).startsWith(root)
    } catch {
      return false
    }
  })

const cwdOf = (id: string) => readlinkSync(`/proc/${id}/cwd`)

t.test('refuses the upgrade without a login or without the permission', async (t) => {
  const { port, tokenOf, call } = await open(t)
  const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')]
  t.match(await shake(t, port, {}), { status: 401 })
  t.match(await shake(t, port, { auth: 'a.b.c' }), { status: 401 })
  t.match(await shake(t, port, { auth: bob }), { status: 403 })
  t.match(await shake(t, port, { auth: ann }), { status: 101 })
  await call('POST', '/api/logout', { headers: { 'x-auth': ann } })
  t.match(await shake(t, port, { auth: ann }), { status: 401 }, 'a session that has ended')
})

t.test('refuses the upgrade for every user when commands are not enabled', async (t) => {
  const { port, tokenOf } = await open(t, { config: { enableExec: false } })
  for (const name of ['ann', 'admin']) {
    const auth = await tokenOf(name)
    t.match(await shake(t, port, { auth, isOn: false }), { status: 403 })
  }
})

t.test('refuses a socket from a page of another host', async (t) => {
  const { port, tokenOf } = await open(t)
  const auth = await tokenOf('ann')
  const strangers = [
    'https://evil.test',
    'null',
    '',
    `http://127.0.0.1:${port + 1}`,
    'http://127.0.0.1',
    'file://',
    'x',
  ]
  for (const origin of strangers) {
    t.match(await shake(t, port, { auth, headers: { origin } }), { status: 403 }, origin)
  }
  t.match(await shake(t, port, { auth, headers: { origin: `http://127.0.0.1:${port}` } }), { status: 101 })
  const named = { host: 'files.example.com', origin: 'https://files.example.com:443' }
  t.match(await shake(t, port, { auth, headers: named }), { status: 101 }, 'behind a proxy that ends TLS')
})

t.test('a ticket opens one socket, in its folder, if it was issued for commands', async (t) => {
  const { port, as } = await open(t)
  const ann = await as('ann')
  const ticketFor = async (action: string, path: string) =>
    (await ann('POST', '/api/ticket', { payload: { action, path } })).json().ticket as string
  t.match(await shake(t, port, { path: '/docs/', auth: await ticketFor('command', '/docs') }), {
    status: 101,
  })
  t.match(await shake(t, port, { auth: await ticketFor('command', '/docs') }), { status: 401 })
  t.match(await shake(t, port, { path: '/docs/', auth: await ticketFor('raw', '/docs') }), { status: 401 })
})

t.test('answers a request that is not a WebSocket upgrade, even when it offers an upgrade', async (t) => {
  const { port, as, tokenOf } = await open(t)
  const ann = await as('ann')
  t.match(await ann('GET', '/api/command/'), { statusCode: 400, body: /upgrade: must be websocket/ })
  t.equal((await ann('POST', '/api/command/')).statusCode, 405)
  const auth = await tokenOf('ann')
  const wire = await dial(t, port)
  const head = `Host: x\r\nX-Auth: ${auth}\r\nConnection: Upgrade, close\r\nUpgrade:`
  wire.socket.write(`GET /api/resources/ HTTP/1.1\r\n${head} h2c\r\n\r\n`)
  t.match(await wire.closed(), /^HTTP\/1.1 200 OK[\s\S]*file\.txt/)
  const broken = await dial(t, port)
  broken.socket.write(`GET /api/command/%zz HTTP/1.1\r\n${head} websocket\r\n\r\n`)
  t.match(await broken.closed(), /^HTTP\/1.1 400 /)
})

t.test('refuses a program that is not listed with a message, for administrators too', async (t) => {
  const { run, document } = await open(t)
  const refused = { said: ['Command not allowed.'], code: 1000, reason: 'refused' }
  const lines = [
    'lsblk',
    'LS',
    '/bin/ls',
    './ls',
    '../../bin/ls',
    'ls;id',
    'id',
    "ls 'a",
    'X=1 ls',
    '$(ls)',
    '`ls`',
  ]
  for (const line of lines) t.strictSame(await run(line), refused, line)
  t.strictSame(await run('ls', '/', 'admin'), refused, 'the administrator has an empty list')
  await document.update((draft) => {
    const admin = draft.users[1]
    if (admin) admin.commands = ['ls']
  })
  t.strictSame((await run('ls', '/', 'admin')).said, ['docs', 'file.txt'])
})

t.test('G02: runs no second program, whatever follows a listed one', async (t) => {
  const { run, root } = await open(t)
  const tricks = [
    '; touch p',
    '&& touch p',
    '| touch p',
    '& touch p',
    '$(touch p)',
    '`touch p`',
    '> p',
    '\ntouch p',
  ]
  for (const trick of tricks) {
    const { said, reason } = await run(`echo x ${trick}`)
    t.equal(reason, 'exit 0')
    t.equal(said.join('\n'), `x ${trick.trim().replace('\n', ' ')}`, trick)
  }
  t.notOk(existsSync(join(root, 'p')))
  t.strictSame((await run("printf '%s\\n' 'a  b' $HOME *")).said, ['a  b', '$HOME', '*'])
})

t.test('G02: runs no second program through a shell, unless the list contains the shell', async (t) => {
  const bash: Person = { perm: { execute: true }, commands: [...listed, 'sh'] }
  const plain: Person = { perm: { execute: true }, commands: ['echo'] }
  const { run, root, document } = await open(t, { people: { bash, plain } })
  await document.update((draft) => {
    draft.settings.shell = ['sh', '-c']
  })
  for (const trick of [
    '; touch p',
    '&& touch p',
    '| touch p',
    '$(touch p)',
    '`touch p`',
    '> p',
    '\ntouch p',
  ]) {
    t.strictSame((await run(`echo x ${trick}`, '/', 'plain')).said, ['Command not allowed.'], trick)
  }
  t.notOk(existsSync(join(root, 'p')))
  t.strictSame((await run('echo *.txt', '/', 'plain')).said, ['file.txt'])
  t.strictSame((await run('echo a; echo b', '/', 'bash')).said, ['a', 'b'])
})

t.test('never runs a program that was uploaded into the folder', async (t) => {
  const people = { eve: { perm: { execute: true }, commands: ['ls', 'evil'] } }
  const { run, root } = await open(t, { people })
  for (const name of ['ls', 'evil']) {
    writeFileSync(join(root, name), '#!/bin/sh\necho evil\n')
    chmodSync(join(root, name), 0o755)
  }
  t.ok((await run('ls', '/', 'eve')).said.includes('evil'))
  t.strictSame((await run('evil', '/', 'eve')).said, ['evil: command not found'])
})

t.test('a command runs only where rules and the scope allow it', async (t) => {
  const rules = [{ allow: false, path: '/secret', regex: false, regexp: null }]
  const cat: Person = { perm: { execute: true }, commands: ['pwd'], scope: '/docs', rules }
  const { run, root, base, port, tokenOf } = await open(t, { people: { cat } })
  symlinkSync(base, join(root, 'docs/out'))
  symlinkSync(join(root, 'docs/deep'), join(root, 'docs/inside'))
  const deep = { said: [join(root, 'docs/deep')], code: 1000 }
  t.match(await run('pwd', '/deep/', 'cat'), deep)
  t.match(await run('pwd', '/inside', 'cat'), deep)
  t.match(await run('pwd', '/..%2f..%2f..', 'cat'), { said: [join(root, 'docs')] })
  for (const [path, words] of [
    ['/out', /is outside the allowed folder/],
    ['/out/root', /is outside the allowed folder/],
    ['/secret', /a rule denies/],
    ['/missing', /does not exist/],
    ['/a b.txt', /is not a folder/],
  ] as const) {
    const { said, code } = await run('pwd', encodeURI(path), 'cat')
    t.match(said, [words], path)
    t.equal(code, 1000)
  }
  t.match(await shake(t, port, { path: '/a%00b', auth: await tokenOf('cat'), isOn: false }), { status: 400 })
})

t.test('programs get no input, and no variables of the server except harmless ones', async (t) => {
  process.env.COFFER_PASSWORD = 'CANARY'
  t.teardown(() => delete process.env.COFFER_PASSWORD)
  const { run } = await open(t)
  const { said } = await run('env')
  t.notMatch(said.join('\n'), /CANARY/)
  // The test runner adds NODE_OPTIONS, and names that begin with _, to the environment of every program.
  const names = said.flatMap((line) => /^([A-Za-z]\w*)=/.exec(line)?.[1] ?? [])
  t.strictSame(
    names.filter(
      (name) => !/^(PATH|PWD|HOME|LANG|LANGUAGE|LC_\w+|TZ|TERM|USER|LOGNAME|TMPDIR|NODE_OPTIONS)$/.test(name),
    ),
    [],
  )
  t.ok(said.some((line) => line.startsWith('PATH=/')))
  t.strictSame(await run('cat'), { said: [], code: 1000, reason: 'exit 0' })
})

t.test('the first text message that is not blank is the command; later messages are ignored', async (t) => {
  const { connect } = await open(t)
  const { socket, closed } = await connect()
  for (const text of ['', '  ', '\n', ' echo one ', 'echo two', 'x'.repeat(1000)]) socket.send(text)
  t.match(await closed, { said: ['one'], code: 1000 })
  const binary = await connect()
  binary.socket.send(new Uint8Array([108, 115]))
  t.match(await binary.closed, { said: [], code: 1003 })
})

t.test('G06: closes the socket with 1009 after a message above 64 KiB', async (t) => {
  const { connect } = await open(t)
  const { socket, closed } = await connect()
  socket.send(`echo ${'x'.repeat(64 * 1024)}`)
  t.match(await closed, { said: [], code: 1009 })
})

t.test('sends output while the program runs, and ends the command when it prints too much', async (t) => {
  const { connect, run, root } = await open(t)
  const { socket, heard } = await connect()
  socket.send('sh -c "echo first; exec sleep 1000"')
  await until(() => heard.said.includes('first'))
  await until(() => running('sleep', root).length === 1)
  socket.close()
  await until(() => running('sleep', root).length === 0)
  const flood = await run('yes')
  t.equal(flood.said.at(-1), 'The command was stopped because it printed too much.')
  t.ok(flood.said.length > 10_000)
  t.equal(flood.code, 1000)
  await until(() => running('yes', root).length === 0)
  const long = (await run(`sh -c "head -c 200000 /dev/zero | tr '\\0' x"`)).said
  t.equal(long.join('').length, 200_000)
  t.ok(long.every((line) => line.length <= 64 * 1024))
})

t.test('when a client disconnects, the command and all processes it started are killed', async (t) => {
  const { connect, root } = await open(t)
  const { socket, heard } = await connect('/docs/')
  socket.send('sh -c "sleep 1001 & sleep 1002 & echo on; wait"')
  await until(() => heard.said.includes('on'))
  await until(() => running('sleep', root).length === 2)
  socket.close()
  await until(() => running('sleep', root).length + running('sh', root).length === 0)
  t.pass('no process is left')
})

t.test('a client that does not respond to pings is disconnected', async (t) => {
  const { port, services, tokenOf } = await open(t)
  services.commands.limits.ping = 50
  const silent = await upgrade(t, port, { auth: await tokenOf('ann') })
  // An empty ping is these two bytes, RFC 6455 §5.5.2.
  const pings = () => silent.seen().split('\x89\0').length - 1
  await until(() => silent.socket.destroyed || silent.socket.readableEnded || pings() > 1)
  t.equal(pings(), 1, 'the connection is closed instead of a second ping')
})

t.test('background processes of a command are killed when the command ends', async (t) => {
  const { run, root } = await open(t)
  t.match(await run('sh -c "sleep 1003 & echo done"'), { said: ['done'], reason: 'exit 0' })
  await until(() => running('sleep', root).length === 0)
})

t.test('a command is killed when the session ends or the permission is revoked', async (t) => {
  const { connect, root, call, document, tokenOf } = await open(t, {
    people: { dan: { perm: { execute: true }, commands: ['sleep'] } },
  })
  const [ann, dan] = [await connect(), await connect('/', 'dan')]
  for (const { socket } of [ann, dan]) socket.send('sleep 1004')
  await until(() => running('sleep', root).length === 2)
  await call('POST', '/api/logout', { headers: { 'x-auth': await tokenOf('ann') } })
  t.match(await ann.closed, { code: 1008 })
  await until(() => running('sleep', root).length === 1)
  await document.update((draft) => {
    for (const user of Object.values(draft.users)) user.perm.execute = false
  })
  t.match(await dan.closed, { code: 1008 })
  await until(() => running('sleep', root).length === 0)
})

t.test('a user runs at most four commands at once; the fifth is refused with 429', async (t) => {
  const { connect, port, tokenOf, root } = await open(t)
  const four = await Promise.all([1, 2, 3, 4].map(() => connect()))
  t.match(await shake(t, port, { auth: await tokenOf('ann') }), { status: 429 })
  for (const { socket } of four) socket.close()
  await until(async () => (await shake(t, port, { auth: await tokenOf('ann') })).status === 101)
  t.strictSame(running('sleep', root), [])
})

t.test('running commands are killed when the server stops', async (t) => {
  const { connect, root, app } = await open(t)
  const { socket, closed } = await connect()
  socket.send('sleep 1005')
  await until(() => running('sleep', root).length === 1)
  await app.close()
  t.match(await closed, { code: 1001 })
  await until(() => running('sleep', root).length === 0)
})

t.test('the log records the user, the program and the folder of a command, but no arguments', async (t) => {
  const log = join(t.testdirName, 'coffer.log')
  const { run } = await open(t, { config: { log } })
  await run('echo CANARY', '/docs/')
  const line = readFileSync(log, 'utf8')
    .split('\n')
    .find((one) => one.includes('a command ended'))
  t.match(line, /user=ann folder=\/docs program=echo end="exit 0" address=127\.0\.0\.1/)
  t.notMatch(readFileSync(log, 'utf8'), /CANARY|auth=ey/)
})

t.test('the audit log records the user, the folder, the line and the end of each command', async (t) => {
  const { run, as } = await open(t)
  await run('echo hello', '/docs/')
  await run('sh -c "exit 3"', '/docs/')
  await run('rm -rf x')
  const admin = await as('admin')
  const { records } = (await admin('GET', '/api/audit?kind=command')).json()
  const brief = records.map((record: AuditRecord) => [
    ...[record.user, record.address, record.outcome, record.paths[0]?.path, record.detail],
  ])
  t.strictSame(brief, [
    ['ann', '127.0.0.1', 'refused', '/', 'rm -rf x (refused)'],
    ['ann', '127.0.0.1', 'failed', '/docs', 'sh -c "exit 3" (exit 3)'],
    ['ann', '127.0.0.1', 'done', '/docs', 'echo hello (exit 0)'],
  ])
})
