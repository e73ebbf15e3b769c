import { rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hostileNames } from '#src/testing/names.ts'
import { start } from '#src/testing/start.ts'
import { dial, exchange, listen, openDescriptors, until } from '#src/testing/wire.ts'

const digits = '0123456789'

async function reader(t: Test, tree: Parameters<Test['testdir']>[0] = { 'a.txt': digits }) {
  const started = await start(t, { tree })
  const admin = await started.as('admin')
  const get = (url: string, headers: Record<string, string> = {}) => admin('GET', url, { headers })
  return { ...started, admin, get }
}

t.test('a file is sent completely, as a download under its own name', async (t) => {
  const { get } = await reader(t)
  t.match(await get('/api/raw/a.txt'), {
    statusCode: 200,
    body: digits,
    headers: {
      'content-length': '10',
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="a.txt"; filename*=utf-8''a.txt`,
      'accept-ranges': 'bytes',
      etag: /^"[\w-]+"$/,
      'last-modified': / GMT$/,
      'cache-control': /private/,
      'x-content-type-options': 'nosniff',
      'x-request-id': /./,
    },
  })
})

t.test(
  'a file that was sent just now is sent in its current state, also when it was replaced or deleted',
  async (t) => {
    const { get, root } = await reader(t)
    const file = join(root, 'a.txt')
    const etags = new Set<unknown>()
    for (const content of [digits, digits, 'abcdefghij', 'abcdefghij', 'shorter', '']) {
      if (content !== digits) writeFileSync(file, content)
      const { body, headers } = await get('/api/raw/a.txt')
      t.equal(body, content)
      t.equal(headers['content-length'], String(content.length))
      etags.add(headers.etag)
    }
    t.ok(etags.size >= 4)
    t.match(await get('/api/raw/a.txt', { range: 'bytes=0-' }), { statusCode: 200, body: '' })
    rmSync(file)
    t.match(await get('/api/raw/a.txt'), { statusCode: 404 })
  },
)

t.test('an uploaded file cannot run scripts in the origin of Coffer', async (t) => {
  const { get } = await reader(t, {
    'x.html': '<script>alert(1)</script>',
    'x.svg': '<svg/>',
    'x.xml': '<x/>',
  })
  for (const name of ['x.html', 'x.svg', 'x.xml']) {
    for (const query of ['', '?inline=true']) {
      const policy = String((await get(`/api/raw/${name}${query}`)).headers['content-security-policy'])
      t.match(policy, /^sandbox; default-src 'none'/)
      t.notMatch(policy, /script-src|allow-scripts|allow-same-origin/)
    }
  }
})

t.test('a file is shown inline only if inline is "true"', async (t) => {
  const { get } = await reader(t)
  const kind = async (query: string) =>
    String((await get(`/api/raw/a.txt?${query}`)).headers['content-disposition']).split(';')[0]
  t.equal(await kind('inline=true'), 'inline')
  for (const query of ['inline=false', 'inline=1', 'inline=TRUE', 'inline=', 'inline', '']) {
    t.equal(await kind(query), 'attachment', query)
  }
})

t.test(
  'special characters in names are encoded in the header, and each name leads to its own file',
  async (t) => {
    const tree = Object.fromEntries(hostileNames.map((name) => [name, `content of ${name}`]))
    const { get } = await reader(t, tree)
    for (const name of hostileNames) {
      const reply = await get(`/api/raw/${encodeURIComponent(name)}`)
      t.match(reply, { statusCode: 200, body: `content of ${name}` }, name)
      const [, encoded = ''] =
        /^attachment; filename="[ !#$&-.0-[\]-~]+"; filename\*=utf-8''([\w.%!#$&+^`|~-]+)$/.exec(
          String(reply.headers['content-disposition']),
        ) ?? []
      t.equal(decodeURIComponent(encoded), name)
    }
  },
)

