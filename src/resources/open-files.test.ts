import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { archiveDescriptors } from '#src/files/archive/archiver.ts'
import { start } from '#src/testing/start.ts'
import { exchange, listen, openDescriptors, until } from '#src/testing/wire.ts'

const perm = { share: true, download: true, create: true, modify: true, delete: true, rename: true }
const people = { alice: { perm }, bob: { perm } }

/** An instance that may open few files: 39 are one person's at most, and 58 those of all who are signed in. */
async function world(t: Test) {
  const made = await start(t, { tree: { 'a.txt': 'a', docs: { 'b.bin': '' } }, people, openFiles: 500 })
  truncateSync(join(made.root, 'docs/b.bin'), 1024 ** 3)
  const port = await listen(made.app)
  const replies: IncomingMessage[] = []
  t.teardown(() => {
    for (const reply of replies) reply.destroy()
  })
  /** Begins a download and takes nothing of it. */
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
  'with all descriptors in downloads, people sign in, and the next download waits its turn',
  async (t) => {
    const { as, login, port, begin, replies, files } = await world(t)
    const [token, other] = [await login('alice'), await login('bob')]
    // Connections are few as well: the rest of the descriptors is taken as further downloads would.
    for (let n = 0; n < 5; n++) t.equal((await begin('/api/raw/docs/b.bin', token)).statusCode, 200)
    const rest = new DisposableStack()
    for (let size = 1024; size >= 1; size /= 2) {
      for (let turn = files.users.tryAcquire('x', size); turn; turn = files.users.tryAcquire('x', size))
        rest.use(turn)
      for (let turn = files.users.tryAcquire('y', size); turn; turn = files.users.tryAcquire('y', size))
        rest.use(turn)
    }
    const waiting = (['GET', 'GET', 'POST'] as const).map((method, n) => {
      const path = ['/api/raw/docs/b.bin?x', '/api/raw/docs?algo=tar', '/api/resources/new.txt'][n] ?? ''
      return exchange(port, method, path, { headers: { 'x-auth': other }, body: n === 2 ? 'x' : '' })
    })
    await until(() => files.users.waiting === 3)
    t.equal(await login('alice').then((said) => said.split('.').length), 3, 'people sign in')
    t.equal((await (await as('bob'))('GET', '/api/sessions')).statusCode, 200)
    t.equal(files.visitors.waiting, 0)
    // Nobody leaves: after a while the ones that wait are told to come again.
    for (const refused of await Promise.all(waiting)) {
      t.equal(refused.status, 503)
      t.equal(refused.headers['retry-after'], '1')
    }
    const again = exchange(port, 'GET', '/api/raw/a.txt', { headers: { 'x-auth': other } })
    await until(() => files.users.waiting === 1)
    replies[0]?.destroy()
    t.match(await again, { status: 200, body: 'a' }, 'what has ended makes room')
  },
)

t.test('whoever fetches through links takes nothing from people who are signed in', async (t) => {
  const { as, call, files } = await world(t)
  const ask = await as('alice')
  const { hash } = (await ask('POST', '/api/share/a.txt')).json()
  using _all = files.visitors.tryAcquire('network 192.0.2.1', 1024) ?? new DisposableStack()
  t.equal((await ask('GET', '/api/raw/a.txt')).body, 'a')
  t.equal((await call('GET', `/api/public/dl/${hash}`)).body, 'a', 'and another network has its own part')
})

t.test('every kind of work with files gives its descriptors back', async (t) => {
  const { as, call, files } = await world(t)
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
  for (const turns of [files.users, files.visitors]) {
    // All there is fits again: two holders take the whole.
    const size = turns === files.users ? [39, 19] : [14, 6]
    await until(() => {
      const held = size.map((each, n) => turns.tryAcquire(`holder ${n}`, each))
      for (const one of held) one?.[Symbol.dispose]()
      return held.every((one) => one !== undefined)
    })
    t.equal(turns.waiting, 0)
  }
})

t.test('an archive holds few files open, however much is selected and however large it is', async (t) => {
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
    const kept = await exchange(port, 'POST', '/api/public/selection', { headers, body })
    const path = `/api/raw/?algo=tar&selection=${JSON.parse(kept.body).selection}`
    const outgoing = get({ host: '127.0.0.1', port, path, headers, agent: false })
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
    return reply
  }
  await buffer(await fetchWhole()) // starts threads, which keep descriptors of their own
  const before = await openDescriptors()
  let most = 0
  const reply = await fetchWhole()
  t.equal(reply.statusCode, 200)
  let text = ''
  for await (const chunk of reply) {
    most = Math.max(most, (await openDescriptors()) - before)
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
  // The two ends of the connection, and what looks at the descriptors, are counted too.
  t.ok(most <= archiveDescriptors + 8, `${most} descriptors`)
  await until(async () => (await openDescriptors()) <= before + 1)
})

t.test(
  'what is gone when its turn comes is named in the archive, and what was replaced is checked',
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
    // The large file comes first, and the client takes nothing of it yet.
    rmSync(join(root, 'z1'))
    rmSync(join(root, 'z2'), { recursive: true })
    symlinkSync('/etc', join(root, 'z2'))
    rmSync(join(root, 'z3'))
    symlinkSync('/etc/passwd', join(root, 'z3'))
    const text = (await buffer(reply)).toString('latin1', large).replaceAll('\0', '')
    for (const line of [
      'z1: it does not exist',
      'z2/: a link that leads out of your folder',
      'z3: a link that leads out of your folder',
    ]) {
      t.ok(text.includes(line), line)
    }
    t.notOk(text.includes('root:'))
  },
)
