import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { chmodSync, existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createLog } from '#src/core/log/log.ts'
import { start as startProgram } from '#src/start/main.ts'
import { password, start } from '#src/testing/start.ts'
import { dial, listen } from '#src/testing/wire.ts'
import { isRefused, openTarget } from './fixture.ts'
import { pathsBelow } from './world.ts'

const target = await openTarget(t)
const { ask, row, raw, root, base, share, document, idOf } = target
const alice = join(root, 'alice')
const pixel = Buffer.from('47494638396101000100800000ff0000ffffff2c00000000010001000002024401003b', 'hex')

row('K01 CVE-2025-52900 new files and folders are accessible to their owner and group only', async (t) => {
  const original = join(alice, 'docs/sub/run')
  writeFileSync(original, 'x')
  chmodSync(original, 0o6777)
  chmodSync(join(alice, 'docs/sub'), 0o3777)
  writeFileSync(join(alice, 'pics/p.gif'), pixel)
  const home = { what: 'user', which: [], data: { username: 'newcomer', password, scope: '/homes/newcomer' } }
  const oldUmask = process.umask(0)
  try {
    t.equal((await ask('alice', 'POST', '/api/resources/new/deep/x.txt', { body: 'x' })).status, 200)
    t.equal((await ask('alice', 'POST', '/api/resources/made/')).status, 200)
    t.equal((await ask('alice', 'PUT', '/api/resources/put.txt', { body: 'x' })).status, 200)
    const copy = '/api/resources/docs/sub?action=copy&destination=%2Fcopies%2Fsub'
    t.equal((await ask('alice', 'PATCH', copy)).status, 200)
    t.equal((await ask('alice', 'GET', '/api/preview/thumb/pics/p.gif')).status, 200)
    t.equal((await ask('admin', 'POST', '/api/users', { json: home })).status, 201)
    await ask('', 'POST', '/api/login', { json: { username: 'newcomer', password } })
  } finally {
    process.umask(oldUmask)
  }
  const mode = (path: string) => (lstatSync(path).mode & 0o7777).toString(8)
  for (const name of ['new/deep/x.txt', 'put.txt']) t.equal(mode(join(alice, name)), '640', name)
  t.equal(mode(join(alice, 'copies/sub/run')), '740')
  for (const name of ['new', 'new/deep', 'made', 'copies', 'copies/sub'])
    t.equal(mode(join(alice, name)), '750', name)
  for (const name of ['homes', 'homes/newcomer']) t.equal(mode(join(root, name)), '750', name)
  t.equal(mode(target.config.log), '600')
  for (const name of ['sessions', 'parts', 'cache']) t.equal(mode(join(base, 'state.d', name)), '700', name)
  const stateFiles = pathsBelow(join(base, 'state.d')).filter((path) => lstatSync(path).isFile())
  t.ok(stateFiles.some((path) => path.includes('/cache/')))
  for (const path of stateFiles) t.equal(mode(path), '600', path)
  t.equal((await ask('admin', 'DELETE', `/api/users/${idOf('newcomer')}`)).status, 200)
})

