import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { hashPassword } from '#src/core/access/passwords.ts'
import type { Semaphore } from '#src/core/concurrency/semaphore.ts'
import type { State, UserRecord } from '#src/state/state.ts'
import { start } from '#src/testing/start.ts'
import { dial, listen, until } from '#src/testing/wire.ts'

const perm = { create: true, modify: true, delete: true, rename: true, download: true, share: true }
const copies = 10

async function startApp(t: Test) {
  const tree = {
    docs: { 'a.txt': 'a', 'long.txt': 'words\n'.repeat(60_000), deep: { 'b.txt': 'b' } },
    gone: { 'c.txt': 'c' },
    to: {},
  }
  const started = await start(t, { tree, people: { alice: { perm } } })
  const { document, services, as, call } = started
  const request = await as('alice')
  const { hash } = (await request('POST', '/api/share/docs')).json() as { hash: string }
  const visit = (url: string) => call('GET', url)
  const id = (await services.users.findByName('alice'))?.id ?? 0
  const change = (edit: (alice: UserRecord, draft: State) => void) =>
    document.update((draft) => {
      const alice = draft.users[id]
      if (alice) edit(alice, draft)
    })
  const admin = await as('admin')
  return { ...started, request, admin, visit, hash, id, change }
}

type StartedApp = Awaited<ReturnType<typeof startApp>>

/** Acquires all permits, so that every later request waits until the result is disposed of. */
function fill(semaphore: Semaphore): Disposable {
  const held = new DisposableStack()
  let holders = 0
  for (let size = 2 ** 40; size >= 1; size /= 2) {
    for (;;) {
      const permit = semaphore.tryAcquire(`holder ${holders++}`, size)
      if (!permit) break
      held.use(permit)
    }
  }
  return held
}

/** Changes that revoke access, and the status of waiting requests afterwards. */
const revocations: [how: string, revoke: (startApp: StartedApp) => Promise<unknown>, status: number][] = [
  ['the account is deleted', ({ admin, id }) => admin('DELETE', `/api/users/${id}`), 401],
  ['the session ends', ({ admin, id }) => admin('DELETE', `/api/users/${id}/sessions`), 401],
  [
    'the permissions are removed',
    ({ change }) =>
      change((alice) => {
        const none = { create: false, rename: false, delete: false, download: false, modify: false }
        alice.perm = { ...alice.perm, ...none }
      }),
    403,
  ],
  [
    'a rule denies the files',
    ({ change }) =>
      change((alice) => {
        alice.rules = ['/docs', '/gone'].map((path) => ({ allow: false, regex: false, path, regexp: null }))
      }),
    403,
  ],
  [
    'the user gets another folder',
    ({ change }) =>
      change((alice) => {
        alice.scope = '/to'
      }),
    403,
  ],
]

