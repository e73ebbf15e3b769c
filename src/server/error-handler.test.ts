import t from 'tap'
import { start } from '#src/testing/start.ts'
import { dial, exchange, listen } from '#src/testing/wire.ts'

const json = { accept: 'application/json' }

t.test('an error response is a line of text with status, reason and cause', async (t) => {
  const { as } = await start(t)
  const reply = await (await as('admin'))('GET', '/api/resources/no%20such.txt')
  t.equal(reply.statusCode, 404)
  t.equal(reply.body, '404 Not Found (/no such.txt does not exist)\n')
  t.match(reply.headers, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'x-request-id': /^[0-9a-f-]{36}$/,
  })
})

t.test('clients that prefer JSON get a problem document', async (t) => {
  const { as } = await start(t)
  const admin = await as('admin')
  const prefer = [
    'application/json',
    'application/problem+json',
    'application/json, text/plain, */*',
    'application/json;q=0.9, text/plain;q=0.5',
    'text/plain;q=0.5, application/json',
    'APPLICATION/JSON',
    '*/*;q=0.1, application/json',
  ]
  for (const accept of prefer) {
    const reply = await admin('GET', '/api/resources/a', { headers: { accept } })
    t.equal(reply.headers['content-type'], 'application/problem+json; charset=utf-8', accept)
    t.match(reply.json(), {
      status: 404,
      title: 'Not Found',
      code: 'path.unknown',
      detail: '/a does not exist',
    })
  }
  const others = [
    '',
    '*/*',
    'text/plain',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/plain, application/json',
    'application/json;q=0.1, text/plain',
    'application/json;q=0',
    'application/jsonp',
    ',;=',
  ]
  for (const accept of others) {
    const reply = await admin('GET', '/api/resources/a', { headers: { accept } })
    t.equal(reply.headers['content-type'], 'text/plain; charset=utf-8', String(accept))
  }
})

t.test('an unknown endpoint below /api returns 404 as an error, never the page', async (t) => {
  const { as, call } = await start(t)
  const admin = await as('admin')
  for (const url of [
    '/api',
    '/api/',
    '/api/nothing',
    '/api//resources/',
    '/api//x',
    '/api/resourcesx',
    '/api/users/1/',
    '/api/login/',
    '/api/raw%2Fa.txt',
    '/api/__proto__',
    '/api/constructor',
  ]) {
    for (const ask of [call, admin]) {
      const reply = await ask('GET', url)
      t.match(reply, { statusCode: 404, body: '404 Not Found (this endpoint does not exist)\n' }, url)
    }
    t.equal((await call('GET', url, { headers: json })).json().code, 'request.unknown', url)
  }
})

t.test('rejects other spellings of an endpoint', async (t) => {
  const { app, login } = await start(t, { tree: { 'a.txt': 'CANARY' } })
  const token = await login('admin')
  const port = await listen(app)
  for (const path of [
    '/API/users/1',
    '/Api/resources/',
    '/api%2Fusers%2F1',
    '/api%2fraw/a.txt',
    '//api/raw/a.txt',
    '///api/raw/a.txt',
    '/./api/raw/a.txt',
    '/x/../api/raw/a.txt',
    '/api/./raw/a.txt',
    '/api/x/../raw/a.txt',
    '/api/%2e/raw/a.txt',
    '/api\\raw\\a.txt',
    '/api;x/raw/a.txt',
    '/api/raw;x/a.txt',
    '/static/../api/raw/a.txt',
  ]) {
    for (const headers of [{}, { 'x-auth': token }]) {
      const reply = await exchange(port, 'GET', path, { headers })
      t.notMatch(reply.body, /CANARY|"username"/, path)
      t.notMatch(String(reply.headers['content-type']), /application\/json/, path)
    }
    const { status } = await exchange(port, 'DELETE', path, { headers: { 'x-auth': token } })
    t.ok([404, 405].includes(status), `DELETE ${path}: ${status}`)
  }
})

t.test('a wrong method on a known path returns 405 with the allowed methods', async (t) => {
  const { as, call } = await start(t)
  const admin = await as('admin')
  const cases = [
    ['GET', '/api/login', 'POST'],
    ['PUT', '/api/login?x=1', 'POST'],
    ['POST', '/api/users/1', /GET.*PUT.*HEAD/],
    ['POST', '/api/raw/a.txt', 'GET, HEAD'],
    ['OPTIONS', '/api/sessions', 'GET, DELETE, HEAD'],
    ['DELETE', '/health', 'GET, HEAD'],
    ['TRACE', '/api/renew', 'POST'],
    ['PROPFIND', '/api/renew', 'POST'],
    ['POST', '/api/openapi.json', 'GET, HEAD'],
  ] as const
  for (const [method, url, allow] of cases) {
    for (const ask of [call, admin]) {
      const reply = await ask(method, url)
      t.equal(reply.statusCode, 405, `${method} ${url}`)
      t.match(reply.headers.allow, allow, `${method} ${url}`)
    }
  }
})

