import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { maxArchiveDescriptors } from '#src/files/archive/archiver.ts'
import { start } from '#src/testing/start.ts'
import { exchange, listen, openDescriptors, until } from '#src/testing/wire.ts'

const perm = { share: true, download: true, create: true, modify: true, delete: true, rename: true }
const people = { alice: { perm }, bob: { perm } }

/** Starts an instance with few descriptors: at most 39 for one user, and 58 for all users together. */
async function open(t: Test) {
  const made = await start(t, { tree: { 'a.txt': 'a', docs: { 'b.bin': '' } }, people, openFiles: 500 })
  truncateSync(join(made.root, 'docs/b.bin'), 1024 ** 3)
  const port = await listen(made.app)
  const replies: IncomingMessage[] = []
  t.teardown(() => {
    for (const reply of replies) reply.destroy()
  })
  /** Starts a download and reads nothing of its body. */
  const begin = async (path: string, token = '') => {
    const headers = { ...(token && { 'x-auth': token }) }
    const outgoing = get({ host: '127.0.0.1', port, path, headers, agent: false })
    outgoing.on('error', () => {})
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
    reply.on('error', () => {})
    replies.push(reply)
    return reply
  }
  return { ...made, port, begin, replies, files: made.services.limits.files }
}

t.test(
  'when downloads use all descriptors, users can still log in, and the next download waits',
  async (t) => {
    const { as, login, port, begin, replies, files } = await open(t)
    const [token, other] = [await login('alice'), await login('bob')]
    // The number of connections is limited too, so the other descriptors are taken without a connection.
    for (let n = 0; n < 5; n++) t.equal((await begin('/api/raw/docs/b.bin', token)).statusCode, 200)
    const rest = new DisposableStack()
    for (let size = 1024; size >= 1; size /= 2) {
      for (let permit = files.users.tryAcquire('x', size); permit; permit = files.users.tryAcquire('x', size))
        rest.use(permit)
      for (let permit = files.users.tryAcquire('y', size); permit; permit = files.users.tryAcquire('y', size))
        rest.use(permit)
    }
    const waiting = (['GET', 'GET', 'POST'] as const).map((method, n) => {
      const path = ['/api/raw/docs/b.bin?x', '/api/raw/docs?algo=tar', '/api/resources/new.txt'][n] ?? ''
      return exchange(port, method, path, { headers: { 'x-auth': other }, body: n === 2 ? 'x' : '' })
    })
    await until(() => files.users.waiting === 3)
    t.equal(await login('alice').then((said) => said.split('.').length), 3, 'users can log in')
    t.equal((await (await as('bob'))('GET', '/api/sessions')).statusCode, 200)
    t.equal(files.visitors.waiting, 0)
    // No download ends, so the waiting requests get 503 with Retry-After after a while.
    for (const refused of await Promise.all(waiting)) {
      t.equal(refused.status, 503)
      t.equal(refused.headers['retry-after'], '1')
    }
    const again = exchange(port, 'GET', '/api/raw/a.txt', { headers: { 'x-auth': other } })
    await until(() => files.users.waiting === 1)
    replies[0]?.destroy()
    t.match(await again, { status: 200, body: 'a' }, 'a download that ends releases its descriptors')
  },
)

t.test('downloads of shares take no descriptors from users', async (t) => {
  const { as, call, files } = await open(t)
  const ask = await as('alice')
  const { hash } = (await ask('POST', '/api/share/a.txt')).json()
  using _all = files.visitors.tryAcquire('network 192.0.2.1', 1024) ?? new DisposableStack()
  t.equal((await ask('GET', '/api/raw/a.txt')).body, 'a')
  t.equal((await call('GET', `/api/public/dl/${hash}`)).body, 'a', 'another network has its own part')
})

t.test('every operation on files releases its descriptors', async (t) => {
  const { as, call, files } = await open(t)
  const ask = await as('alice')
  const { hash } = (await ask('POST', '/api/share/docs')).json()
  const pieces = { 'upload-length': '1' }
  const calls: [string, string, object?][] = [
    ['GET', '/api/raw/a.txt'],
    ['HEAD', '/api/raw/docs?algo=tar'],
    ['GET', '/api/raw/?files=a.txt,none&algo=tar'],
    ['GET', '/api/raw/none'],
    ['GET', '/api/resources/'],
    ['GET', '/api/resources/none'],
    ['GET', '/api/resources/a.txt?checksum=md5'],
    ['GET', '/api/preview/thumb/a.txt'],
    ['GET', '/api/search/?query=a'],
    ['GET', '/api/search/none?query=a'],
    ['POST', '/api/resources/b.txt', { payload: 'b' }],
    ['POST', '/api/resources/b.txt', { payload: 'b' }],
    ['PUT', '/api/resources/b.txt', { payload: 'c' }],
    ['POST', '/api/tus/c.txt', { headers: pieces }],
    ['PATCH', '/api/resources/b.txt?action=copy&destination=%2Fd.txt'],
    ['PATCH', '/api/resources/d.txt?action=rename&destination=%2Fe.txt'],
    ['PATCH', '/api/resources/none?action=rename&destination=%2Fe.txt'],
    ['DELETE', '/api/resources/e.txt'],
    ['DELETE', '/api/resources/none'],
  ]
  for (const [method, url, rest = {}] of calls) await ask(method, url, rest)
  await call('GET', `/api/public/share/${hash}`)
  for (const semaphore of [files.users, files.visitors]) {
    // All descriptors are free again: two keys can take all of them.
    const size = semaphore === files.users ? [39, 19] : [14, 6]
    await until(() => {
      const held = size.map((each, n) => semaphore.tryAcquire(`holder ${n}`, each))
      for (const one of held) one?.[Symbol.dispose]()
      return held.every((one) => one !== undefined)
    })
    t.equal(semaphore.waiting, 0)
  }
})