for (const [how, revoke, status] of revocations) {
  t.test(`no waiting transfer or checksum runs once ${how}`, async (t) => {
    const started = await startApp(t)
    const { request, root, services } = started
    const { trees, hashes } = services.limits
    const full = [trees, hashes].map(fill)
    const url = '/api/resources'
    const waiting = [
      ...Array.from({ length: copies }, (_, n) =>
        request('PATCH', `${url}/docs?action=copy&destination=%2Fto%2F${n}`),
      ),
      request('DELETE', `${url}/gone?permanent=true`),
      request('GET', `${url}/docs/a.txt?checksum=md5`),
    ]
    await until(() => trees.waiting === copies + 1 && hashes.waiting === 1)
    await revoke(started)
    for (const one of full) one[Symbol.dispose]()
    t.strictSame(await statusesOf(waiting), Array(copies + 2).fill(status))
    t.strictSame(readdirSync(root).sort(), ['docs', 'gone', 'to'])
    t.strictSame(readdirSync(join(root, 'to')), [])
    t.strictSame(readdirSync(join(root, 'gone')), ['c.txt'])
    t.equal(trees.waiting + hashes.waiting, 0)
  })

  t.test(`no waiting request reads, lists or writes once ${how}`, async (t) => {
    const started = await startApp(t)
    const { request, root, services } = started
    const { listings, textBytes: texts } = services.limits
    const full = [listings.users, texts.users].map(fill)
    const reads = [request('GET', '/api/resources/docs'), request('GET', '/api/resources/docs/long.txt')]
    await until(() => listings.users.waiting === 1 && texts.users.waiting === 1)
    const { files } = services.limits
    using all = fill(files.users)
    const urls = ['/api/raw/docs/a.txt', '/api/raw/docs?algo=tar', '/api/preview/thumb/docs/a.txt']
    const waiting = [
      ...urls.map((url) => request('GET', url)),
      request('POST', '/api/resources/gone/new.txt', { payload: 'new' }),
      request('PUT', '/api/resources/gone/c.txt', { payload: 'new' }),
      request('POST', '/api/tus/gone/new.txt', { headers: { 'upload-length': '0' } }),
      request('PATCH', '/api/resources/docs?action=copy&destination=%2Fto%2Fcopy'),
      request('DELETE', '/api/resources/gone'),
    ]
    await until(() => files.users.waiting === waiting.length)
    await revoke(started)
    for (const one of [...full, all]) one[Symbol.dispose]()
    // Listing names needs no permission. The response for a text file then omits its content.
    const isListingAllowed = how.includes('permissions')
    t.strictSame(await statusesOf(reads), Array(2).fill(isListingAllowed ? 200 : status))
    t.notMatch((await reads[1])?.body ?? '', 'words')
    t.strictSame(await statusesOf(waiting), Array(waiting.length).fill(status))
    t.strictSame(readdirSync(join(root, 'to')), [])
    t.strictSame(readdirSync(join(root, 'gone')), ['c.txt'])
    t.equal(readFileSync(join(root, 'gone/c.txt'), 'utf8'), 'c')
    t.equal(files.waiting + listings.waiting + texts.waiting, 0)
  })
}

/** Changes that end a share, and the status of its visitors' waiting requests afterwards. */
const endings: [how: string, revoke: (startApp: StartedApp) => Promise<unknown>, status: number][] = [
  ['the share is removed', ({ request, hash }) => request('DELETE', `/api/share/${hash}`), 404],
  [
    'its owner is deleted',
    async ({ change, id }) => change((_, draft) => Reflect.deleteProperty(draft.users, id)),
    404,
  ],
  [
    'its owner loses the permission to share',
    ({ change }) =>
      change((alice) => {
        alice.perm = { ...alice.perm, share: false }
      }),
    403,
  ],
  [
    'a rule denies a folder in it',
    ({ change }) =>
      change((alice) => {
        alice.rules = [{ allow: false, regex: false, path: '/docs/deep', regexp: null }]
      }),
    403,
  ],
]

for (const [how, revoke, status] of endings) {
  t.test(`no waiting visitor of a share gets content once ${how}`, async (t) => {
    const started = await startApp(t)
    const { visit, hash, services } = started
    const { listings, textBytes: texts, files } = services.limits
    const full = [listings.visitors, texts.visitors].map(fill)
    const waiting = [visit(`/api/public/share/${hash}`), visit(`/api/public/share/${hash}/long.txt`)]
    await until(() => listings.visitors.waiting === 1 && texts.visitors.waiting === 1)
    full.push(fill(files.visitors))
    waiting.push(visit(`/api/public/dl/${hash}/?algo=tar`))
    waiting.push(
      visit(`/api/public/preview/thumb/${hash}/a.txt`),
      visit(`/api/public/subtitle/${hash}/a.txt`),
    )
    await until(() => files.visitors.waiting === 3)
    await revoke(started)
    for (const one of full) one[Symbol.dispose]()
    const [listing, text, ...others] = await statusesOf(waiting)
    t.equal(listing, status)
    t.strictSame(others, [status, status, status], 'archive, preview and subtitles')
    // Only the rules for the file itself apply to a single file.
    t.equal(text, how.includes('rule') ? 200 : status)
    t.equal(listings.waiting + texts.waiting + files.waiting, 0)
  })
}

