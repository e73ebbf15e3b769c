import { chmodSync, existsSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Compile } from 'typebox/compile'
import { FileView, Listing } from '#contract/resources.ts'
import { hostileNames } from '#src/testing/names.ts'
import { start } from '#src/testing/start.ts'
import { writer } from '#src/testing/writer.ts'

const listing = Compile(Listing)
const view = Compile(FileView)

t.test('a folder is returned with its items in the shape of the contract', async (t) => {
  const { ask } = await writer(t, { 'a.txt': 'text', dir: { sub: {} }, 'b.mp4': '' })
  const reply = await ask('GET', '/api/resources/')
  t.match(reply.headers, { 'content-type': 'application/json; charset=utf-8', 'cache-control': /no-store/ })
  const body = reply.json()
  t.ok(listing.Check(body), JSON.stringify([...listing.Errors(body)][0]))
  t.match(body, { kind: 'listing', path: '/', name: '', url: '/files/', isDir: true, type: '' })
  t.match(body, { numDirs: 1, numFiles: 2, sorting: { by: 'name', asc: false } })
  t.strictSame(
    body.items.map(({ index, name, url }: Record<string, unknown>) => [index, name, url]),
    [
      [0, 'dir', '/files/dir/'],
      [1, 'a.txt', '/files/a.txt'],
      [2, 'b.mp4', '/files/b.mp4'],
    ],
  )
  t.strictSame((await ask('GET', '/api/resources/dir/sub')).json().items, [])
  t.equal((await ask('GET', '/api/resources')).json().path, '/', 'also without a trailing slash')
})