t.test(
  'an archive opens few files at a time, however many are selected and however large they are',
  async (t) => {
    const { app, login, root } = await start(t, { people })
    const [many, deep] = [2000, 250]
    for (let n = 0; n < many; n++) writeFileSync(join(root, `small ${n}`), 'x')
    mkdirSync(join(root, 'large'))
    for (let n = 0; n < 200; n++) {
      writeFileSync(join(root, 'large', `${n}`), '')
      truncateSync(join(root, 'large', `${n}`), 100 * 1024)
    }
    for (let n = 0; n < 500; n++) {
      mkdirSync(join(root, 'folders', `${n}`), { recursive: true })
      writeFileSync(join(root, 'folders', `${n}`, 'x'), 'x')
    }
    mkdirSync(join(root, 'deep', 'd/'.repeat(deep)), { recursive: true })
    const port = await listen(app)
    const headers = { 'x-auth': await login('alice') }
    const names = Array.from({ length: many }, (_, n) => `small%20${n}`)
    const files = [...names, 'large', 'folders', 'deep'].join(',')
    const fetchWhole = async () => {
      const body = JSON.stringify({ files })
      const stored = await exchange(port, 'POST', '/api/public/selection', { headers, body })
      const path = `/api/raw/?algo=tar&selection=${JSON.parse(stored.body).selection}`
      const outgoing = get({ host: '127.0.0.1', port, path, headers, agent: false })
      const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
      return reply
    }
    await buffer(await fetchWhole()) // starts the worker threads, which keep descriptors open
    const before = await openDescriptors()
    let max = 0
    const reply = await fetchWhole()
    t.equal(reply.statusCode, 200)
    let text = ''
    for await (const chunk of reply) {
      max = Math.max(max, (await openDescriptors()) - before)
      text += (chunk as Buffer).toString('latin1').replaceAll('\0', '')
    }
    for (const name of [
      'small 0',
      `small ${many - 1}`,
      'large/199',
      'folders/499/x',
      `deep/${'d/'.repeat(20)}`,
    ]) {
      t.ok(text.includes(name), name)
    }
    // The count also includes both ends of the connection and the reader of the descriptor list.
    t.ok(max <= maxArchiveDescriptors + 8, `${max} descriptors`)
    await until(async () => (await openDescriptors()) <= before + 1)
  },
)

t.test(
  'an archive names files that were deleted before their turn, and checks replaced ones again',
  async (t) => {
    const { app, login, root } = await start(t, { people, tree: { a: '', z1: 'b', z2: {}, z3: 'd' } })
    const large = 64 * 1024 ** 2
    truncateSync(join(root, 'a'), large)
    const between = Array.from({ length: 100 }, (_, n) => `x${n}`)
    for (const name of between) writeFileSync(join(root, name), 'x')
    const port = await listen(app)
    const headers = { 'x-auth': await login('alice') }
    const path = `/api/raw/?algo=tar&files=${['a', ...between, 'z1', 'z2', 'z3'].join(',')}`
    const outgoing = get({ host: '127.0.0.1', port, path, headers, agent: false })
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
    // The large file comes first, and the client has not read any of it.
    rmSync(join(root, 'z1'))
    rmSync(join(root, 'z2'), { recursive: true })
    symlinkSync('/etc', join(root, 'z2'))
    rmSync(join(root, 'z3'))
    symlinkSync('/etc/passwd', join(root, 'z3'))
    const text = (await buffer(reply)).toString('latin1', large).replaceAll('\0', '')
    for (const line of [
      'z1: it does not exist',
      'z2/: a symbolic link to a place outside your folder',
      'z3: a symbolic link to a place outside your folder',
    ]) {
      t.ok(text.includes(line), line)
    }
    t.notOk(text.includes('root:'))
  },
)
