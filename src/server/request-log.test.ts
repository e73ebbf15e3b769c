import { execFileSync } from 'node:child_process'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { password, start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { dial, exchange, listen, until } from '#src/testing/wire.ts'

type Choices = NonNullable<Parameters<typeof start>[1]>

/** Starts the application with a log in a file. */
async function startLogged(t: Test, { config, ...choices }: Choices = {}) {
  const log = join(t.testdirName, 'coffer.log')
  const started = await start(t, { ...choices, config: { log, logFormat: 'json', ...config } })
  const text = () => readFileSync(log, 'utf8')
  const lines = () =>
    text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const answered = () => lines().filter(({ msg }) => msg === 'answered')
  return { ...started, log, text, lines, answered }
}

t.test('the line of a request says who asked for what, and what was sent', async (t) => {
  const { app, as, login, answered } = await startLogged(t, { people: { alice: {} } })
  const alice = await as('alice')
  const { headers } = await alice('GET', '/api/resources/?x=1', { remoteAddress: '::ffff:192.0.2.7' })
  const entry = answered().at(-1)
  t.strictSame(Object.keys(entry), [
    ...['level', 'time', 'method', 'url', 'status', 'ms', 'bytes', 'user', 'address', 'request', 'msg'],
  ])
  t.match(entry, {
    method: 'GET',
    url: '/api/resources/?x=1',
    status: 200,
    user: 'alice',
    address: '192.0.2.7',
    request: headers['x-request-id'],
  })
  t.ok(entry.ms >= 0)
  const port = await listen(app)
  const token = await login('admin')
  await exchange(port, 'PUT', '/api/resources/a.txt', {
    headers: { 'x-auth': token },
    body: 'x'.repeat(5000),
  })
  const reply = await exchange(port, 'GET', '/api/raw/a.txt', { headers: { 'x-auth': token } })
  await until(() => answered().at(-1).request === reply.headers['x-request-id'])
  t.match({ ...reply, body: reply.body.length }, { status: 200, body: 5000 })
  t.ok(answered().at(-1).bytes > 5000, JSON.stringify(answered().at(-1)))
  t.ok(answered().at(-1).bytes < 7000)
})

t.test('a request has one line also when it is refused, malformed or aborted', async (t) => {
  const { app, base, login, answered, lines } = await startLogged(t)
  const port = await listen(app)
  await exchange(port, 'GET', '/%zz')
  await until(() => answered().length === 1)
  t.match(answered()[0], { url: '/%zz', status: 400, address: '127.0.0.1' })
  writeFileSync(join(base, 'root', 'big'), '')
  truncateSync(join(base, 'root', 'big'), 500_000_000)
  const wire = await dial(t, port)
  wire.socket.write(`GET /api/raw/big HTTP/1.1\r\nHost: x\r\nX-Auth: ${await login('admin')}\r\n\r\n`)
  await wire.until(/200 OK/)
  wire.socket.destroy()
  await until(() => answered().length === 3)
  t.match(answered()[2], { url: '/api/raw/big', status: 200, aborted: true, user: 'admin' })
  t.ok(answered()[2].bytes < 400_000_000)
  const broken = await dial(t, port)
  broken.socket.write('not HTTP\r\n\r\n')
  await broken.closed()
  await until(() => lines().some(({ msg }) => msg === 'refused a connection'))
  t.match(lines().at(-1), { level: 'info', status: 400, reason: 'HPE_INVALID_METHOD', address: '127.0.0.1' })
  t.notOk(lines().some(({ level }) => level === 'warn' || level === 'error'))
})

t.test('with --log-requests errors, only requests with a status of 400 and higher are logged', async (t) => {
  const { call, answered } = await startLogged(t, { config: { logRequests: 'errors' } })
  await call('GET', '/health')
  await call('GET', '/api/sessions')
  t.match(answered(), [{ url: '/api/sessions', status: 401 }])
  t.equal(answered().length, 1)
})

t.test('the request id comes from a trusted proxy or is made by Coffer, never from a client', async (t) => {
  const { call } = await startLogged(t, { config: { trustedProxy: ['10.0.0.1'] } })
  const idOf = async (id: string, remoteAddress: string) =>
    (await call('GET', '/health', { headers: { 'x-request-id': id }, remoteAddress })).headers['x-request-id']
  t.equal(await idOf('8f14e45fceea167a5a36dedd4bea2543', '10.0.0.1'), '8f14e45fceea167a5a36dedd4bea2543')
  t.equal(await idOf('Root=1-67891233-abcdef', '10.0.0.1'), 'Root=1-67891233-abcdef')
  const made = /^[\da-f]{8}-[\da-f-]{27}$/
  t.match(await idOf('8f14e45fceea167a5a36dedd4bea2543', '10.0.0.2'), made)
  for (const bad of ['', 'x'.repeat(65), 'a b', 'a"b', 'a\u00e9', 'a,b']) {
    t.match(await idOf(bad, '10.0.0.1'), made, bad)
  }
})

t.test('a request that fails has its id in the line of the error', async (t) => {
  const { call, services, lines } = await startLogged(t)
  services.instanceInfo.settings = async () => {
    throw new Error('a bug')
  }
  const reply = await call('GET', '/')
  t.equal(reply.statusCode, 500)
  const error = lines().find(({ level }) => level === 'error')
  t.match(error, { msg: 'a request failed', request: reply.headers['x-request-id'] })
  t.match(error.err.message, 'a bug')
})

const filter = join(import.meta.dirname, '..', 'testing', 'examples', 'fail2ban-filter.conf')

/** The regular expressions of the filter for fail2ban, with its tag for addresses replaced by a group. */
function failures(): RegExp[] {
  const text = readFileSync(filter, 'utf8')
  const [, prefix = ''] = /^_prefix = (.*)$/m.exec(text) ?? []
  const [, block = ''] = /^failregex = ([\s\S]*?)^journalmatch/m.exec(text) ?? []
  return block
    .trim()
    .split(/\n\s+/)
    .map(
      (one) =>
        new RegExp(
          one.replace('%(_prefix)s', () => prefix).replace('<ADDR>', '(?<address>[\\d.]+|[\\da-f:.]+)'),
        ),
    )
}

/** The addresses that fail2ban would count. */
function addressesIn(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => failures().map((one) => one.exec(line)?.groups?.address))
    .filter((address) => address !== undefined)
}