t.test('K01 the state and the socket are readable by their owner only, from their creation on', async (t) => {
  const testFolder = t.testdir({ served: {}, web: { dist: { 'index.html': '<title>%TITLE%</title>' } } })
  const usual = process.cwd()
  process.chdir(testFolder) // its own page, so that a concurrent build does not interfere
  t.teardown(() => process.chdir(usual))
  // Not in the test folder, because the path of a socket has to be short.
  const folder = mkdtempSync(join(tmpdir(), 'coffer-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [socket, database] = [join(folder, 's'), join(folder, 'state.json')]
  const modes = { first: '', database: '', socket: '' }
  const mode = (path: string) => (lstatSync(path).mode & 0o7777).toString(8)
  const onListening = () => {
    if (existsSync(socket)) modes.first ||= mode(socket) // earlier events belong to other sockets
  }
  subscribe('tracing:net.server.listen:asyncEnd', onListening)
  const oldUmask = process.umask(0)
  try {
    const config = {
      ...target.config,
      root: join(testFolder, 'served'),
      socket,
      socketPerm: 0o660,
      database,
      log: join(folder, 'log'),
    }
    const print = () => {}
    const running = await startProgram(config, { log: createLog({ target: '', format: 'text' }), print })
    Object.assign(modes, { database: mode(database), socket: mode(socket) })
    await running.close()
  } finally {
    process.umask(oldUmask)
    unsubscribe('tracing:net.server.listen:asyncEnd', onListening)
  }
  t.match(modes, { first: '600', database: '600', socket: '660' })
})

row('K02 no well-known password signs anybody in', async (t) => {
  for (const word of ['admin', '', 'password', 'coffer', 'Admin123']) {
    isRefused(t, await ask('', 'POST', '/api/login', { json: { username: 'admin', password: word } }), [403])
  }
  t.equal((await ask('admin', 'GET', '/health')).status, 200)
})

row('K03 CVE-2026-25231 no file of the program or of its state has an address', async (t) => {
  const names = [
    'uploads/',
    'data/',
    'cache/',
    'filebrowser.db',
    '.filebrowser.json',
    '.git/config',
    'server.js.map',
  ]
  const own = [
    'state.json',
    'state.d/',
    'state.d/sessions',
    'coffer.log',
    'package.json',
    'meta.json',
    'index.html.map',
  ]
  for (const name of [...names, ...own]) {
    const page = await ask('', 'GET', `/${name}`)
    if (page.status === 200)
      t.match(page.headers['content-type'], 'text/html', 'the page, as at every other address')
    isRefused(t, await ask('', 'GET', `/static/${name}`), [404])
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const call = method === 'GET' ? 'raw' : 'resources'
      isRefused(t, await ask('', method, `/api/${call}/${name}`), [401])
      if (method !== 'PUT') isRefused(t, await ask('admin', method, `/api/${call}/../${name}`), [404])
    }
  }
})

row("K06 CVE-2026-16732 a client's headers cannot set its address or host", async (t) => {
  const headers = {
    'x-forwarded-for': '10.9.9.9, 127.0.0.2',
    'x-real-ip': '10.9.9.9',
    forwarded: 'for=10.9.9.9;host=evil.test;proto=https',
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'https',
  }
  const { text } = await ask('', 'POST', '/api/login', { headers, json: { username: 'bob', password } })
  const sessions = await ask('', 'GET', '/api/sessions', { headers: { ...headers, 'x-auth': text } })
  t.notMatch(sessions.text, /10\.9\.9\.9|127\.0\.0\.2|evil/)
  t.match(sessions.text, '"127.0.0.1"')
  t.notMatch(readFileSync(target.config.log, 'utf8'), /10\.9\.9\.9/)
  const page = await ask('', 'GET', '/', { headers })
  t.notMatch(page.text + JSON.stringify(page.headers), /evil|strict-transport/)
})

row('K07 no response repeats the host of the request', async (t) => {
  const shareId = await share('/pub.txt')
  const token = await target.token('alice')
  for (const host of ['evil.test', '127.0.0.1.evil.test', 'evil.test:80']) {
    for (const path of [
      '/',
      '/login',
      `/share/${shareId}`,
      '/api/shares',
      '/api/resources/',
      '/api/none',
      '/static/none',
    ]) {
      const said = await raw(
        t,
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Auth: ${token}\r\nConnection: close\r\n\r\n`,
      )
      t.notMatch(said, /evil/, `${host} ${path}`)
    }
  }
  t.match(await raw(t, 'GET /api/shares HTTP/1.1\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 400 /)
  t.match(
    await raw(t, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 (200|400) /,
  )
})

row(
  'K07 an instance without passwords refuses requests with foreign host names (DNS rebinding)',
  async (t) => {
    const enter = async (config: object, host: string, remoteAddress = '127.0.0.1') => {
      const { call } = await start(t, { config: { noauth: true, ...config } })
      return (await call('POST', '/api/login', { headers: { host }, remoteAddress })).statusCode
    }
    const own = ['localhost', 'localhost:8080', '127.0.0.1', '127.1.2.3:80', '[::1]:8080', 'files.localhost']
    for (const host of own) t.equal(await enter({}, host), 200, host)
    const foreign = [
      'evil.test',
      '127.0.0.1.evil.test',
      'localhost.evil.test:8080',
      'evil-localhost',
      '10.0.0.1',
      '[::1].evil.test',
      'localhost@evil.test',
      '[::2]',
    ]
    for (const host of foreign) t.equal(await enter({}, host), 403, host)
    const nameless = await start(t, { config: { noauth: true } })
    const wire = await dial(t, await listen(nameless.app))
    wire.socket.write('POST /api/login HTTP/1.1\r\nHost:\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    t.match(await wire.closed(), /^HTTP\/1\.1 4\d\d /, 'an empty host name is refused as well')
    t.equal(await enter({ trustedProxy: ['127.0.0.1'] }, 'files.test'), 200, 'a request by a trusted proxy')
    t.equal(await enter({ trustedProxy: ['10.0.0.1'] }, 'files.test'), 403)
    t.equal(
      await enter({ address: '0.0.0.0' }, 'nas.test'),
      200,
      'a server that listens on a network may have any host name',
    )
  },
)

row('K08 CVE-2026-54562 the server fetches nothing from addresses inside its network', async (t) => {
  const json = { url: `http://127.0.0.1:${target.port}/health`, callback: 'file:///etc/passwd' }
  for (const call of [
    'fetch',
    'remote',
    'office/callback',
    'onlyoffice/callback',
    'wopi/files/1',
    'import',
  ]) {
    for (const method of ['GET', 'POST'])
      isRefused(t, await ask('admin', method, `/api/${call}`, { json }), [404])
  }
  const webhook = { ...json, enabled: true }
  isRefused(t, await ask('admin', 'PUT', '/api/webhook', { json: webhook }), [400])
})

row('K11 responses for one user are never cached for others', async (t) => {
  const urls = [
    '/api/resources/',
    '/api/raw/pub.txt',
    '/api/users/1',
    '/api/settings',
    '/api/shares',
    '/api/sessions',
  ]
  for (const url of urls) {
    const { headers } = await ask('admin', 'GET', url.replace('/pub', '/alice/pub'))
    t.match(headers['cache-control'], /private|no-store/, url)
    t.notMatch(headers['cache-control'], /public/, url)
  }
  const signIn = await ask('', 'POST', '/api/login', { json: { username: 'bob', password } })
  t.match(signIn.headers['cache-control'], /no-store/)
  const { etag = '' } = (await ask('alice', 'GET', '/api/raw/pub.txt')).headers
  isRefused(t, await ask('nodl', 'GET', '/api/raw/pub.txt', { headers: { 'if-none-match': etag } }), [403])
  isRefused(t, await ask('', 'GET', '/api/raw/pub.txt', { headers: { 'if-none-match': etag } }), [401])
})

row('K12 unexpected methods do nothing, and HEAD needs the same permissions as GET', async (t) => {
  const before = target.manifest('alice')
  for (const method of ['TRACE', 'PROPFIND', 'MKCOL', 'MOVE', 'COPY', 'LOCK', 'SEARCH', 'PURGE', 'OPTIONS']) {
    for (const url of ['/', '/api/resources/pub.txt', '/api/users', '/static/x', '/health']) {
      isRefused(t, await ask('alice', method, url), [400, 404, 405, 501])
    }
  }
  for (const url of ['/static/x', '/', '/files/pub.txt']) {
    for (const method of ['PATCH', 'PUT', 'DELETE', 'POST'])
      isRefused(t, await ask('alice', method, url), [404, 405])
  }
  for (const url of [
    '/api/raw/pub.txt',
    '/api/resources/',
    '/api/users',
    '/api/settings',
    '/api/shares',
    '/api/sessions',
  ]) {
    isRefused(t, await ask('', 'HEAD', url), [401, 404, 405])
  }
  for (const url of ['/api/users', '/api/settings'])
    isRefused(t, await ask('alice', 'HEAD', url), [403, 404, 405])
  for (const line of ['OPTIONS *', 'CONNECT evil.test:443', 'PRI *']) {
    t.match(
      await raw(t, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`).catch(String),
      /^(HTTP\/1\.1 (400|404|405|501)|$)/,
      line,
    )
  }
  t.match(await raw(t, 'GET /api/settings HTTP/1.0\r\n\r\n'), /^HTTP\/1\.[01] 401 /)
  const h2c =
    'GET /api/settings HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n'
  const wire = await raw(t, h2c.replace('Upgrade, ', 'close, Upgrade, '))
  t.match(wire, /^HTTP\/1\.1 401 /)
  t.strictSame(target.manifest('alice'), before)
})

row('L01 CVE-2026-7120 static files are served from a fixed list of names only', async (t) => {
  const urls = [
    '//x',
    '/./x',
    '/a/../b',
    '/%2e%2e/%2e%2e/package.json',
    '/a%2Fb',
    '/',
    '',
    '/../package.json',
    '/%00',
    '/__proto__',
  ]
  for (const url of urls) {
    for (const start of ['/static', '/STATIC']) {
      const response = await ask('', 'GET', start + url)
      t.notOk(response.headers.location)
      const isPage = String(response.headers['content-type']).startsWith('text/html')
      if (!isPage) isRefused(t, response, [400, 404])
    }
  }
})

row(
  'L02 L03 CVE-2025-32442 a body is validated whatever its content type, and its values are never coerced',
  async (t) => {
    const kinds = [
      'application/json',
      'application/json\ta',
      'APPLICATION/JSON ;charset=utf-8',
      'application/json garbage',
      'application/vnd.x+json',
      'text/plain',
      'x',
    ]
    const id = idOf('alice')
    const user = (data: object) => ({ what: 'user', which: ['perm'], data: { id, ...data } })
    const bad: [method: string, url: string, json: unknown][] = [
      ['PUT', '/api/settings', { signup: 'true' }],
      ['PUT', '/api/settings', { signup: 1 }],
      ['PUT', '/api/settings', { minimumPasswordLength: '1' }],
      ['PUT', '/api/settings', { minimumPasswordLength: -1 }],
      ['PUT', '/api/settings', { tus: { retryCount: -1 } }],
      ['PUT', '/api/settings', { branding: null }],
      ['PUT', `/api/users/${id}`, user({ perm: { admin: 'true' } })],
      ['PUT', `/api/users/${id}`, user({ perm: { admin: 1 } })],
      ['PUT', `/api/users/${id}`, user({ perm: null })],
      ['PUT', `/api/users/${id}`, { ...user({ perm: {} }), data: { id: String(id), perm: {} } }],
      ['POST', '/api/users', { what: 'user', data: { username: 1, password } }],
      ['POST', '/api/share/alice', { password: 1 }],
      ['POST', '/api/share/alice', { expires: { $gt: 0 } }],
      ['POST', '/api/ticket', { action: ['raw'], path: '/' }],
    ]
    const before = structuredClone(document.data)
    for (const type of kinds) {
      for (const [method, url, json] of bad) {
        isRefused(t, await ask('admin', method, url, { json, headers: { 'content-type': type } }), [400, 415])
      }
    }
    t.strictSame(document.data, before)
    t.equal(
      (await ask('alice', 'GET', '/api/resources/', { headers: { 'accept-version': 'x' } })).status,
      200,
    )
  },
)