t.test('supports byte ranges', async (t) => {
  const { get } = await reader(t)
  const part = async (range: string) => {
    const { statusCode, headers, body } = await get('/api/raw/a.txt', { range })
    return [statusCode, headers['content-range'], headers['content-length'], body]
  }
  t.strictSame(await part('bytes=0-3'), [206, 'bytes 0-3/10', '4', '0123'])
  t.strictSame(await part('bytes=4-'), [206, 'bytes 4-9/10', '6', '456789'])
  t.strictSame(await part('bytes=-3'), [206, 'bytes 7-9/10', '3', '789'])
  t.strictSame(await part('bytes=-100'), [206, 'bytes 0-9/10', '10', digits])
  t.strictSame(await part('bytes=0-0'), [206, 'bytes 0-0/10', '1', '0'])
  t.strictSame(await part('bytes=9-9'), [206, 'bytes 9-9/10', '1', '9'])
  t.strictSame(await part('bytes=5-100'), [206, 'bytes 5-9/10', '5', '56789'])
  t.strictSame(await part('bytes=0-99999999999999999999'), [206, 'bytes 0-9/10', '10', digits])
  t.strictSame(await part('BYTES= 0-3 '), [206, 'bytes 0-3/10', '4', '0123'])
  t.strictSame(
    await part('bytes=0-3,4-6'),
    [206, 'bytes 0-6/10', '7', '0123456'],
    'adjacent ranges are merged',
  )
  for (const range of ['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-']) {
    const reply = await get('/api/raw/a.txt', { range })
    t.match(reply, { statusCode: 416, headers: { 'content-range': 'bytes */10' } }, range)
    t.match(reply.body, /^416 Range Not Satisfiable/)
  }
  for (const range of [
    'bytes=3-2',
    'bytes=a-b',
    'bytes=',
    'bytes=-',
    'bytes=1',
    'lines=0-3',
    '0-3',
    'bytes=--1',
  ]) {
    t.strictSame(await part(range), [200, undefined, '10', digits], `${range} is ignored`)
  }
})

t.test('several ranges are sent as multipart, with never more bytes than the file has', async (t) => {
  const { get } = await reader(t)
  const reply = await get('/api/raw/a.txt', { range: 'bytes=0-1,5-6,-1' })
  t.equal(reply.statusCode, 206)
  const [, boundary] =
    /^multipart\/byteranges; boundary=(\w+)$/.exec(String(reply.headers['content-type'])) ?? []
  const part = (range: string, body: string) =>
    `--${boundary}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes ${range}/10\r\n\r\n${body}\r\n`
  t.equal(reply.body, `${part('0-1', '01')}${part('5-6', '56')}${part('9-9', '9')}--${boundary}--\r\n`)
  t.equal(Number(reply.headers['content-length']), reply.body.length)
  t.match(await get('/api/raw/a.txt', { range: 'bytes=0-1,20-30' }), { statusCode: 206, body: '01' })
  for (const range of ['bytes=0-5,7-9,0-5,7-9', Array(40).fill('0-0').join().replace(/^/, 'bytes=')]) {
    t.match(await get('/api/raw/a.txt', { range }), { statusCode: 200, body: digits }, range)
  }
})

t.test('a range applies only if the If-Range condition matches the current file', async (t) => {
  const { get } = await reader(t)
  const { etag, 'last-modified': modified } = (await get('/api/raw/a.txt')).headers
  const range = 'bytes=0-3'
  const status = async (condition: string) =>
    (await get('/api/raw/a.txt', { range, 'if-range': condition })).statusCode
  t.equal(await status(String(etag)), 206)
  t.equal(await status(String(modified)), 206)
  for (const condition of ['"other"', `W/${etag}`, 'Thu, 01 Jan 1970 00:00:00 GMT', 'garbage', '']) {
    if (condition) t.equal(await status(condition), 200, condition)
  }
})

t.test('sends 304 only if the client has the current file', async (t) => {
  const { get } = await reader(t)
  const { etag = '', 'last-modified': modified = '' } = (await get('/api/raw/a.txt')).headers
  const status = async (headers: Record<string, string>) => (await get('/api/raw/a.txt', headers)).statusCode
  for (const known of [`${etag}`, `W/${etag}`, `"x", ${etag}`, '*']) {
    const reply = await get('/api/raw/a.txt', { 'if-none-match': known })
    t.match(reply, { statusCode: 304, body: '', headers: { etag } }, known)
  }
  t.equal(await status({ 'if-none-match': '"x"' }), 200)
  t.equal(await status({ 'if-modified-since': String(modified) }), 304)
  t.equal(await status({ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }), 200)
  const later = new Date(Date.parse(String(modified)) + 60_000).toUTCString()
  t.equal(await status({ 'if-modified-since': later }), 200, 'it was replaced by a file with an earlier date')
  t.equal(await status({ 'if-modified-since': 'garbage' }), 200, 'an invalid date is ignored')
  t.equal(await status({ 'if-none-match': '"x"', 'if-modified-since': String(modified) }), 200)
})

t.test('HEAD returns the same headers without the body', async (t) => {
  const { admin, get } = await reader(t)
  const head = await admin('HEAD', '/api/raw/a.txt')
  const { date: _, 'x-request-id': __, connection: ___, ...same } = (await get('/api/raw/a.txt')).headers
  t.match(head, { statusCode: 200, body: '', headers: same })
  t.equal((await admin('HEAD', '/api/raw/none')).statusCode, 404)
})

t.test('an empty file has an empty body, also when a range of it is requested', async (t) => {
  const { get } = await reader(t, { 'empty.txt': '' })
  t.match(await get('/api/raw/empty.txt'), { statusCode: 200, body: '', headers: { 'content-length': '0' } })
  for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=5-', 'bytes=-5']) {
    const reply = await get('/api/raw/empty.txt', { range })
    t.match(reply, { statusCode: 200, body: '', headers: { 'content-length': '0' } }, range)
  }
})

