import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Config } from '#src/config/config.ts'
import { serve, signIn } from '#src/testing/program.ts'
import { type Person, password, start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { dial, exchange, listen, until } from '#src/testing/wire.ts'
import { temporaries } from '#src/testing/writer.ts'

const all = { create: true, modify: true, delete: true, rename: true }
const type = 'application/offset+octet-stream'

interface Headers {
  [name: string]: string | undefined
}

/** Starts an instance with ann and bob. Returns the four upload requests as ann, and as bob. */
async function open(
  t: Test,
  {
    tree = {},
    perm = {},
    config = {},
  }: { tree?: object; perm?: Person['perm']; config?: Partial<Config> } = {},
) {
  const made = await start(t, {
    tree: tree as never,
    people: { ann: { perm: { ...all, ...perm } }, bob: { perm: all } },
    config,
  })
  const ask = await made.as('ann')
  const bob = await made.as('bob')
  const callsOf = (ask: typeof bob) => ({
    begin: (path: string, length: number | string | undefined, headers: Headers = {}) =>
      ask('POST', `/api/tus/${path}`, {
        headers: { ...(length !== undefined && { 'upload-length': String(length) }), ...headers },
      }),
    head: (path: string, headers: Headers = {}) => ask('HEAD', `/api/tus/${path}`, { headers }),
    send: (path: string, offset: number | string, payload: string | Buffer = '', headers: Headers = {}) =>
      ask('PATCH', `/api/tus/${path}`, {
        payload,
        headers: { 'content-type': type, 'upload-offset': String(offset), ...headers },
      }),
    cancel: (path: string, headers: Headers = {}) => ask('DELETE', `/api/tus/${path}`, { headers }),
  })
  const onDisk = (name: string) => readFileSync(join(made.root, name), 'utf8')
  const permit = (perm: Person['perm']) =>
    made.document.update((draft) => {
      const ann = Object.values(draft.users).find(({ username }) => username === 'ann')
      Object.assign(ann?.perm ?? {}, perm)
    })
  /** The requests of another session of ann. */
  const anotherSession = async () => callsOf(await made.as('ann'))
  return { ...made, ask, ...callsOf(ask), bob: callsOf(bob), anotherSession, onDisk, permit }
}

/** Sends a PATCH request of which only `sent` has arrived, in a session of its own: only the id names the upload. */
async function half(
  t: Test,
  made: Pick<Awaited<ReturnType<typeof open>>, 'app' | 'login' | 'head'>,
  { path, length, sent }: { path: string; length: number | 'chunked'; sent: string },
) {
  const port = (made.app.server.address() as { port: number } | null)?.port ?? (await listen(made.app))
  const wire = await dial(t, port)
  const id = (await made.head(path)).headers['upload-id']
  const head = [
    `PATCH /api/tus/${path} HTTP/1.1`,
    'Host: x',
    `X-Auth: ${await made.login('ann')}`,
    `Content-Type: ${type}`,
    'Upload-Offset: 0',
    `Upload-Id: ${id}`,
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
  ]
  wire.socket.write(`${head.join('\r\n')}\r\n\r\n${sent}`)
  return wire
}

/** Waits until the temporary file in the folder has this many bytes. */
const untilHolds = (folder: string, bytes: number) =>
  until(() => temporaries(folder).some((name) => readFileSync(join(folder, name)).length >= bytes))

t.test('a file is uploaded in pieces and appears after its last byte', async (t) => {
  const { begin, head, send, ask, root, onDisk } = await open(t)
  const begun = await begin('new/a%20%23b.txt', 10)
  t.match(begun, {
    statusCode: 201,
    headers: { location: '/api/tus/new/a%20%23b.txt', 'upload-offset': '0' },
  })
  t.match(await head('new/a%20%23b.txt'), {
    statusCode: 200,
    body: '',
    headers: { 'upload-offset': '0', 'upload-length': '10', 'cache-control': 'no-store' },
  })
  t.match(await send('new/a%20%23b.txt', 0, 'hello'), { statusCode: 204, headers: { 'upload-offset': '5' } })
  t.match((await head('new/a%20%23b.txt')).headers, { 'upload-offset': '5' })
  t.strictSame(
    (await ask('GET', '/api/resources/new/')).json().items,
    [],
    'the unfinished file is not visible',
  )
  t.equal(temporaries(join(root, 'new')).length, 1)
  const last = await send('new/a%20%23b.txt', 5, 'world')
  t.match(last, { statusCode: 204, headers: { 'upload-offset': '10', etag: /^"/ } })
  t.equal(onDisk('new/a #b.txt'), 'helloworld')
  t.equal((await ask('GET', '/api/resources/new/a%20%23b.txt')).headers.etag, last.headers.etag)
  t.strictSame(readdirSync(join(root, 'new')), ['a #b.txt'])
  t.equal((await head('new/a%20%23b.txt')).statusCode, 404)
})

t.test('the location of an upload is below the base path and contains no host', async (t) => {
  const { call, login } = await open(t, { config: { baseUrl: '/sub/path' } })
  const headers = { 'x-auth': await login('ann'), 'upload-length': '3', host: 'evil.test' }
  const reply = await call('POST', '/sub/path/api/tus/a.txt?override=true', { headers })
  t.equal(reply.headers.location, '/sub/path/api/tus/a.txt')
})

t.test('an empty file exists as soon as its upload starts', async (t) => {
  const { begin, onDisk, root } = await open(t)
  t.equal((await begin('empty.txt', 0)).statusCode, 201)
  t.equal(onDisk('empty.txt'), '')
  t.strictSame(readdirSync(root), ['empty.txt'])
})

t.test('invalid requests are refused with their own status and change nothing', async (t) => {
  const { begin, head, send, cancel, ask, root, onDisk } = await open(t, {
    tree: { 'a.txt': 'old', folder: {} },
    config: { maxUpload: 100 },
  })
  for (const length of [undefined, '', '-1', '1e3', 'ten', '1.5', '99999999999999999999']) {
    t.equal((await begin('a.txt?override=true', length)).statusCode, 400, String(length))
  }
  for (const path of ['folder', 'folder?override=true', 'folder/', '', '?override=true']) {
    t.equal((await begin(path, 5)).statusCode, 400, path)
  }
  t.equal((await begin('a.txt', 5)).statusCode, 409)
  t.equal((await begin('a.txt?override=false', 5)).statusCode, 409)
  t.equal((await begin('b.txt', 101)).statusCode, 413)
  t.equal((await begin('a.txt/b.txt', 5)).statusCode, 409)
  t.equal((await head('a.txt')).statusCode, 404)
  t.equal((await send('a.txt', 0, 'x')).statusCode, 404, 'an upload that was never started')
  t.equal((await cancel('a.txt')).statusCode, 404)
  t.strictSame(readdirSync(root).sort(), ['a.txt', 'folder'])
  t.equal((await begin('b.txt', 5)).statusCode, 201)
  t.equal((await send('b.txt', 0, 'x', { 'content-type': 'text/plain' })).statusCode, 415)
  for (const offset of ['', '-1', 'x', '6'])
    t.equal((await send('b.txt', offset, 'x')).statusCode, 400, offset)
  const wrong = await send('b.txt', 1, 'x', { accept: 'application/json' })
  t.match(wrong.json(), { status: 409, code: 'upload.offset', details: { offset: 0 } })
  t.equal((await ask('PUT', '/api/tus/b.txt')).statusCode, 405)
  t.equal((await head('b.txt')).headers['upload-offset'], '0')
  t.equal(onDisk('a.txt'), 'old')
})

t.test('refuses more bytes than announced and keeps none of them', async (t) => {
  const made = await open(t)
  const { begin, head, send, root, onDisk } = made
  await begin('a.bin', 5)
  t.equal((await send('a.bin', 0, Buffer.alloc(100_000))).statusCode, 413)
  t.equal((await head('a.bin')).headers['upload-offset'], '0')
  t.equal((await send('a.bin', 0, 'ab')).statusCode, 204)
  const wire = await dial(t, await listen(made.app))
  const idOf = async (path: string) => String((await head(path)).headers['upload-id'])
  const id = await idOf('a.bin')
  const chunked = `PATCH /api/tus/a.bin HTTP/1.1\r\nHost: x\r\nX-Auth: ${await made.login('ann')}\r\nContent-Type: ${type}\r\nUpload-Offset: 2\r\nUpload-Id: ${id}\r\nTransfer-Encoding: chunked\r\n\r\n`
  wire.socket.write(`${chunked}3\r\ncde\r\n4\r\nmore\r\n0\r\n\r\n`)
  await wire.until(/^HTTP\/1.1 413/)
  t.equal((await head('a.bin')).headers['upload-offset'], '2')
  t.equal(readFileSync(join(root, temporaries(root)[0] ?? '')).length, 2)
  const large = await dial(t, (made.app.server.address() as { port: number }).port)
  await begin('b.bin', 150_000)
  const toB = chunked.replace('a.bin', 'b.bin').replace(id, await idOf('b.bin'))
  large.socket.write(toB.replace('Upload-Offset: 2', 'Upload-Offset: 0'))
  large.socket.write(`${(140_000).toString(16)}\r\n${'x'.repeat(140_000)}\r\n`)
  await until(() => temporaries(root).some((name) => readFileSync(join(root, name)).length > 60_000))
  large.socket.write(`${(20_000).toString(16)}\r\n${'x'.repeat(20_000)}\r\n0\r\n\r\n`)
  await large.until(/^HTTP\/1.1 413/)
  t.equal((await head('b.bin')).headers['upload-offset'], '0', 'bytes that were already written do not count')
  t.equal((await made.ask('DELETE', '/api/tus/b.bin')).statusCode, 204)
  t.equal((await send('a.bin', 2, 'cde')).statusCode, 204)
  t.equal(onDisk('a.bin'), 'abcde')
  t.equal((await send('a.bin', 5, 'f')).statusCode, 404)
})

t.test('accepts only one of several concurrent pieces', async (t) => {
  const { begin, send, onDisk } = await open(t)
  await begin('a.bin', 5)
  const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => send('a.bin', 0, `${n}`.padEnd(5))))
  const statuses = replies.map(({ statusCode }) => statusCode)
  t.equal(statuses.filter((status) => status === 204).length, 1, String(statuses))
  t.ok(
    statuses.every((status) => [204, 404, 409, 423].includes(status)),
    String(statuses),
  )
  const winner = replies.findIndex(({ statusCode }) => statusCode === 204)
  t.equal(onDisk('a.bin'), `${winner}`.padEnd(5))
})

t.test('after an aborted piece, the received bytes stay and the next piece continues there', async (t) => {
  const made = await open(t)
  const { begin, head, send, root, onDisk } = made
  const content = randomBytes(150_000).toString('hex')
  await begin('a.bin', content.length)
  const wire = await half(t, made, { path: 'a.bin', length: content.length, sent: content.slice(0, 200_000) })
  await untilHolds(root, 100_000)
  wire.socket.resetAndDestroy()
  const offset = await until(async () => Number((await head('a.bin')).headers['upload-offset']))
  t.ok(offset >= 100_000 && offset <= 200_000, String(offset))
  t.equal((await send('a.bin', offset, content.slice(offset))).statusCode, 204)
  t.ok(onDisk('a.bin') === content)
})

t.test('when the client closes the connection, every byte that has arrived stays', async (t) => {
  const made = await open(t)
  const { begin, head, send, onDisk, root } = made
  const content = randomBytes(150_000).toString('hex')
  const [first, second] = [content.slice(0, 100_000), content.slice(100_000, 123_457)]
  for (const [path, length, start] of [
    ['announced.bin', content.length, ''],
    ['chunked.bin', 'chunked', `${content.length.toString(16)}\r\n`],
  ] as const) {
    await begin(path, content.length)
    const wire = await half(t, made, { path, length, sent: start + first })
    // Then the server receives the piece, and the rest is too short for a write of its own.
    await untilHolds(root, 60_000)
    wire.socket.end(second)
    await wire.closed()
    t.equal((await head(path)).headers['upload-offset'], '123457', path)
    t.equal((await send(path, 123_457, content.slice(123_457))).statusCode, 204)
    t.ok(onDisk(path) === content, path)
  }
})

t.test('a status request, a new upload and a cancellation end a piece that hangs', async (t) => {
  const made = await open(t)
  const { begin, head, send, cancel, root } = made
  const long = 'x'.repeat(200_000)
  const again = 'a.bin?override=true'
  for (const [next, status] of [
    [() => head('a.bin'), 423],
    [() => begin(again, 300_000), 404],
    [() => cancel('a.bin'), 404],
  ] as const) {
    await begin(again, 300_000)
    const wire = await half(t, made, { path: 'a.bin', length: 300_000, sent: long })
    await untilHolds(root, 100_000)
    t.equal(
      (await send('a.bin', 0, 'x')).statusCode,
      423,
      'a second piece is refused and does not end the first',
    )
    t.ok((await next()).statusCode < 300)
    await wire.until(new RegExp(`^HTTP/1.1 ${status}`))
    wire.socket.destroy()
  }
  t.strictSame(temporaries(root), [])
})

t.test('upload ids prevent two uploads of one user from being mixed into one file', async (t) => {
  const { begin, head, send, onDisk } = await open(t)
  const first = String((await begin('a.txt', 4)).headers['upload-id'])
  await send('a.txt', 0, 'on', { 'upload-id': first })
  const second = String((await begin('a.txt?override=true', 4)).headers['upload-id'])
  t.not(second, first)
  await send('a.txt', 0, 'tw', { 'upload-id': second })
  t.equal((await send('a.txt', 2, 'e!', { 'upload-id': first })).statusCode, 404)
  t.equal((await send('a.txt', 2, 'o!', { 'upload-id': second })).statusCode, 204)
  t.equal(onDisk('a.txt'), 'two!')
  const after = await head('a.txt', { 'upload-id': second })
  t.match(
    after,
    { statusCode: 200, headers: { 'upload-offset': '4' } },
    'a client that missed the last response can request the status',
  )
  t.equal((await head('a.txt', { 'upload-id': first })).statusCode, 404)
})

t.test('without an id, only the session that began an upload can see, continue or cancel it', async (t) => {
  const { begin, head, send, cancel, anotherSession, onDisk } = await open(t)
  const other = await anotherSession()
  const id = String((await begin('a.txt', 6)).headers['upload-id'])
  await send('a.txt', 0, 'one')
  t.equal((await other.head('a.txt')).statusCode, 404)
  t.equal((await other.send('a.txt', 3, 'two')).statusCode, 404)
  t.equal((await other.cancel('a.txt')).statusCode, 404)
  const known = { 'upload-id': id }
  t.equal((await other.head('a.txt', known)).headers['upload-offset'], '3', 'the id continues it')
  t.equal((await other.send('a.txt', 3, 't', known)).statusCode, 204)
  t.equal((await send('a.txt', 4, 'wo')).statusCode, 204)
  t.equal(onDisk('a.txt'), 'onetwo')
  await begin('b.txt', 6)
  const b = { 'upload-id': String((await head('b.txt')).headers['upload-id']) }
  t.equal((await cancel('b.txt', { 'upload-id': id })).statusCode, 404)
  t.equal((await other.cancel('b.txt', b)).statusCode, 204)
})

t.test('a second upload to a path is 409 while the first one receives bytes, in any session', async (t) => {
  const { begin, send, clock, anotherSession, onDisk, root } = await open(t)
  const other = await anotherSession()
  await begin('d/a.txt', 10)
  t.equal((await send('d/a.txt', 0, 'AAAAA')).statusCode, 204)
  for (const client of [other, { begin }]) {
    const second = await client.begin('d/a.txt?override=false', 10, { accept: 'application/json' })
    t.match(second.json(), { status: 409, code: 'upload.running' })
  }
  clock.advance({ seconds: 59 })
  t.equal((await other.begin('d/a.txt', 0)).statusCode, 409, 'also for an empty file')
  t.equal((await send('d/a.txt', 5, 'AAA')).statusCode, 204)
  clock.advance({ seconds: 59 })
  t.equal((await other.begin('d/a.txt', 10)).statusCode, 409, 'each piece counts')
  clock.advance({ seconds: 1 })
  t.equal((await other.begin('d/a.txt', 10)).statusCode, 201, 'a minute after the last byte')
  t.equal((await other.send('d/a.txt', 0, 'BBBBBBBB')).statusCode, 204)
  t.equal((await send('d/a.txt', 8, 'AA')).statusCode, 404, 'at the very place where the second one stands')
  t.equal((await other.send('d/a.txt', 8, 'BB')).statusCode, 204)
  t.equal(onDisk('d/a.txt'), 'BBBBBBBBBB')
  t.strictSame(temporaries(join(root, 'd')), [])
})

t.test('bytes of a piece that is still arriving protect its upload', async (t) => {
  const made = await open(t)
  const { begin, clock, anotherSession, root } = made
  await begin('a.bin', 300_000)
  clock.advance({ minutes: 2 })
  const wire = await half(t, made, { path: 'a.bin', length: 300_000, sent: 'x'.repeat(200_000) })
  await untilHolds(root, 100_000)
  const other = await anotherSession()
  t.equal((await other.begin('a.bin', 3)).statusCode, 409)
  clock.advance({ minutes: 2 })
  t.equal((await other.begin('a.bin', 3)).statusCode, 201, 'not when they have stopped')
  await wire.until(/^HTTP\/1.1 404/)
  wire.socket.destroy()
})

t.test(
  'a second upload with override=true replaces the first one, and the first client gets an error',
  async (t) => {
    const { begin, head, send, anotherSession, onDisk } = await open(t)
    const other = await anotherSession()
    await begin('a.txt', 10)
    await send('a.txt', 0, 'AAAAA')
    t.equal((await other.begin('a.txt?override=true', 10)).statusCode, 201)
    await other.send('a.txt', 0, 'BBBBB')
    t.equal((await head('a.txt')).statusCode, 404)
    t.equal((await send('a.txt', 5, 'AAAAA')).statusCode, 404)
    t.equal((await other.head('a.txt')).headers['upload-offset'], '5')
    t.equal((await other.send('a.txt', 5, 'BBBBB')).statusCode, 204)
    t.equal(onDisk('a.txt'), 'BBBBBBBBBB')
  },
)

t.test('a replaced upload of the same session learns nothing about the second one', async (t) => {
  const { begin, head, send, clock, onDisk } = await open(t)
  await begin('a.txt', 10)
  await send('a.txt', 0, 'AAAAA')
  t.equal((await begin('a.txt?override=true', 10)).statusCode, 201)
  t.equal((await head('a.txt')).headers['upload-offset'], '0', 'some clients ask before the first byte')
  await send('a.txt', 0, 'BB')
  t.equal((await head('a.txt')).statusCode, 404, 'it would continue there')
  t.equal((await send('a.txt', 5, 'AAAAA')).statusCode, 404, 'not 409, after which it would ask')
  t.equal((await send('a.txt', 2, 'BBBBBBBB')).statusCode, 204)
  t.equal(onDisk('a.txt'), 'BBBBBBBBBB')
  await begin('b.txt', 10)
  await send('b.txt', 0, 'AAAAA')
  clock.advance({ minutes: 10 })
  await begin('b.txt', 10)
  await send('b.txt', 0, 'BB')
  t.equal((await head('b.txt')).headers['upload-offset'], '2', 'the client of the first one has given up')
})

t.test('a file keeps the date that its upload says', async (t) => {
  const { begin, send, ask, root } = await open(t)
  const mtime = 1_700_000_000_123
  const modified = async (name: string) => (await ask('GET', `/api/resources/${name}`)).json().modified
  const metadata = (text: string) => ({ 'upload-metadata': `filename YS50eHQ=,mtime ${btoa(text)},type` })
  await begin('a.txt', 2, metadata(String(mtime)))
  await send('a.txt', 0, 'a')
  await send('a.txt', 1, 'b')
  await begin('empty.txt', 0, metadata(String(mtime)))
  await begin('seconds.txt', 0, { 'x-oc-mtime': '1700000000.123' })
  for (const name of ['a.txt', 'empty.txt', 'seconds.txt'])
    t.equal(await modified(name), '2023-11-14T22:13:20.123Z', name)
  for (const wrong of ['', 'yesterday', '-1', '1e12', '9'.repeat(16)]) {
    t.equal((await begin('b.txt', 1, metadata(wrong))).statusCode, 400, wrong)
  }
  t.strictSame(readdirSync(root).sort(), ['a.txt', 'empty.txt', 'seconds.txt'])
})

t.test(
  'extensions of tus that are not supported are refused, and OPTIONS says what is supported',
  async (t) => {
    const { begin, send, call, root } = await open(t, { config: { maxUpload: 1000 } })
    const options = await call('OPTIONS', '/api/tus/a.txt')
    t.match(options, {
      statusCode: 204,
      headers: {
        'tus-resumable': '1.0.0',
        'tus-version': '1.0.0',
        'tus-extension': 'creation,expiration,termination',
        'tus-max-size': '1000',
      },
    })
    for (const headers of [
      { 'upload-concat': 'partial' },
      { 'upload-concat': 'final;/api/tus/a.txt /api/tus/b.txt' },
      { 'upload-defer-length': '1' },
      { 'upload-checksum': 'sha1 AAAA' },
      { 'upload-draft-interop-version': '6', 'upload-complete': '?0' },
      { 'tus-resumable': '0.2.2' },
    ]) {
      const refused = await begin('a.txt', 3, headers)
      t.match(refused, { statusCode: 400, headers: { 'tus-resumable': '1.0.0' } }, JSON.stringify(headers))
    }
    t.strictSame(readdirSync(root), [])
    t.equal((await begin('a.txt', 3, { 'tus-resumable': '1.0.0' })).statusCode, 201)
    t.equal((await send('a.txt', 0, 'abc', { 'upload-checksum': 'sha1 AAAA' })).statusCode, 400)
    t.equal((await send('a.txt', 0, 'abc')).statusCode, 204)
  },
)

t.test('a user cannot continue or see the upload of another user', async (t) => {
  const { begin, head, send, bob, onDisk } = await open(t)
  const id = String((await begin('a.txt', 6)).headers['upload-id'])
  await send('a.txt', 0, 'ann')
  t.equal((await bob.head('a.txt', { 'upload-id': id })).statusCode, 404)
  t.equal((await bob.send('a.txt', 3, 'bob')).statusCode, 404)
  t.equal((await bob.cancel('a.txt')).statusCode, 404)
  t.equal((await bob.begin('a.txt', 3)).statusCode, 201, 'another user may start an upload to the same path')
  t.equal((await head('a.txt')).headers['upload-offset'], '3')
  t.equal((await bob.send('a.txt', 0, 'bob')).statusCode, 204)
  t.equal((await send('a.txt', 3, 'ann')).statusCode, 409, 'the first complete upload gets the name')
  t.equal(onDisk('a.txt'), 'bob')
})

t.test(
  'checks permissions and rules at each request, and received bytes stay until access is granted again',
  async (t) => {
    const { begin, head, send, permit, document, onDisk } = await open(t, { tree: { 'a.txt': 'old' } })
    await begin('a.txt?override=true', 6)
    await permit({ create: false })
    for (const reply of [await head('a.txt'), await send('a.txt', 0, 'x'), await begin('b.txt', 1)]) {
      t.equal(reply.statusCode, 403)
    }
    await permit({ create: true, modify: false })
    t.equal((await send('a.txt', 0, 'new')).statusCode, 403, 'replacing needs the permission to modify')
    t.equal((await begin('a.txt?override=true', 6)).statusCode, 403)
    await permit({ modify: true, delete: false })
    t.equal((await send('a.txt', 0, 'new')).statusCode, 204)
    const rule = { regex: false, allow: false, path: '/a.txt', regexp: null }
    await document.update((draft) => {
      draft.settings.rules = [rule]
    })
    for (const reply of [await head('a.txt'), await send('a.txt', 3, 'new'), await begin('a.txt', 1)]) {
      t.equal(reply.statusCode, 403)
    }
    await document.update((draft) => {
      draft.settings.rules = []
    })
    t.equal(onDisk('a.txt'), 'old')
    t.equal((await send('a.txt', 3, 'est')).statusCode, 204)
    t.equal(onDisk('a.txt'), 'newest')
  },
)

t.test('refuses the file if the permission is revoked while the last piece is received', async (t) => {
  const made = await open(t)
  const { begin, head, send, permit, root } = made
  const content = 'x'.repeat(200_000)
  await begin('a.bin', content.length)
  const wire = await half(t, made, { path: 'a.bin', length: content.length, sent: content.slice(1) })
  await untilHolds(root, 100_000)
  await permit({ create: false })
  wire.socket.write('x')
  await wire.until(/^HTTP\/1.1 403/)
  t.notOk(existsSync(join(root, 'a.bin')))
  await permit({ create: true })
  t.equal((await head('a.bin')).headers['upload-offset'], '200000')
  t.equal((await send('a.bin', 200_000)).statusCode, 204, 'no byte has to be sent again')
  t.ok(existsSync(join(root, 'a.bin')))
})

t.test('the condition of an upload is checked at its start and at its end', async (t) => {
  const { begin, send, ask, onDisk } = await open(t, { tree: { 'a.txt': 'old' } })
  const etag = String((await ask('GET', '/api/resources/a.txt')).headers.etag)
  t.equal((await begin('a.txt?override=true', 3, { 'if-match': '"another"' })).statusCode, 412)
  t.equal((await begin('a.txt?override=true', 3, { 'if-match': etag })).statusCode, 201)
  t.equal((await send('a.txt', 0, 'n')).statusCode, 204)
  await ask('PUT', '/api/resources/a.txt', { payload: 'of somebody else' })
  t.equal((await send('a.txt', 1, 'ew')).statusCode, 412)
  t.equal(onDisk('a.txt'), 'of somebody else')
})

t.test(
  'an upload does not replace a file created meanwhile, and finishes after that file is deleted',
  async (t) => {
    const { begin, send, head, root, onDisk } = await open(t)
    await begin('a.txt', 3)
    await send('a.txt', 0, 'ne')
    writeFileSync(join(root, 'a.txt'), 'old')
    t.equal((await send('a.txt', 2, 'w')).statusCode, 409)
    t.equal(onDisk('a.txt'), 'old')
    rmSync(join(root, 'a.txt'))
    t.equal((await head('a.txt')).headers['upload-offset'], '2')
    t.equal((await send('a.txt', 2, 'w')).statusCode, 204)
    t.equal(onDisk('a.txt'), 'new')
  },
)

t.test('an upload expires a day after its last piece, and its temporary file is deleted', async (t) => {
  const { as, begin, root, clock, services, document } = await open(t)
  const id = String((await begin('a.txt', 3)).headers['upload-id'])
  const headers = { 'content-type': type, 'upload-offset': '0', 'upload-id': id }
  clock.advance({ hours: 23 })
  const ann = await as('ann')
  t.equal((await ann('PATCH', '/api/tus/a.txt', { headers, payload: 'x' })).statusCode, 204)
  clock.advance({ hours: 23 })
  await services.uploads.sweep()
  t.equal(temporaries(root).length, 1)
  clock.advance({ hours: 2 })
  await services.uploads.sweep()
  t.strictSame(temporaries(root), [])
  const later = await as('ann')
  t.equal((await later('HEAD', '/api/tus/a.txt')).statusCode, 404)
  await later('POST', '/api/tus/c.txt', { headers: { 'upload-length': '3' } })
  await document.update((draft) => {
    for (const user of Object.values(draft.users)) if (user.username === 'ann') delete draft.users[user.id]
  })
  await services.uploads.sweep()
  t.strictSame(temporaries(root), [], 'uploads of a deleted user are removed at once')
})

t.test('an upload does not expire while its bytes arrive', async (t) => {
  const made = await open(t)
  const { begin, root, clock, services, onDisk } = made
  const content = 'x'.repeat(300_000)
  await begin('a.txt', content.length)
  const wire = await half(t, made, { path: 'a.txt', length: content.length, sent: content.slice(0, 200_000) })
  await until(() => temporaries(root).some((name) => readFileSync(join(root, name)).length > 60_000))
  clock.advance({ days: 2 })
  await services.uploads.sweep()
  wire.socket.write(content.slice(200_000))
  await wire.until(/^HTTP\/1.1 204/)
  t.equal(onDisk('a.txt'), content)
})

t.test('renaming or deleting a folder moves or removes its unfinished uploads', async (t) => {
  const { begin, send, ask, root, clock, services } = await open(t, { tree: { one: {}, two: {} } })
  await begin('one/a.txt', 3)
  await begin('two/a.txt', 3)
  t.equal((await ask('PATCH', '/api/resources/one?action=rename&destination=/uno')).statusCode, 200)
  t.equal((await ask('DELETE', '/api/resources/two')).statusCode, 200)
  t.equal((await send('one/a.txt', 0, 'x')).statusCode, 404)
  t.equal((await send('two/a.txt', 0, 'x')).statusCode, 404)
  t.equal(temporaries(join(root, 'uno')).length, 1)
  clock.advance({ days: 2 })
  await services.uploads.sweep()
  t.strictSame(readdirSync(join(root, 'uno')), [])
})

t.test('commands run before an upload starts and after its last byte', async (t) => {
  const { begin, send, root, base, document, onDisk } = await open(t, { config: { enableExec: true } })
  const log = join(base, 'hooks.log')
  const say = (what: string, code = 0) => `sh -c 'echo ${what} $FILE >>${log}; exit ${code}' x`
  const bind = (before: number, after: number) =>
    document.update((draft) => {
      const lines = { before_upload: [say('before', before)], after_upload: [say('after', after)] }
      Object.assign(draft.settings.commands, lines)
    })
  await bind(0, 1)
  await begin('a.txt', 2)
  await send('a.txt', 0, 'n')
  t.equal(readFileSync(log, 'utf8'), `before ${join(root, 'a.txt')}\n`)
  t.equal((await send('a.txt', 1, 'o')).statusCode, 500, 'as for an upload in one request')
  t.equal(readFileSync(log, 'utf8').split('\n')[1], `after ${join(root, 'a.txt')}`)
  t.equal(onDisk('a.txt'), 'no')
  await bind(1, 0)
  t.equal((await begin('b.txt', 2)).statusCode, 500)
  t.strictSame(readdirSync(root), ['a.txt'])
})

t.test('a failing after_upload gives the same error for small files and for uploads in pieces', async (t) => {
  const { ask, begin, send, head, document, onDisk, root } = await open(t, { config: { enableExec: true } })
  await document.update((draft) => {
    draft.settings.commands.after_upload = ['false']
  })
  const whole = await ask('POST', '/api/resources/whole.txt', { payload: 'new' })
  const empty = await begin('empty.txt', 0)
  await begin('pieces.txt', 3)
  const pieces = await send('pieces.txt', 0, 'new')
  for (const reply of [whole, empty, pieces]) {
    t.equal(reply.statusCode, 500)
    t.equal(reply.body, whole.body)
  }
  t.strictSame(['whole.txt', 'pieces.txt', 'empty.txt'].map(onDisk), ['new', 'new', ''])
  t.strictSame(temporaries(root), [])
  const after = await head('pieces.txt')
  t.match(
    after.headers,
    { 'upload-offset': '3', 'upload-length': '3' },
    'the status request says that the file is complete',
  )
})

t.test('a user may cancel an own unfinished upload without the permission to delete', async (t) => {
  const { begin, send, cancel, head, bob, permit, root } = await open(t)
  await begin('a.txt', 6)
  await send('a.txt', 0, 'new')
  t.equal((await bob.cancel('a.txt')).statusCode, 404, 'another user cannot cancel it')
  t.equal(temporaries(root).length, 1)
  await permit({ delete: false, create: false })
  t.equal((await cancel('a.txt')).statusCode, 204)
  t.strictSame(readdirSync(root), [])
  await permit({ create: true })
  t.equal((await head('a.txt')).statusCode, 404)
})

t.test('a full disk keeps the received bytes, and the upload continues when there is space', async (t) => {
  const { begin, head, send, ask, root } = await open(t)
  const small = join(root, 'small')
  mkdirSync(small)
  try {
    execFileSync(systemTool('mount'), ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', small], { stdio: 'pipe' })
  } catch {
    t.pass('a small disk', { skip: 'this system allows no mounts' })
    return
  }
  try {
    const content = randomBytes(200_000)
    writeFileSync(join(small, 'filler'), Buffer.alloc(150_000))
    await begin('small/a.bin', content.length)
    t.equal((await send('small/a.bin', 0, content)).statusCode, 507)
    const offset = Number((await head('small/a.bin')).headers['upload-offset'])
    t.equal((await ask('DELETE', '/api/resources/small/filler?permanent=true')).statusCode, 200)
    t.equal((await send('small/a.bin', offset, content.subarray(offset))).statusCode, 204)
    t.ok(readFileSync(join(small, 'a.bin')).equals(content))
  } finally {
    execFileSync(systemTool('umount'), [small])
  }
})

t.test(
  'N06: after a kill during a piece, the upload continues after the restart without changed bytes',
  async (t) => {
    const root = join(t.testdir({ root: {} }), 'root')
    const words = ['--password', password, '--database', join(t.testdirName, 'state.json')]
    const content = randomBytes(3_000_000)
    let { port, child, ended } = await serve(t, root, ...words)
    let token = await signIn(port)
    let id = ''
    const send = (offset: number, body: Buffer) => {
      const headers = { 'x-auth': token, 'content-type': type, 'upload-offset': offset, 'upload-id': id }
      return exchange(port, 'PATCH', '/api/tus/a.bin', { headers, body })
    }
    const headers = { 'x-auth': token, 'upload-length': content.length }
    const begun = await exchange(port, 'POST', '/api/tus/a.bin', { headers })
    t.equal(begun.status, 201)
    id = String(begun.headers['upload-id'])
    t.equal((await send(0, content.subarray(0, 1_000_000))).status, 204)
    const wire = await dial(t, port)
    wire.socket.write(
      `PATCH /api/tus/a.bin HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nContent-Type: ${type}\r\nUpload-Offset: 1000000\r\nContent-Length: 2000000\r\n\r\n`,
    )
    wire.socket.write(content.subarray(1_000_000, 2_500_000))
    await untilHolds(root, 1_500_000)
    child.kill('SIGKILL')
    await ended
    ;({ port, child, ended } = await serve(t, root, ...words))
    token = await signIn(port)
    const { headers: status } = await exchange(port, 'HEAD', '/api/tus/a.bin', {
      headers: { 'x-auth': token, 'upload-id': id },
    })
    const offset = Number(status['upload-offset'])
    t.ok(offset >= 1_000_000 && offset < 2_500_000, String(offset))
    t.equal((await send(offset, content.subarray(offset))).status, 204)
    t.ok(readFileSync(join(root, 'a.bin')).equals(content))
    t.strictSame(readdirSync(root), ['a.bin'])
  },
)
