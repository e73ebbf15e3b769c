import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Config } from '#src/config/config.ts'
import { start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { dial, exchange, listen, until } from '#src/testing/wire.ts'
import { temporaries } from '#src/testing/writer.ts'
import type { Asset } from './assets.ts'

/** The kinds of content security policies. */
type Kind = 'page' | 'docs' | 'data' | 'content' | 'pdf'

const asset = (type: string): Asset => ({ body: () => Buffer.from('x'), type, etag: '"x"', immutable: true })
const assets = {
  page: '<html data-theme="%THEME%"><head></head><script type="application/json">%SETTINGS%</script></html>',
  find: (name: string) =>
    ({ 'a.js': asset('text/javascript'), 'a.css': asset('text/css'), 'a.svg': asset('image/svg+xml') })[name],
}

async function startInstance(t: Test, config: Partial<Config> = {}) {
  const tree = {
    'a.txt': 'text',
    'a.html': '<script>1</script>',
    'a.svg': '<svg/>',
    'a.pdf': '%PDF',
    'a.vtt': '',
  }
  const started = await start(t, { tree: { ...tree, docs: { 'b.txt': 'b' } }, config, assets })
  const token = await started.login('admin')
  const port = await listen(started.app)
  const { hash } = (await started.call('POST', '/api/share/docs', { headers: { 'x-auth': token } })).json()
  return { ...started, token, port, hash }
}

/** Every kind of response: its request, the expected policy and status. */
const table: [address: string, kind: Kind, status: number, rest?: { headers?: object; body?: string }][] = [
  ['GET /', 'page', 200],
  ['GET /share/HASH', 'page', 200],
  ['HEAD /', 'page', 200],
  ['GET /static/a.js', 'data', 200],
  ['GET /static/a.svg', 'data', 200],
  ['GET /static/a.js', 'data', 304, { headers: { 'if-none-match': '"x"' } }],
  ['GET /static/none.js', 'data', 404],
  ['GET /static/manifest.webmanifest', 'data', 200],
  ['GET /health', 'data', 200],
  ['GET /api/docs', 'docs', 200],
  ['GET /api/openapi.json', 'data', 200],
  ['POST /api/login', 'data', 403, { body: '{"username":"a","password":"b"}' }],
  ['POST /api/login', 'data', 403, { body: '{' }],
  ['PUT /api/settings', 'data', 400, { body: '{' }],
  ['POST /api/login', 'data', 413, { body: `"${'x'.repeat(2 ** 20)}"` }],
  ['POST /api/renew', 'data', 200],
  ['GET /api/none', 'data', 404],
  ['PATCH /api/settings', 'data', 405],
  ['OPTIONS /api/settings', 'data', 405],
  ['GET /api/settings', 'data', 200],
  ['GET /api/settings', 'data', 401, { headers: { 'x-auth': 'none' } }],
  ['GET /api/settings', 'data', 401, { headers: { 'x-auth': 'none', accept: 'application/json' } }],
  ['GET /api/resources/', 'data', 200],
  ['GET /api/resources/none', 'data', 404],
  ['GET /api/resources/a%00b', 'data', 400],
  ['GET /api/resources/%E0%A4%A', 'data', 400],
  ['GET /%E0%A4%A', 'data', 400],
  ['POST /api/resources/new.txt', 'data', 200, { body: 'new' }],
  ['POST /api/resources/new.txt', 'data', 409, { body: 'new' }],
  ['DELETE /api/resources/new.txt', 'data', 200],
  ['GET /api/search/?query=a', 'data', 200],
  ['GET /api/resources/recursive/', 'data', 200],
  ['GET /api/preview/thumb/a.txt', 'data', 415],
  ['GET /api/subtitle/a.vtt', 'data', 200],
  ['GET /api/command/', 'data', 403],
  ['GET /api/public/share/HASH', 'data', 200],
  ['GET /api/public/share/none', 'data', 404],
  ['GET /api/public/dl/HASH/b.txt?inline=true', 'content', 200],
  ['GET /api/public/dl/HASH', 'data', 200],
  ['GET /api/raw/a.html', 'content', 200],
  ['GET /api/raw/a.html?inline=true', 'content', 200],
  ['GET /api/raw/a.svg?inline=true', 'content', 200],
  ['GET /api/raw/a.pdf?inline=true', 'pdf', 200],
  ['GET /api/raw/a.pdf', 'content', 200],
  ['HEAD /api/raw/a.html?inline=true', 'content', 200],
  ['GET /api/raw/a.html?inline=true', 'content', 206, { headers: { range: 'bytes=0-1' } }],
  ['GET /api/raw/a.html?inline=true', 'content', 206, { headers: { range: 'bytes=0-1,4-5' } }],
  ['GET /api/raw/a.html?inline=true', 'content', 416, { headers: { range: 'bytes=99-' } }],
  ['GET /api/raw/docs?algo=zip', 'data', 200],
]

const directivesOf = (policy: string) =>
  new Map(
    policy.split(';').map((one) => {
      const [name = '', ...sources] = one.trim().split(/\s+/)
      return [name, sources]
    }),
  )

function checkFraming(t: Test, headers: IncomingHttpHeaders, ancestor: 'self' | 'none'): void {
  t.equal(headers['x-frame-options'], ancestor === 'self' ? 'SAMEORIGIN' : 'DENY')
  const policy = directivesOf(String(headers['content-security-policy']))
  t.strictSame(policy.get('frame-ancestors'), [`'${ancestor}'`])
}

/** Checks the headers that every response must have. */
function checkHeaders(t: Test, headers: IncomingHttpHeaders, kind: Kind): void {
  t.equal(headers['x-content-type-options'], 'nosniff')
  t.equal(headers['referrer-policy'], 'no-referrer')
  checkFraming(t, headers, kind === 'pdf' ? 'self' : 'none')
  t.equal(headers['cross-origin-opener-policy'], 'same-origin')
  t.equal(headers['cross-origin-resource-policy'], 'same-origin')
  const features = new Map(
    String(headers['permissions-policy'])
      .split(', ')
      .map((one) => one.split('=') as [string, string]),
  )
  for (const one of ['camera', 'microphone', 'geolocation', 'display-capture', 'payment', 'usb'])
    t.equal(features.get(one), '()', one)
  for (const one of ['fullscreen', 'clipboard-write']) t.equal(features.get(one), '(self)', one)
  t.match(headers['x-request-id'], /^[\w-]{36}$/)
  for (const name of ['set-cookie', 'server', 'x-powered-by', 'access-control-allow-origin']) {
    t.notOk(name in headers, name)
  }
  const policy = directivesOf(String(headers['content-security-policy']))
  t.strictSame(policy.get('default-src'), ["'none'"])
  t.equal(policy.has('sandbox'), ['data', 'content', 'pdf'].includes(kind))
  t.strictSame(policy.get('sandbox') ?? [], [], 'the sandbox allows nothing')
  t.strictSame(policy.get('script-src'), kind === 'page' ? ["'self'"] : undefined)
  for (const [name, sources] of policy) {
    const isLoose = sources.some((source) => /\*|https?:|unsafe-(eval|hashes)|strict-dynamic/.test(source))
    const isInline = sources.includes("'unsafe-inline'") && (kind === 'page' || name !== 'style-src')
    t.notOk(isLoose || isInline, `${name} ${sources.join(' ')}`)
  }
  if (kind === 'page' || kind === 'docs') t.strictSame(policy.get('base-uri'), ["'none'"])
}

t.test('every kind of response has the security headers', async (t) => {
  const { token, port, hash } = await startInstance(t)
  for (const [address, kind, status, { headers = {}, body } = {}] of table) {
    await t.test(`${address} returns ${status}`, async (t) => {
      const [method = '', path = ''] = address.replace('HASH', hash).split(' ')
      const options = { headers: { 'x-auth': token, ...headers }, ...(body !== undefined && { body }) }
      const reply = await exchange(port, method, path, options)
      t.equal(reply.status, status)
      checkHeaders(t, reply.headers, kind)
      t.notOk('strict-transport-security' in reply.headers, 'the header is only for TLS')
      if (path.startsWith('/api/')) t.match(reply.headers['cache-control'], /no-store|private/)
      if (kind === 'content') t.notMatch(reply.headers['content-type'], /script|css/)
    })
  }
})

t.test('responses to rate-limited requests and during shutdown have the same headers', async (t) => {
  const { port, app, root, token } = await startInstance(t, { requestRate: 1 })
  const own = `HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n`
  const replies = await Promise.all(Array.from({ length: 40 }, () => exchange(port, 'GET', '/api/docs')))
  const refused = replies.find(({ status }) => status === 429)
  checkHeaders(t, refused?.headers ?? {}, 'data')
  const line = await dial(t, port)
  line.socket.write(`PUT /api/resources/a.txt ${own}Content-Length: 2\r\n\r\n1`)
  await until(() => temporaries(root).length === 1)
  const closed = app.close()
  // A running request may finish; the next one on the same connection is refused.
  line.socket.write(`2GET /api/resources/ ${own}\r\n`)
  const received = await line.closed()
  await closed
  const [, done = '', late = ''] = received.split('HTTP/1.1 ')
  t.match(done, /^200 OK/)
  t.match(late, /^503 [\s\S]*503 Service Unavailable \(the server is shutting down; /)
  const lines = late.split('\r\n').map((one) => one.split(': ') as [string, string])
  checkHeaders(
    t,
    Object.fromEntries(lines.map(([name, ...rest]) => [name.toLowerCase(), rest.join(': ')])),
    'data',
  )
})

t.test('with TLS, every response has HSTS', async (t) => {
  const folder = t.testdir()
  const config = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  try {
    const shape = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const names = ['-subj', '/CN=localhost', '-keyout', config.key, '-out', config.cert]
    execFileSync(systemTool('openssl'), [...shape, ...names], { stdio: 'pipe' })
  } catch {
    t.pass('a certificate', { skip: 'this system has no openssl to make one' })
    return
  }
  await t.test('an instance with a certificate', async (t) => {
    const { app } = await start(t, { tree: { 'a.txt': 'a' }, config, assets })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    for (const path of ['/', '/static/a.js', '/api/settings', '/api/none', '/%E0%A4%A', '/health']) {
      const outgoing = get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false })
      const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
      reply.resume()
      t.match(reply.headers['strict-transport-security'], /^max-age=\d{8,}$/, path)
    }
  })
})

t.test('does not accept cookies in requests from other sites', async (t) => {
  const { token, port } = await startInstance(t)
  for (const name of ['auth', 'token', 'session', 'X-Auth']) {
    for (const [method, path] of [
      ['GET', '/api/resources/'],
      ['POST', '/api/resources/evil.txt'],
      ['GET', '/api/raw/a.txt'],
    ] as const) {
      const headers = { cookie: `${name}=${token}`, origin: 'https://evil.test' }
      t.equal((await exchange(port, method, path, { headers })).status, 401, `${name}: ${method} ${path}`)
    }
  }
})