t.test('without the permission to download, the bytes are 403, also for HEAD and ranges', async (t) => {
  const { as } = await start(t, {
    tree: { 'a.txt': digits },
    people: { nodl: { perm: { download: false, modify: false } } },
  })
  const nodl = await as('nodl')
  for (const method of ['GET', 'HEAD']) {
    for (const headers of [{}, { range: 'bytes=0-3' }, { 'if-none-match': '*' }, { 'x-encoding': 'true' }]) {
      const reply = await nodl(method, '/api/raw/a.txt?inline=true', { headers })
      t.equal(reply.statusCode, 403)
      t.notOk(reply.headers.etag)
    }
  }
  const { content } = (await nodl('GET', '/api/resources/a.txt')).json()
  t.equal(content, undefined, 'the text is not in the details either')
})

t.test('no spelling of a path leaves the scope or evades a rule', async (t) => {
  const tree = { mine: { 'a.txt': 'MINE', private: { 's.txt': 'CANARY' } }, 'theirs.txt': 'CANARY' }
  const { app, login, document } = await start(t, { tree, people: { alice: { scope: '/mine' } } })
  await document.update((draft) => {
    draft.settings.rules = [{ allow: false, path: '/private', regex: false, regexp: null }]
  })
  const headers = { 'x-auth': await login('alice') }
  const port = await listen(app)
  t.equal((await exchange(port, 'GET', '/api/raw/a.txt', { headers })).body, 'MINE')
  for (const path of [
    '../theirs.txt',
    '..%2ftheirs.txt',
    '%2e%2e/theirs.txt',
    '%2e%2e%2ftheirs.txt',
    '%252e%252e%252ftheirs.txt',
    '..%5ctheirs.txt',
    '..\\theirs.txt',
    '....//theirs.txt',
    'x/../../theirs.txt',
    '/../theirs.txt',
    '%c0%ae%c0%ae/theirs.txt',
    '..;/theirs.txt',
    'private/s.txt',
    '/private/s.txt',
    '//private/s.txt',
    './private/s.txt',
    'x/../private/s.txt',
    'private//s.txt',
    'private/./s.txt',
    '%70rivate/s.txt',
    'private%2fs.txt',
    'private/s.txt/',
    'PRIVATE/s.txt',
    'private/s.txt?x=/a.txt',
    'private/s.txt#/a.txt',
  ]) {
    for (const noun of ['raw', 'resources']) {
      const { status, body } = await exchange(port, 'GET', `/api/${noun}/${path}`, { headers })
      t.notMatch(body, /CANARY/, `${noun} ${path}`)
      t.ok(status >= 400 && status < 500, `${noun} ${path}: ${status}`)
    }
  }
})

t.test('a client that disconnects during a download leaves no open descriptors', async (t) => {
  const { app, root, login } = await start(t)
  writeFileSync(join(root, 'large.bin'), '')
  truncateSync(join(root, 'large.bin'), 2 ** 30)
  const token = await login('admin')
  const port = await listen(app)
  const before = await openDescriptors()
  for (let n = 0; n < 5; n++) {
    const wire = await dial(t, port)
    wire.socket.write(`GET /api/raw/large.bin HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n\r\n`)
    await wire.until(/Content-Length: 1073741824/i)
    wire.socket.pause()
    if (n % 2) wire.socket.destroy()
    else wire.socket.resetAndDestroy()
  }
  await until(async () => (await openDescriptors()) <= before)
  t.equal((await exchange(port, 'GET', '/health')).status, 200)
})

t.test(
  'a download is aborted if the file becomes shorter, so that a part is not treated as the whole',
  async (t) => {
    const { app, root, login } = await start(t)
    const file = join(root, 'large.bin')
    writeFileSync(file, '')
    truncateSync(file, 2 ** 28)
    const token = await login('admin')
    const wire = await dial(t, await listen(app))
    wire.socket.write(`GET /api/raw/large.bin HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n\r\n`)
    await wire.until(/\r\n\r\n/)
    wire.socket.pause()
    truncateSync(file, 10)
    wire.socket.resume()
    const seen = await wire.closed()
    t.ok(seen.length < 2 ** 28)
  },
)

t.test('the etag changes with every change of the file', async (t) => {
  const { get, root } = await reader(t)
  const etag = async () => (await get('/api/raw/a.txt')).headers.etag
  const seen = new Set([await etag()])
  writeFileSync(join(root, 'a.txt'), '9876543210')
  utimesSync(join(root, 'a.txt'), 1, 1)
  seen.add(await etag())
  writeFileSync(join(root, 'a.txt'), '98765432101')
  utimesSync(join(root, 'a.txt'), 1, 1)
  seen.add(await etag())
  t.equal(seen.size, 3)
})