const hostileNames = [
  'bob',
  'bob address=198.51.100.9',
  '" address=198.51.100.9 user="',
  'x\n2026-01-02T03:04:05.006Z WARN  failed sign-in address=198.51.100.9 user=x',
  '\u2028{"level":"warn","time":"","address":"198.51.100.9","msg":"failed sign-in"}',
  'x y: WARN  failed sign-in address=198.51.100.9 ',
  'x Z WARN  failed sign-in address=198.51.100.9 ',
  '\u001b[2J\\u000a',
  'x'.repeat(300),
  '',
]

for (const logFormat of ['text', 'json'] as const) {
  t.test(
    `fail2ban sees the client of each wrong password, and no name forges one (${logFormat})`,
    async (t) => {
      const config = { logFormat, trustedProxy: ['10.0.0.1'], loginAttempts: 100 }
      const { call, text, log, as, root } = await startLogged(t, { config })
      writeFileSync(join(root, 'a.txt'), 'a')
      for (const username of hostileNames) {
        const { statusCode } = await call('POST', '/api/login', {
          payload: { username, password: 'wrong' },
          remoteAddress: '10.0.0.1',
          headers: { 'x-forwarded-for': '203.0.113.5' },
        })
        t.equal(statusCode, 403)
      }
      t.strictSame(addressesIn(text()), Array(hostileNames.length).fill('203.0.113.5'))
      const admin = await as('admin')
      const payload = { password: 'secret', expires: '', unit: 'hours' }
      const { hash } = (await admin('POST', '/api/share/a.txt', { payload })).json()
      const visit = (headers: Record<string, string>) =>
        call('GET', `/api/public/share/${hash}`, { headers, remoteAddress: '2001:db8::9' })
      t.equal((await visit({})).statusCode, 401)
      t.equal((await visit({ 'x-share-password': 'wrong address=198.51.100.9' })).statusCode, 401)
      t.equal((await visit({ 'x-share-password': 'secret' })).statusCode, 200)
      const change = {
        what: 'user',
        which: ['locale'],
        data: { id: 1, locale: 'de' },
        current_password: 'no',
      }
      await admin('PUT', '/api/users/1', {
        payload: { ...change, which: ['username'] },
        remoteAddress: '::1',
      })
      // Text that is not an address is not logged as one.
      await call('POST', '/api/login', {
        payload: { username: 'bob', password: 'wrong' },
        remoteAddress: '10.0.0.1',
        headers: { 'x-forwarded-for': '198.51.100.9" address=198.51.100.9' },
      })
      const found = addressesIn(text()).slice(hostileNames.length)
      t.strictSame(found, ['2001:db8::9', '::1'])
      for (const address of found) t.ok(isIP(address))
      t.match(text(), /failed sign-in address=unknown|"address":"unknown","user":"bob"/)
      t.ok(
        text()
          .split('\n')
          .every((line) => line.length < 3000),
      )
      t.notMatch(text(), /wrong|secret|correct horse/)
      checkWithFail2ban(t, log, hostileNames.length + 2)
    },
  )
}

/** Applies the filter with fail2ban itself, if it is installed. */
function checkWithFail2ban(t: Test, log: string, expected: number): void {
  let report: string
  try {
    report = execFileSync(systemTool('fail2ban-regex'), [log, filter], { stdio: 'pipe' }).toString()
  } catch {
    t.pass('applies the filter with fail2ban', { skip: 'fail2ban is not installed' })
    return
  }
  t.match(report, new RegExp(`, ${expected} matched`))
}

t.test('a sign-in that the limit on wrong passwords refuses is logged like a wrong password', async (t) => {
  const { call, text } = await startLogged(t, { config: { loginAttempts: 2, logFormat: 'text' } })
  const attempt = (secret: string) =>
    call('POST', '/api/login', {
      payload: { username: 'admin', password: secret },
      remoteAddress: '192.0.2.1',
    })
  for (const expected of [403, 403, 429]) t.equal((await attempt('wrong')).statusCode, expected)
  t.equal(addressesIn(text()).length, 3)
  t.equal((await call('POST', '/api/login', { payload: { username: 'admin', password } })).statusCode, 200)
  t.equal(addressesIn(text()).length, 3, 'a right password is not logged as a wrong one')
})
