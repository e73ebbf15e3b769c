import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Semaphore } from '#src/core/concurrency/semaphore.ts'
import { unconditional } from '#src/core/problem.ts'
import { rootPath } from '#src/files/paths/user-path.ts'
import { start } from '#src/testing/start.ts'
import { dial, listen, until } from '#src/testing/wire.ts'

const tree = { docs: { 'a.txt': 'a' }, other: { 'b.txt': 'b' } }
const perm = { share: true, download: true }

async function open(t: Test) {
  const made = await start(t, { tree, people: { alice: { perm }, bob: {} } })
  const alice = await made.as('alice')
  const linkTo = async (path: string) => (await alice('POST', `/api/share/${path}`)).json().hash as string
  const { listings } = made.services.limits
  const port = await listen(made.app)
  /** Opens a connection, requests a listing and does not wait for the response. */
  const begin = async (url: string, token = '') => {
    const wire = await dial(t, port)
    wire.socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n${token && `X-Auth: ${token}\r\n`}\r\n`)
    return wire
  }
  const from = async (localAddress: string, path: string) => {
    const outgoing = get({ host: '127.0.0.1', port, path, localAddress, agent: false })
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
    reply.resume()
    return reply.statusCode ?? 0
  }
  return { ...made, alice, linkTo, listings, port, begin, from }
}

/** Takes every permit, under different keys. */
function fill(semaphore: Semaphore): Disposable {
  const held = new DisposableStack()
  for (let n = 0; ; n++) {
    const permit = semaphore.tryAcquire(`holder ${n}`)
    if (!permit) return held
    held.use(permit)
  }
}

t.test('two hundred visitors who disconnect do not block other visitors and users', async (t) => {
  const { linkTo, listings, begin, from, as } = await open(t)
  const [link, other] = [await linkTo('docs'), await linkTo('other')]
  const [url, otherUrl] = [link, other].map((hash) => `/api/public/share/${hash}`) as [string, string]
  // A listing of the share is running and takes long.
  using running = listings.tryAcquire({ key: 'network x', share: link }) ?? new DisposableStack()
  const visitors = await Promise.all(Array.from({ length: 200 }, () => begin(url)))
  await until(() => listings.waiting > 0)
  // One address has one permit and 100 waiting requests. Further requests are refused at once.
  const refused = () => visitors.filter((wire) => /^HTTP\/1\.1 429 /.test(wire.seen()))
  await until(() => refused().length === 200 - 101)
  t.match(refused()[0]?.seen(), /\r\nretry-after: 1\r\n/i)
  t.equal((await (await as('bob'))('GET', '/api/resources/')).statusCode, 200, 'users are not blocked')
  t.equal(await from('127.0.0.1', otherUrl), 200, 'visitors of another share are not blocked')
  const neighbour = from('127.0.0.2', url)
  await until(() => listings.waiting === 102)
  for (const { socket } of visitors) socket.destroy()
  await until(() => listings.waiting === 1)
  running[Symbol.dispose]()
  t.equal(await neighbour, 200, 'a visitor from another address is next')
  t.equal(listings.waiting, 0)
})

t.test('visitors never take all threads, however many shares they open', async (t) => {
  const { alice, listings, linkTo, from } = await open(t)
  const url = `/api/public/share/${await linkTo('docs')}`
  const full = fill(listings.visitors)
  const visit = from('127.0.0.1', url)
  await until(() => listings.waiting === 1)
  t.equal((await alice('GET', '/api/resources/')).statusCode, 200)
  full[Symbol.dispose]()
  t.equal(await visit, 200)
})

t.test('one user gets half of the threads, and at most 1000 requests of the user wait', async (t) => {
  const { login, listings, begin, as, services } = await open(t)
  const id = (await services.users.findByName('alice'))?.id
  const payer = { key: `user ${id}` }
  const permits = [listings.tryAcquire(payer), listings.tryAcquire(payer)]
  t.notOk(listings.tryAcquire(payer))
  const token = await login('alice')
  const wires = await Promise.all(Array.from({ length: 20 }, () => begin('/api/resources/', token)))
  await until(() => listings.waiting === 20)
  t.equal((await (await as('bob'))('GET', '/api/resources/')).statusCode, 200)
  const leaving = new AbortController()
  const waiting = Array.from({ length: 980 }, () =>
    listings.acquire(payer, { recheck: unconditional, signal: leaving.signal }),
  )
  const left = Promise.allSettled(waiting)
  await until(() => listings.waiting === 1000)
  await t.rejects(listings.acquire(payer, { recheck: unconditional }), { code: 'user.busy', status: 429 })
  leaving.abort()
  await left
  for (const permit of permits) permit?.[Symbol.dispose]()
  await Promise.all(wires.map((wire) => wire.until(/^HTTP\/1\.1 200 /)))
})

t.test('the responses of listings share a memory limit until they are sent', async (t) => {
  const { alice, services } = await open(t)
  const { listingBytes: answers } = services.limits
  const payer = { key: `user ${(await services.users.findByName('alice'))?.id}` }
  const large = answers.tryAcquire(payer, 2 ** 40)
  const refused = await alice('GET', '/api/resources/')
  t.equal(refused.statusCode, 503)
  t.equal(refused.headers['retry-after'], '1')
  large?.[Symbol.dispose]()
  t.equal((await alice('GET', '/api/resources/')).statusCode, 200)
  t.ok(answers.tryAcquire(payer, 2 ** 40), 'a response that was sent no longer counts')
})

t.test('a listing that waited shows the current state of the folder', async (t) => {
  const { alice, listings, root } = await open(t)
  const full = fill(listings.users)
  const waiting = [alice('GET', '/api/resources/docs'), alice('GET', '/api/resources/other')]
  await until(() => listings.waiting === 2)
  writeFileSync(join(root, 'docs/later.txt'), '')
  rmSync(join(root, 'other'), { recursive: true })
  full[Symbol.dispose]()
  const [docs, other] = await Promise.all(waiting)
  t.strictSame(
    docs?.json().items.map(({ name }: { name: string }) => name),
    ['a.txt', 'later.txt'],
  )
  t.equal(other?.statusCode, 404, 'a deleted folder is not listed')
  const again = fill(listings.users)
  const moved = alice('GET', '/api/resources/docs')
  await until(() => listings.waiting === 1)
  renameSync(join(root, 'docs'), join(root, 'elsewhere'))
  again[Symbol.dispose]()
  t.equal((await moved).statusCode, 404, 'a moved folder is not listed')
})

t.test('large listings of users and visitors at the same time are complete', async (t) => {
  const { alice, call, linkTo, root } = await open(t)
  const many = 9000
  mkdirSync(join(root, 'many'))
  for (let n = 0; n < many; n++) writeFileSync(join(root, 'many', `file ${n}`), '')
  const url = `/api/public/share/${await linkTo('many')}`
  const asked = Array.from({ length: 8 }, (_, n) =>
    n % 2 ? call('GET', url) : alice('GET', '/api/resources/many'),
  )
  for (const reply of await Promise.all(asked)) {
    t.equal(reply.statusCode, 200)
    const { numFiles, items } = reply.json()
    t.strictSame([numFiles, items.length], [many, many])
  }
  t.equal(rootPath, '/')
})