t.test('ignores headers that request another method', async (t) => {
  const { as, call } = await start(t, { tree: { 'a.txt': 'a' } })
  const admin = await as('admin')
  for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
    const reply = await admin('GET', '/api/resources/a.txt', { headers: { [name]: 'DELETE' } })
    t.match(reply, { statusCode: 200 }, name)
  }
  for (const name of ['x-original-url', 'x-rewrite-url']) {
    t.equal((await call('GET', '/health', { headers: { [name]: '/api/users/1' } })).json().status, 'OK')
  }
})

t.test('a URL that is not UTF-8 returns 400 as an error', async (t) => {
  const { as } = await start(t)
  const admin = await as('admin')
  for (const name of ['%', '%zz', '%E0%A4%A', '%c0%ae', '%ff', '%ed%a0%80', 'a%00b']) {
    for (const noun of ['resources', 'raw']) {
      const reply = await admin('GET', `/api/${noun}/${name}`)
      t.match(reply, { statusCode: 400, body: /^400 Bad Request \(.+\)\n$/ }, name)
      t.match(reply.headers, { 'x-request-id': /./, 'x-content-type-options': 'nosniff' }, name)
    }
  }
})

t.test('rejects data that is not HTTP as an error and closes the connection', async (t) => {
  const { app } = await start(t)
  const port = await listen(app)
  const cases = [
    ['GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n', /^HTTP\/1.1 400 Bad Request\r\n/],
    ['GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n', /^HTTP\/1.1 400 [\s\S]*host: is there more than once/],
    [
      'PUT /api/resources/a.txt HTTP/1.1\r\nhOST: a\r\nA: b\r\nHost: b\r\nContent-Length: 1\r\n\r\nx',
      /^HTTP\/1.1 400/,
    ],
    [
      'GET /api/command/ HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      /^HTTP\/1.1 400/,
    ],
    ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', /^HTTP\/1.1 400/],
    [
      'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
      /^HTTP\/1.1 400/,
    ],
    ['POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n', /^HTTP\/1.1 400/],
    ['GET / HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400/],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1.1 431/],
    ['<script>\r\n\r\n', /^HTTP\/1\.1 400 [\s\S]*\r\nX-Content-Type-Options: nosniff\r\n/],
  ] as const
  for (const [bytes, expected] of cases) {
    const wire = await dial(t, port)
    wire.socket.write(bytes)
    const seen = await wire.closed()
    t.match(seen, expected, bytes.slice(0, 60))
    t.match(seen, /text\/plain|^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\n/, bytes.slice(0, 60))
    t.notMatch(seen, /"error"|stack|node|script/i)
  }
})

t.test('errors never contain paths of the host', async (t) => {
  const tree = {
    'a.txt': 'a',
    dir: { sub: {} },
    link: t.fixture('symlink', '/etc'),
    dangling: t.fixture('symlink', 'x'),
  }
  const { as, base, document } = await start(t, { tree, people: { lost: { scope: '/a.txt' } } })
  await document.update((draft) => {
    draft.settings.rules = [{ allow: false, path: '/dir/sub', regex: false, regexp: null }]
  })
  const admin = await as('admin')
  const paths = [
    'nothing',
    'a.txt/b',
    'link',
    'link/passwd',
    'dangling',
    'dir',
    'dir/sub',
    'x'.repeat(256),
    '%00',
  ]
  const urls = paths.flatMap((path) => [`/api/resources/${path}`, `/api/raw/${path}`])
  const requests = urls.flatMap((url) => ['GET', 'PUT', 'POST'].map((method) => ({ method, url })))
  let refused = 0
  for (const { method, url } of requests) {
    for (const headers of [{}, json]) {
      const reply = await admin(method, url, { headers, payload: '' })
      if (reply.statusCode >= 400) refused++
      t.ok(reply.statusCode < 500, `${method} ${url}: ${reply.body}`)
      t.notOk(JSON.stringify([reply.headers, reply.body]).includes(base), `${method} ${url}`)
      t.notMatch(reply.body, /\bat .+:\d+:\d+|node:|\/proc\//)
    }
  }
  t.ok(refused > 50)
})

t.test('a bug returns 500 without its message, which only the log contains', async (t) => {
  const { as, services } = await start(t)
  const admin = await as('admin')
  services.entries.view = async () => {
    throw new Error('SECRET at /home/someone')
  }
  const reply = await admin('GET', '/api/resources/')
  t.match(reply, {
    statusCode: 500,
    body: '500 Internal Server Error (the server failed; see the log for details)\n',
  })
})