t.test('a waiting search returns nothing once the user is deleted', async (t) => {
  const { app, login, services, admin, id } = await startApp(t)
  const { threads } = services.limits
  const full = fill(threads)
  const token = await login('alice')
  const port = await listen(app)
  const urls = ['search/?query=a', 'resources/recursive/']
  const wires = await Promise.all(urls.map(() => dial(t, port)))
  for (const [n, wire] of wires.entries()) {
    wire.socket.write(`GET /api/${urls[n]} HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n\r\n`)
  }
  await until(() => threads.waiting === 2)
  await admin('DELETE', `/api/users/${id}`)
  full[Symbol.dispose]()
  for (const wire of wires) t.notMatch(await wire.closed(), 'a.txt')
  t.equal(threads.waiting, 0)
})

t.test('does not write an upload that a rule denies before its last byte', async (t) => {
  const { app, login, change, root } = await startApp(t)
  const token = await login('alice')
  const port = await listen(app)
  const wire = await dial(t, port)
  wire.socket.write(
    `POST /api/resources/to/new.txt HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nContent-Length: 2\r\n\r\n1`,
  )
  await until(() => readdirSync(join(root, 'to')).length === 1)
  await change((alice) => {
    alice.rules = [{ allow: false, regex: false, path: '/to', regexp: null }]
  })
  wire.socket.write('2')
  await wire.until(/^HTTP\/1\.1 403 /)
  await until(() => readdirSync(join(root, 'to')).length === 0)
})

t.test('a running download ends when the user loses the permission', async (t) => {
  const { app, login, change, root } = await startApp(t)
  const size = 64 * 1024 * 1024
  writeFileSync(join(root, 'docs/big.bin'), Buffer.alloc(size, 'x'))
  const token = await login('alice')
  const wire = await dial(t, await listen(app))
  wire.socket.write(`GET /api/raw/docs/big.bin HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n\r\n`)
  await wire.until(/^HTTP\/1\.1 200 /)
  wire.socket.pause()
  await change((alice) => {
    alice.perm.download = false
  })
  // The client reads nothing more, so only the server can end the connection.
  const connections = promisify(app.server.getConnections.bind(app.server))
  await until(async () => (await connections()) === 0)
  t.ok(wire.seen().length < size)
})

t.test('creates no share and no user when access is revoked while the password is hashed', async (t) => {
  const { request, admin, call, change, document, services } = await startApp(t)
  await document.update((draft) => {
    draft.settings.signup = true
  })
  // Passwords are hashed one at a time.
  const hashing = Array.from({ length: 12 }, () => hashPassword('something else'))
  const links = Object.keys(document.data.shares).length
  const link = request('POST', '/api/share/docs/a.txt', { payload: { password: 'open sesame' } })
  const given = { username: 'eve', password: 'correct horse battery', perm: {}, scope: '/' }
  const account = admin('POST', '/api/users', { payload: { what: 'user', which: [], data: given } })
  const signup = call('POST', '/api/signup', {
    payload: { username: 'mallory', password: 'correct horse 1' },
  })
  await hashing[0]
  await change((_alice, draft) => {
    draft.settings.signup = false
  })
  await admin('DELETE', '/api/sessions')
  for (const username of ['alice', 'admin']) {
    const id = (await services.users.findByName(username))?.id ?? 0
    await services.sessions.endAll(id)
  }
  t.strictSame(await statusesOf([link, account, signup]), [401, 401, 405])
  t.equal(Object.keys(document.data.shares).length, links)
  t.strictSame(
    (await services.users.all()).map(({ username }) => username),
    ['admin', 'alice'],
  )
  await Promise.all(hashing)
})

async function statusesOf(replies: readonly Promise<{ statusCode: number }>[]): Promise<number[]> {
  return (await Promise.all(replies)).map(({ statusCode }) => statusCode)
}