t.test('a file is returned in the shape of the contract', async (t) => {
  const { ask } = await writer(t, { 'a.txt': 'text', 'empty.txt': '', 'b.bin': '\u0000', 'x.ts': 'let a' })
  const look = async (name: string) => {
    const reply = await ask('GET', `/api/resources/${name}`)
    const body = reply.json()
    t.ok(view.Check(body), JSON.stringify([...view.Errors(body)][0]))
    t.match(reply.headers.etag, /^"/)
    return body
  }
  t.match(await look('a.txt'), {
    kind: 'editor',
    name: 'a.txt',
    path: '/a.txt',
    url: '/files/a.txt',
    size: 4,
    extension: '.txt',
    isDir: false,
    type: 'text',
    content: 'text',
  })
  t.notOk('content' in (await look('empty.txt')), 'empty content is omitted')
  t.match(await look('b.bin'), { kind: 'preview', type: 'blob' })
  t.match(await look('x.ts'), { type: 'text' })
  t.match(await look('a.txt/'), { path: '/a.txt' }, 'a trailing slash changes nothing')
})

t.test('a text is read-only for a user who may not modify it', async (t) => {
  const { ask } = await writer(t, { 'a.txt': 'text' }, { modify: false })
  t.match((await ask('GET', '/api/resources/a.txt')).json(), { kind: 'editor', type: 'textImmutable' })
})

t.test('names with special characters stay unchanged', async (t) => {
  const { ask, root } = await writer(t, {})
  for (const name of hostileNames) {
    const url = `/api/resources/${encodeURIComponent(name)}`
    t.equal((await ask('POST', url, { payload: `content of ${name}` })).statusCode, 200, name)
    t.match((await ask('GET', url)).json(), { name, path: `/${name}` })
    t.equal((await ask('PUT', url, { payload: `new ${name}` })).statusCode, 200, name)
    t.equal((await ask('POST', `/api/resources/dir/${encodeURIComponent(name)}/`)).statusCode, 200, name)
  }
  t.strictSame(readdirSync(root).sort(), [...hostileNames, 'dir'].sort())
  t.strictSame(readdirSync(join(root, 'dir')).sort(), [...hostileNames].sort())
  const { items } = (await ask('GET', '/api/resources/')).json()
  for (const { url, path } of items) {
    t.equal(url.replace(/\/$/, ''), `/files${path.split('/').map(encodeURIComponent).join('/')}`)
    if (path !== '/dir')
      t.equal((await ask('GET', url.replace('/files', '/api/raw'))).body, `new ${path.slice(1)}`)
  }
})

t.test('rejects names that no disk can store with 400', async (t) => {
  const { send, root } = await writer(t, {})
  for (const name of ['a%00b', 'x'.repeat(256), `${'a/'.repeat(2500)}b`, '%ff']) {
    for (const method of ['POST', 'PUT', 'GET']) {
      t.equal((await send(method, name)).statusCode, 400, `${method} ${name.slice(0, 20)}`)
    }
  }
  t.strictSame(readdirSync(root), [])
})

t.test('POST creates a file and its missing folders; PUT saves or creates a file', async (t) => {
  const { send, onDisk, root } = await writer(t)
  const reply = await send('POST', 'x/y/z.txt', 'new')
  t.match(reply, { statusCode: 200, body: '200 OK\n', headers: { etag: /^"/ } })
  t.equal(onDisk('x/y/z.txt'), 'new')
  t.equal(statSync(join(root, 'x/y/z.txt')).mode & 0o777, 0o640)
  t.equal(statSync(join(root, 'x')).mode & 0o777, 0o750)
  t.equal((await send('PUT', 'x/y/z.txt', 'saved')).statusCode, 200)
  t.equal(onDisk('x/y/z.txt'), 'saved')
  t.equal((await send('PUT', 'fresh.txt', 'made')).statusCode, 200)
  t.equal(onDisk('fresh.txt'), 'made')
  t.equal((await send('POST', 'empty.txt')).statusCode, 200)
  t.equal(onDisk('empty.txt'), '')
})

t.test('a file keeps the date in X-OC-Mtime, also when it replaces another', async (t) => {
  const { send, root, onDisk } = await writer(t)
  const mtime = { 'x-oc-mtime': '1700000000.123' }
  for (const [method, path] of [
    ['POST', 'new.txt'],
    ['POST', 'a.txt?override=true'],
    ['PUT', 'new.txt'],
    ['PUT', 'other.txt'],
  ] as const) {
    t.equal((await send(method, path, 'x', mtime)).statusCode, 200)
    t.equal(statSync(join(root, path.split('?')[0] ?? '')).mtimeMs, 1_700_000_000_123, path)
  }
  t.equal((await send('POST', 'large.txt', 'x'.repeat(300_000), mtime)).statusCode, 200)
  t.equal(statSync(join(root, 'large.txt')).mtimeMs, 1_700_000_000_123)
  for (const wrong of ['', 'now', '-1', '99999999999999']) {
    t.equal((await send('POST', 'b.txt', 'x', { 'x-oc-mtime': wrong })).statusCode, 400, wrong)
    t.equal((await send('PUT', 'a.txt', 'y', { 'x-oc-mtime': wrong })).statusCode, 400, wrong)
  }
  t.equal(onDisk('a.txt'), 'x')
  t.notOk(existsSync(join(root, 'b.txt')))
})

t.test('an edited file keeps its mode', async (t) => {
  const { send, root } = await writer(t)
  chmodSync(join(root, 'a.txt'), 0o604)
  await send('PUT', 'a.txt', 'new')
  t.equal(statSync(join(root, 'a.txt')).mode & 0o777, 0o604)
})

t.test('writing to an existing path is 409 unless override is true', async (t) => {
  const { send, onDisk } = await writer(t, { 'a.txt': 'old', dir: {} })
  for (const query of ['', '?override=false', '?override=1', '?override=TRUE', '?override=']) {
    t.equal((await send('POST', `a.txt${query}`, 'new')).statusCode, 409, query)
  }
  t.equal(onDisk('a.txt'), 'old')
  t.equal((await send('POST', 'a.txt?override=true', 'new')).statusCode, 200)
  t.equal(onDisk('a.txt'), 'new')
  t.ok([405, 409].includes((await send('POST', 'dir', 'new')).statusCode), 'a folder is in the way')
  t.ok([405, 409].includes((await send('POST', 'dir?override=true', 'new')).statusCode))
  t.equal((await send('PUT', 'dir', 'new')).statusCode, 405)
  t.equal((await send('PUT', 'dir/', 'new')).statusCode, 405)
  t.equal((await send('PUT', 'new/', 'new')).statusCode, 405)
  t.equal((await send('PUT', '', 'new')).statusCode, 405)
  t.ok((await send('POST', 'a.txt/b.txt', 'new')).statusCode >= 400, 'a file has no entries')
  t.equal(onDisk('a.txt'), 'new')
})

t.test('a path that ends in a slash creates a folder; an existing folder is no error', async (t) => {
  const { send, root } = await writer(t)
  t.match(await send('POST', 'x/y/z/'), { statusCode: 200, body: '200 OK\n' })
  t.ok(statSync(join(root, 'x/y/z')).isDirectory())
  t.equal((await send('POST', 'x/y/')).statusCode, 200)
  t.equal((await send('POST', '')).statusCode, 200, 'the root exists')
  t.equal((await send('POST', 'a.txt/')).statusCode, 409, 'a file is in the way')
  t.equal((await send('POST', 'a.txt/b/')).statusCode, 409)
})

t.test('two editors cannot overwrite each other unknowingly', async (t) => {
  const { send, ask, onDisk, root } = await writer(t)
  const { etag = '' } = (await ask('GET', '/api/resources/a.txt')).headers
  t.equal((await ask('GET', '/api/raw/a.txt')).headers.etag, etag, 'raw and resources return the same etag')
  const first = await send('PUT', 'a.txt', 'first', { 'if-match': String(etag) })
  t.equal(first.statusCode, 200)
  t.not(first.headers.etag, etag)
  const second = await send('PUT', 'a.txt', 'second', { 'if-match': String(etag) })
  t.match(second, {
    statusCode: 412,
    body: '412 Precondition Failed (/a.txt has changed since you read it)\n',
  })
  t.equal(onDisk('a.txt'), 'first')
  t.equal((await send('PUT', 'a.txt', 'third', { 'if-match': String(first.headers.etag) })).statusCode, 200)
  t.equal((await send('PUT', 'a.txt', 'x', { 'if-none-match': '*' })).statusCode, 412)
  t.equal((await send('PUT', 'b/b.txt', 'x', { 'if-match': '*' })).statusCode, 412)
  t.notOk(existsSync(join(root, 'b')), 'no folder was created')
  t.equal((await send('PUT', 'b/b.txt', 'x', { 'if-none-match': '*' })).statusCode, 200)
  const then = 'Thu, 01 Jan 1970 00:00:00 GMT'
  t.equal((await send('PUT', 'a.txt', 'x', { 'if-unmodified-since': then })).statusCode, 412)
  const now = new Date(Date.now() + 60_000).toUTCString()
  t.equal((await send('POST', 'a.txt?override=true', 'x', { 'if-unmodified-since': now })).statusCode, 200)
})

t.test(
  'if several clients save with the same etag at once, one succeeds and the others get 412',
  async (t) => {
    const { send, ask, onDisk, root } = await writer(t)
    for (let round = 0; round < 10; round++) {
      const { etag = '' } = (await ask('GET', '/api/resources/a.txt')).headers
      const texts = Array.from({ length: 8 }, (_, n) => `${round} ${n} `.repeat(10_000))
      const replies = await Promise.all(
        texts.map((text) => send('PUT', 'a.txt', text, { 'if-match': String(etag) })),
      )
      const won = replies.flatMap(({ statusCode }, n) => (statusCode === 200 ? [n] : []))
      t.equal(won.length, 1)
      t.equal(onDisk('a.txt'), texts[won[0] ?? -1])
    }
    t.strictSame(readdirSync(root), ['a.txt'])
  },
)

t.test('rejects a part of a file with Content-Range', async (t) => {
  const { send, onDisk } = await writer(t)
  t.equal((await send('PUT', 'a.txt', 'new', { 'content-range': 'bytes 0-2/10' })).statusCode, 400)
  t.equal(onDisk('a.txt'), 'old')
})

t.test('stores a body as bytes, whatever its content type is', async (t) => {
  const { send, onDisk } = await writer(t)
  for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', 'image/png']) {
    t.equal((await send('PUT', 'a.txt', '{"broken', { 'content-type': type })).statusCode, 200, type)
    t.equal(onDisk('a.txt'), '{"broken')
  }
})

t.test('a broken symbolic link in the folder is reported as broken', async (t) => {
  const { as, root } = await start(t, { tree: {} })
  symlinkSync('gone.txt', join(root, 'broken'))
  const admin = await as('admin')
  const reply = await admin('GET', '/api/resources/broken')
  t.equal(reply.statusCode, 404)
  t.match(reply.body, /\/broken is a broken symbolic link/)
  t.equal((await admin('PUT', '/api/resources/broken', { payload: 'x' })).statusCode, 404)
  t.strictSame(readdirSync(root), ['broken'], 'nothing is written through it')
  t.equal((await admin('DELETE', '/api/resources/broken')).statusCode, 200)
})

t.test('isSymlink is true only if the last name of the path is a symbolic link', async (t) => {
  const { as, root } = await start(t, { tree: { d: { 'a.txt': 'a' } } })
  symlinkSync('d', join(root, 'to-d'))
  symlinkSync('d/a.txt', join(root, 'to-a'))
  const admin = await as('admin')
  for (const [path, isSymlink] of [
    ['', false],
    ['d', false],
    ['d/a.txt', false],
    ['to-d', true],
    ['to-d/', true],
    ['to-a', true],
    ['to-d/a.txt', false],
  ] as const) {
    t.equal((await admin('GET', `/api/resources/${path}`)).json().isSymlink, isSymlink, path)
  }
})
