import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ShareView } from '#contract/shares.ts'
import { allPermissions } from '#src/state/defaults.ts'
import { start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'

async function world(t: Test, payload: object = {}) {
  const tree = { alice: { inbox: { 'taken.bin': 'CANARY' } } }
  const people = { alice: { scope: '/alice', perm: { ...allPermissions, admin: false } } }
  const made = await start(t, { tree, people })
  const alice = await made.as('alice')
  const shared = await alice('POST', '/api/share/inbox', { payload: { rights: 'upload', ...payload } })
  const { hash } = shared.json<ShareView>()
  const change = (change: object) => alice('PATCH', `/api/share/${hash}`, { payload: change })

  /** A visitor in a visit of its own. */
  async function visitor(remoteAddress = '192.0.2.1') {
    const first = await made.call('GET', `/api/public/share/${hash}`, { remoteAddress })
    const visit = { 'x-visit': String(first.headers['x-visit']) }
    type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
    const ask = (method: Method, path: string, headers = {}, body?: string) =>
      made.call(method, `/api/public/tus/${hash}${path}`, {
        headers: { ...visit, ...headers },
        ...(body !== undefined && { payload: body }),
        remoteAddress,
      })
    const begin = (path: string, length: number) => ask('POST', path, { 'upload-length': String(length) })
    const append = (path: string, offset: number, body: string, more = {}) =>
      ask(
        'PATCH',
        path,
        { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream', ...more },
        body,
      )
    const list = async () =>
      (await made.call('GET', `/api/public/share/${hash}`, { headers: visit, remoteAddress })).json<{
        items: { name: string }[]
      }>().items
    return { ask, begin, append, list }
  }
  const inbox = join(made.root, 'alice', 'inbox')
  return {
    ...made,
    alice,
    hash,
    change,
    visitor,
    inbox,
    files: () => readdirSync(inbox).filter((n) => !n.startsWith('.')),
  }
}

const receipt = (reply: { headers: Record<string, unknown> }) =>
  JSON.parse(decodeURIComponent(String(reply.headers['x-received'])))

t.test('a visitor sends a file in pieces, goes on after an interruption, and gets a receipt', async (t) => {
  const { visitor, inbox, files } = await world(t)
  const { begin, append, ask, list } = await visitor()
  const begun = await begin('/new.bin', 10)
  t.match(begun, { statusCode: 201, headers: { 'upload-offset': '0', 'upload-length': '10' } })
  const id = { 'upload-id': String(begun.headers['upload-id']) }
  t.match(await append('/new.bin', 0, 'hello', id), { statusCode: 204, headers: { 'upload-offset': '5' } })
  t.strictSame(files(), ['taken.bin'], 'a file is not visible before it is complete')
  t.match(await append('/new.bin', 0, 'again', id), { statusCode: 409 })
  t.match(await ask('GET', '/new.bin', id), { statusCode: 200, headers: { 'upload-offset': '5' } })
  const last = await append('/new.bin', 5, 'world', id)
  t.equal(last.statusCode, 204)
  const sha256 = createHash('sha256').update('helloworld').digest('hex')
  t.strictSame(receipt(last), { path: '/new.bin', size: 10, sha256 })
  t.equal(readFileSync(join(inbox, 'new.bin'), 'utf8'), 'helloworld')
  t.match(await list(), [{ name: 'new.bin' }])
})

t.test(
  'a file that a visitor sends in pieces replaces nothing: a taken name gets a number at the end',
  async (t) => {
    const { visitor, inbox, files } = await world(t)
    const [one, other] = [await visitor('192.0.2.1'), await visitor('192.0.2.2')]
    for (const each of [one, other]) t.equal((await each.begin('/taken.bin', 4)).statusCode, 201)
    await one.append('/taken.bin', 0, 'on')
    await other.append('/taken.bin', 0, 'ot')
    t.strictSame(receipt(await other.append('/taken.bin', 2, 'he')).path, '/taken(1).bin')
    t.strictSame(receipt(await one.append('/taken.bin', 2, 'e!')).path, '/taken(2).bin')
    t.strictSame(files().sort(), ['taken(1).bin', 'taken(2).bin', 'taken.bin'])
    t.equal(readFileSync(join(inbox, 'taken.bin'), 'utf8'), 'CANARY')
    t.equal(readFileSync(join(inbox, 'taken(1).bin'), 'utf8'), 'othe')
    const empty = await one.begin('/empty.bin', 0)
    t.equal(receipt(empty).path, '/empty.bin')
    t.ok(existsSync(join(inbox, 'empty.bin')))
  },
)

t.test('a visitor who has lost the answer to the last piece gets the receipt later', async (t) => {
  const { visitor, files } = await world(t)
  const [one, other] = [await visitor('192.0.2.1'), await visitor('192.0.2.2')]
  const begun = await one.begin('/taken.bin', 4)
  const id = { 'upload-id': String(begun.headers['upload-id']) }
  await one.append('/taken.bin', 0, 'on', id)
  t.notOk((await one.ask('GET', '/taken.bin', id)).headers['x-received'], 'it is not complete')
  const last = receipt(await one.append('/taken.bin', 2, 'e!', id))
  const asked = await one.ask('GET', '/taken.bin', id)
  t.match(asked, { statusCode: 200, headers: { 'upload-offset': '4' } })
  t.strictSame(receipt(asked), last)
  t.strictSame(last.path, '/taken(1).bin')
  t.equal((await other.ask('GET', '/taken.bin', id)).statusCode, 404)
  t.strictSame(files(), ['taken(1).bin', 'taken.bin'])
})

t.test('nobody else continues, sees or cancels the upload of a visit', async (t) => {
  const { visitor, alice, files } = await world(t)
  const [one, other] = [await visitor('192.0.2.1'), await visitor('192.0.2.2')]
  const begun = await one.begin('/new.bin', 4)
  const id = { 'upload-id': String(begun.headers['upload-id']) }
  await one.append('/new.bin', 0, 'on')
  for (const reply of [
    await other.append('/new.bin', 2, 'XX', id),
    await other.ask('GET', '/new.bin', id),
    await other.ask('DELETE', '/new.bin', id),
    await one.ask('GET', '/new.bin', { ...id, 'x-visit': 'forged.ticket' }),
    await alice('GET', '/api/tus/new.bin', { headers: id }),
    await alice('GET', '/api/tus/inbox/new.bin', { headers: id }),
    await alice('DELETE', '/api/tus/inbox/new.bin', { headers: id }),
  ])
    t.equal(reply.statusCode, 404, reply.body)
  t.equal((await one.append('/new.bin', 2, 'e!', id)).statusCode, 204)
  t.strictSame(files(), ['new.bin', 'taken.bin'])
})

t.test('the limits of a link hold for files in pieces, and unfinished ones count', async (t) => {
  const { visitor, change, files } = await world(t, {
    maxBytes: 10,
    maxFileSize: 8,
    maxFiles: 2,
    types: ['.bin'],
  })
  const [one, other] = [await visitor('192.0.2.1'), await visitor('192.0.2.2')]
  t.match(await one.begin('/large.bin', 9), { statusCode: 413 })
  t.match(await one.begin('/a.txt', 2), { statusCode: 415 })
  t.equal((await one.begin('/a.bin', 8)).statusCode, 201)
  t.equal((await one.append('/a.bin', 0, '1234567')).statusCode, 204)
  t.match(await other.begin('/b.bin', 4), { statusCode: 410 }, 'seven bytes of ten have arrived')
  t.equal((await other.begin('/b.bin', 3)).statusCode, 201)
  t.equal((await one.append('/a.bin', 7, '8')).statusCode, 204)
  t.match(await other.append('/b.bin', 0, '123'), { statusCode: 410 })
  t.equal((await other.append('/b.bin', 0, '12')).statusCode, 204)
  t.equal((await other.ask('DELETE', '/b.bin')).statusCode, 204)
  t.equal((await other.begin('/c.bin', 2)).statusCode, 201)
  t.equal((await other.append('/c.bin', 0, '12')).statusCode, 204)
  t.match(await one.begin('/d.bin', 0), { statusCode: 410 }, 'two files have arrived')
  t.strictSame(files(), ['a.bin', 'c.bin', 'taken.bin'])
  await change({ maxFiles: null, maxBytes: null, maxFileSize: null })
  t.equal((await one.begin('/e.bin', 4)).statusCode, 201)
  await change({ rights: 'download' })
  t.match(await one.append('/e.bin', 0, '1234'), { statusCode: 403 })
  await change({ rights: 'upload', paused: true })
  t.match(await one.append('/e.bin', 0, '1234'), { statusCode: 404 })
})

t.test('visitors of a link have at most two hundred unfinished uploads together', async (t) => {
  const { visitor } = await world(t)
  const { begin } = await visitor()
  for (let n = 0; n < 200; n++) t.equal((await begin(`/${n}.bin`, 4)).statusCode, 201)
  t.match(await begin('/one-more.bin', 4), { statusCode: 429 })
})

t.test(
  'a name that belongs to a link to another folder, or to a program, is only a taken name',
  async (t) => {
    const { visitor, inbox, root, files } = await world(t)
    mkdirSync(join(root, 'alice', 'other'))
    writeFileSync(join(root, 'alice', 'other', 'there.bin'), 'CANARY')
    symlinkSync('../other/there.bin', join(inbox, 'link.bin'))
    writeFileSync(join(inbox, 'run.sh'), 'CANARY', { mode: 0o755 })
    const { begin, append } = await visitor()
    for (const name of ['link.bin', 'run.sh']) {
      t.equal((await begin(`/${name}`, 4)).statusCode, 201)
      const last = await append(`/${name}`, 0, 'sent')
      t.equal(last.statusCode, 204, last.body)
      t.equal(receipt(last).path, `/${name.replace('.', '(1).')}`)
    }
    t.equal(readFileSync(join(root, 'alice', 'other', 'there.bin'), 'utf8'), 'CANARY')
    t.equal(statSync(join(inbox, 'run(1).sh')).mode & 0o111, 0, 'the new file is no program')
    t.ok(files().includes('link(1).bin'))
  },
)

t.test('the receipt of a file in pieces needs no permission of the owner to download', async (t) => {
  const { visitor, document } = await world(t, { maxFiles: 1 })
  await document.update(({ users }) => {
    for (const user of Object.values(users)) user.perm.download = false
  })
  const { begin, append } = await visitor()
  t.equal((await begin('/a.bin', 4)).statusCode, 201)
  const last = await append('/a.bin', 0, 'sent')
  t.match(receipt(last).sha256, /^[0-9a-f]{64}$/)
  t.match(await begin('/b.bin', 4), { statusCode: 410 })
})

t.test('a piece that is being received ends with the access of the visitor', async (t) => {
  const { visitor, change, app, hash, files } = await world(t)
  const { begin } = await visitor()
  const begun = await begin('/a.bin', 1_000_000)
  const port = await listen(app)
  const visit = String(begun.headers['x-visit'])
  const sending = request({
    port,
    method: 'PATCH',
    path: `/api/public/tus/${hash}/a.bin`,
    headers: {
      'x-visit': visit,
      'upload-offset': '0',
      'upload-id': String(begun.headers['upload-id']),
      'content-type': 'application/offset+octet-stream',
      'content-length': '1000000',
    },
  })
  const answered = new Promise<number | undefined>((resolve) => {
    sending.once('response', (reply) => resolve(reply.statusCode))
    sending.once('error', () => resolve(undefined))
  })
  sending.write('x'.repeat(1000))
  await change({ paused: true })
  const status = await answered
  t.ok(status === undefined || status >= 400, `${status}`)
  t.strictSame(files(), ['taken.bin'])
})

t.test(
  'announcements without bytes keep nobody from sending, and cancelled uploads leave no folders',
  async (t) => {
    const { visitor, clock, files, inbox } = await world(t)
    const { begin, ask } = await visitor()
    for (let n = 0; n < 200; n++) await begin(`/${n}.bin`, 4)
    clock.advance({ minutes: 2 })
    t.equal((await begin('/one-more.bin', 4)).statusCode, 201)
    t.equal((await begin('/a/b/c/deep.bin', 4)).statusCode, 201)
    t.ok(existsSync(join(inbox, 'a', 'b', 'c')))
    t.equal((await ask('DELETE', '/a/b/c/deep.bin')).statusCode, 204)
    t.strictSame(files(), ['taken.bin'])
  },
)
