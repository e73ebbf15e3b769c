import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { HeldView } from '#contract/history/held.ts'
import { type Behaviour, eicar, fakeClamd, realClamd } from '#src/testing/clamd.ts'
import { formOf, formSender } from '#src/testing/forms.ts'
import { type Person, start } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'

const alice: Person = {
  scope: '/alice',
  perm: { create: true, rename: true, modify: true, delete: true, share: true, download: true },
}
const bob: Person = { ...alice, scope: '/bob' }

/** A server with a scanner, a share of alice in which visitors may upload, and functions to use both. */
async function world(
  t: Test,
  { clamdAll = false, behaviour }: { clamdAll?: boolean; behaviour?: Behaviour } = {},
) {
  const scanner = await fakeClamd(t, behaviour)
  const tree = { alice: { inbox: {}, 'a.txt': 'old' }, bob: {} }
  const made = await start(t, { tree, people: { alice, bob }, config: { clamd: scanner.address, clamdAll } })
  const own = await made.as('alice')
  const admin = await made.as('admin')
  const hash = await shareOf(own)
  const send = (name: string, payload: string | Buffer, rest: object = {}) =>
    made.call('POST', `/api/public/resources/${hash}/${name}`, { payload, ...rest })
  const held = async (by = admin) => (await by('GET', '/api/held')).json<HeldView[]>()
  const home = join(made.root, 'alice')
  const inbox = () => readdirSync(join(home, 'inbox'))
  const read = (name: string) => readFileSync(join(home, name), 'utf8')
  return {
    ...made,
    scanner,
    own,
    admin,
    hash,
    send,
    held,
    home,
    inbox,
    read,
    retry: made.services.held.examineWaiting,
  }
}

async function shareOf(
  own: (method: string, url: string, rest: object) => Promise<{ json(): unknown }>,
  rights = 'upload-view',
) {
  const reply = await own('POST', '/api/share/inbox', { payload: { rights } })
  return (reply.json() as { hash: string }).hash
}

t.test('a file of a visitor becomes visible when the scanner has passed it', async (t) => {
  const { send, inbox, scanner, read, held } = await world(t)
  const reply = await send('a.txt', 'hello')
  t.equal(reply.statusCode, 200)
  t.strictSame(scanner.contents.map(String), ['hello'], 'the scanner has seen the content')
  t.strictSame([inbox(), read('inbox/a.txt')], [['a.txt'], 'hello'])
  t.strictSame(await held(), [])
  t.equal((await send('empty.txt', '')).statusCode, 200)
  t.equal(scanner.contents.length, 1, 'a file without bytes needs no scanner')
})

t.test('a file is not visible while it is examined', async (t) => {
  const examined = Promise.withResolvers<void>()
  const world1 = await world(t, {
    behaviour: async (socket) => {
      t.strictSame(
        world1.inbox().filter((name) => !name.startsWith('.')),
        [],
      )
      examined.resolve()
      socket.end('stream: OK\0')
    },
  })
  const reply = await world1.send('a.txt', 'hello')
  await examined.promise
  t.equal(reply.statusCode, 200)
})

t.test('an infected file never becomes visible, and a visitor does not learn what was found', async (t) => {
  const { send, inbox, held, own, as } = await world(t)
  const reply = await send('a.txt', eicar, {
    headers: { accept: 'application/json' },
    remoteAddress: '192.0.2.7',
  })
  t.match(reply, { statusCode: 422 })
  t.match(reply.json(), { code: 'scan.infected', details: { path: '/a.txt' } })
  t.notMatch(reply.body, 'Eicar')
  t.strictSame(inbox(), [], 'neither the file nor a temporary one')
  const [kept, ...more] = await held()
  t.strictSame(more, [])
  t.match(kept, {
    state: 'infected',
    reason: 'Eicar-Test',
    name: 'a.txt',
    path: '/alice/inbox/a.txt',
    size: eicar.length,
    sha256: '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f',
    user: 'alice',
    address: '192.0.2.7',
  })
  t.match(await held(own), [{ path: '/inbox/a.txt', reason: 'Eicar-Test', address: undefined }])
  t.strictSame(await held(await as('bob')), [], 'others do not see it')
})

t.test(
  'the owner of a link and the administrators get one notice about the findings of the scanner, also for many files',
  async (t) => {
    const { send, own, admin, as, services, clock } = await world(t)
    for (const name of ['a.txt', 'b.txt']) await send(name, eicar)
    await services.notices.settled()
    const notices = async (by = own) =>
      (await by('GET', '/api/notices'))
        .json<{ items: { kind: string }[] }>()
        .items.filter(({ kind }) => kind === 'scan')
    for (const by of [own, admin])
      t.match(await notices(by), [{ kind: 'scan', title: 'inbox', count: 1, names: ['a.txt'] }])
    t.strictSame(await notices(await as('bob')), [])
    clock.advance({ minutes: 11 })
    await send('c.txt', eicar)
    await services.notices.settled()
    t.equal((await notices()).length, 2)
  },
)

t.test('a held file that a visitor has sent in pieces replaces nothing when it passes', async (t) => {
  const { call, hash, scanner, home, retry, inbox, held } = await world(t)
  await scanner.stop()
  writeFileSync(join(home, 'inbox', 'taken.bin'), 'CANARY')
  const address = `/api/public/tus/${hash}/taken.bin`
  const begun = await call('POST', address, { headers: { 'upload-length': '4' } })
  const headers = {
    'x-visit': String(begun.headers['x-visit']),
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  }
  t.equal((await call('PATCH', address, { headers, payload: 'sent' })).statusCode, 202)
  t.match(await held(), [{ state: 'waiting' }])
  await scanner.start()
  await retry()
  t.strictSame(inbox().sort(), ['taken(1).bin', 'taken.bin'])
  t.equal(readFileSync(join(home, 'inbox', 'taken.bin'), 'utf8'), 'CANARY')
})

t.test('the audit log records what the scanner has found', async (t) => {
  const { send, admin } = await world(t)
  await send('a.txt', eicar, { remoteAddress: '192.0.2.7' })
  const { records } = (await admin('GET', '/api/audit?kind=scan')).json()
  t.match(records, [
    {
      outcome: 'refused',
      user: '',
      address: '192.0.2.7',
      paths: [{ path: '/alice/inbox/a.txt' }],
      detail: 'Eicar-Test; by a visitor of a share of alice',
    },
  ])
})

/** Sends the text of EICAR in every way, and returns the answers by the names of the files. */
async function sendInEachWay(own: Awaited<ReturnType<typeof world>>['own']) {
  const headers = { accept: 'application/json' }
  return {
    'POST.txt': await own('POST', '/api/resources/POST.txt', { payload: eicar, headers }),
    'PUT.txt': await own('PUT', '/api/resources/PUT.txt', { payload: eicar, headers }),
    'form.txt': await formSender(own)('/api/resources/', formOf(['form.txt', eicar]), headers),
    'tus.txt': await sendPieces(own, 'tus.txt', eicar),
  }
}

t.test('files of users are examined with --clamd-all, however they are sent', async (t) => {
  const { own, home, held } = await world(t, { clamdAll: true })
  for (const [name, reply] of Object.entries(await sendInEachWay(own))) {
    t.equal(reply.statusCode, 422, name)
    t.match(reply.json(), { code: 'scan.infected', details: { signature: 'Eicar-Test' } }, name)
  }
  const batch = await formSender(own)('/api/upload/', formOf(['batch.txt', eicar]))
  t.match(batch.json(), [{ status: 422, code: 'scan.infected' }])
  t.equal((await held()).length, 5)
  t.strictSame(readdirSync(home).sort(), ['a.txt', 'inbox'], 'no temporary file stays')
})

t.test('without --clamd-all, files of users are not examined', async (t) => {
  const { own, home, scanner } = await world(t)
  for (const [name, reply] of Object.entries(await sendInEachWay(own))) {
    t.ok(reply.statusCode < 300, name)
    t.ok(existsSync(join(home, name)), name)
  }
  t.equal(scanner.contents.length, 0)
})

async function sendPieces(own: Awaited<ReturnType<typeof world>>['own'], name: string, content: string) {
  const url = `/api/tus/${name}`
  const headers = { 'upload-length': String(content.length) }
  await own('POST', url, { headers })
  const piece = (offset: number, payload: string) => {
    const of = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
    return own('PATCH', url, { payload, headers: { ...of, accept: 'application/json' } })
  }
  await piece(0, content.slice(0, 10))
  return piece(10, content.slice(10))
}

t.test('what the server makes of files that are visible is not examined', async (t) => {
  const { own, scanner, home } = await world(t, { clamdAll: true })
  const url = '/api/resources/a.txt?action=copy&destination=%2Fb.txt'
  t.equal((await own('PATCH', url)).statusCode, 200)
  t.strictSame([scanner.contents.length, existsSync(join(home, 'b.txt'))], [0, true])
})

t.test('while the scanner is away, files are held and put at their places later', async (t) => {
  const { send, inbox, held, scanner, retry, read, call, hash } = await world(t)
  await scanner.stop()
  const reply = await send('new%20folder/a.txt', 'hello')
  t.match(reply, { statusCode: 202 })
  t.match(reply.json(), { path: '/new folder/a.txt', size: 5, held: true, sha256: /^2cf24dba/ })
  t.strictSame(inbox(), [], 'nothing is visible, not even the new folder')
  t.match(await held(), [{ state: 'waiting', reason: /ECONNREFUSED/, name: 'a.txt' }])
  await retry()
  t.equal((await held()).length, 1, 'the scanner is still away')
  await scanner.start()
  await retry()
  t.strictSame([await held(), read('inbox/new folder/a.txt')], [[], 'hello'])
  t.equal((await call('GET', `/api/public/dl/${hash}/new%20folder/a.txt`)).body, 'hello')
})

t.test('a file that is held replaces nothing that has come meanwhile', async (t) => {
  const { send, scanner, retry, read, inbox, home } = await world(t)
  await scanner.stop()
  await send('a.txt', 'one')
  await send('a.txt', 'two')
  await send('link.txt', 'three')
  writeFileSync(join(home, 'inbox/a.txt'), 'mine')
  writeFileSync(join(home, 'secret'), 'secret')
  symlinkSync('../secret', join(home, 'inbox/link.txt'))
  await scanner.start()
  await retry()
  t.strictSame(inbox().sort(), ['a(1).txt', 'a(2).txt', 'a.txt', 'link(1).txt', 'link.txt'])
  t.strictSame([read('inbox/a.txt'), read('secret')], ['mine', 'secret'])
  t.strictSame([read('inbox/a(1).txt'), read('inbox/a(2).txt')].sort(), ['one', 'two'])
})

t.test('a save that is held replaces the file only if that has not changed', async (t) => {
  const { own, scanner, retry, read, home } = await world(t, { clamdAll: true })
  const save = (name: string) => own('PUT', `/api/resources/${name}`, { payload: 'new' })
  writeFileSync(join(home, 'b.txt'), 'old')
  await scanner.stop()
  const reply = await own('PUT', '/api/resources/a.txt', {
    payload: 'new',
    headers: { accept: 'application/json' },
  })
  t.match([reply.statusCode, reply.json()], [202, { code: 'scan.held', details: { path: '/a.txt' } }])
  await save('b.txt')
  t.strictSame([read('a.txt'), read('b.txt')], ['old', 'old'])
  writeFileSync(join(home, 'b.txt'), 'changed')
  await scanner.start()
  await retry()
  t.strictSame([read('a.txt'), read('b.txt'), read('b(1).txt')], ['new', 'changed', 'new'])
  const versions = await own('GET', '/api/versions/a.txt')
  t.equal(versions.json().length, 1, 'the old content is a version')
})

t.test('an upload in pieces that is held is complete for its client', async (t) => {
  const { own, scanner, retry, read } = await world(t, { clamdAll: true })
  await scanner.stop()
  const reply = await sendPieces(own, 'tus.txt', 'hello, hello')
  t.match(reply, { statusCode: 202, headers: { 'upload-offset': '12' } })
  t.match(reply.json(), { code: 'scan.held' })
  await scanner.start()
  await retry()
  t.equal(read('tus.txt'), 'hello, hello')
})

t.test('a visitor whose file in pieces is held gets a receipt that says so', async (t) => {
  const { call, hash, scanner, held } = await world(t)
  await scanner.stop()
  const visit = String((await call('GET', `/api/public/share/${hash}`)).headers['x-visit'])
  const url = `/api/public/tus/${hash}/tus.txt`
  const begun = await call('POST', url, { headers: { 'x-visit': visit, 'upload-length': '5' } })
  const headers = { 'x-visit': visit, 'upload-id': String(begun.headers['upload-id']) }
  const type = 'application/offset+octet-stream'
  const piece = { ...headers, 'content-type': type, 'upload-offset': '0' }
  t.match(await call('PATCH', url, { headers: piece, payload: 'hello' }), { statusCode: 202 })
  const asked = await call('GET', url, { headers })
  const received = JSON.parse(decodeURIComponent(String(asked.headers['x-received'])))
  t.strictSame(received, { path: '/tus.txt', size: 5, sha256: '', held: true })
  t.match(await held(), [{ name: 'tus.txt' }])
})

t.test('an upload in pieces is not complete before it is examined', async (t) => {
  const examining = Promise.withResolvers<void>()
  const { own, read, scanner } = await world(t, { clamdAll: true, behaviour: () => examining.resolve() })
  const sending = sendPieces(own, 'tus.txt', 'hello, hello')
  await examining.promise
  scanner.behaviour = 'stream: OK\0'
  const status = await own('HEAD', '/api/tus/tus.txt')
  t.match(status, { statusCode: 200, headers: { 'upload-offset': '11' } }, 'the last byte is sent again')
  t.not((await sending).statusCode, 204)
  const headers = { 'upload-offset': '11', 'content-type': 'application/offset+octet-stream' }
  t.equal((await own('PATCH', '/api/tus/tus.txt', { payload: 'o', headers })).statusCode, 204)
  t.equal(read('tus.txt'), 'hello, hello')
})

t.test('a file that is found to be infected later stays held', async (t) => {
  const { send, held, scanner, retry, inbox, admin } = await world(t)
  await scanner.stop()
  await send('a.txt', eicar)
  await scanner.start()
  await retry()
  t.match(await held(), [{ state: 'infected', reason: 'Eicar-Test' }])
  t.strictSame(inbox(), [])
  t.match((await admin('GET', '/api/audit?kind=scan')).json().records, [{ detail: /Eicar-Test/ }])
})

t.test('a file that is too large for the scanner waits for an administrator', async (t) => {
  const { send, held, scanner, retry, inbox, admin, own, read } = await world(t)
  scanner.refusesAfterBytes = 1000
  t.equal((await send('a.txt', 'a'.repeat(5000))).statusCode, 202)
  const [{ id = '' } = {}] = await held()
  t.match(await held(), [{ state: 'unscannable', reason: /larger/ }])
  scanner.refusesAfterBytes = Number.POSITIVE_INFINITY
  await retry()
  t.strictSame([(await held()).length, inbox()], [1, []])
  t.equal((await own('POST', `/api/held/${id}/release`)).statusCode, 403, 'its owner may not release it')
  const released = await admin('POST', `/api/held/${id}/release`)
  t.match([released.statusCode, released.json()], [200, { path: '/alice/inbox/a.txt' }])
  t.strictSame([await held(), read('inbox/a.txt').length], [[], 5000])
  const { records } = (await admin('GET', '/api/audit?kind=restore')).json()
  t.match(records, [{ user: 'admin', detail: /inbox\/a.txt \(unscannable: / }])
  t.equal((await admin('POST', `/api/held/${id}/release`)).statusCode, 404)
})

t.test('owners and administrators delete files that are held', async (t) => {
  const { send, held, own, as, base } = await world(t)
  await send('a.txt', eicar)
  await send('b.txt', eicar)
  const [a, b] = await held()
  const bobs = await as('bob')
  t.equal((await bobs('DELETE', `/api/held/${a?.id}`)).statusCode, 404)
  t.equal((await own('DELETE', `/api/held/${a?.id}`)).statusCode, 200)
  t.match(await held(), [{ id: b?.id }])
  const store = readdirSync(join(base, 'state.d', 'kept'))
  t.strictSame(store.sort(), [`${b?.id}`, `${b?.id}.json`], 'its content is gone')
  for (const id of ['..', 'a', '%2e%2e%2fkept', `${b?.id}.json`])
    t.equal((await own('DELETE', `/api/held/${id}`)).statusCode, 404, id)
})

t.test('held files are in no list of kept items and cannot be restored from it', async (t) => {
  const { send, held, admin, services } = await world(t)
  await send('a.txt', eicar)
  const [file] = await held()
  for (const store of await services.stores.all())
    for await (const { id } of store.list()) t.fail(`${id} is in the list`)
  t.strictSame((await admin('GET', '/api/trash')).json().items, [])
  t.equal((await admin('GET', `/api/trash/${file?.id}/raw`)).statusCode, 404)
  t.equal((await admin('POST', `/api/trash/${file?.id}/restore`)).statusCode, 404)
})

t.test('the present rights of the owner decide whether a held file gets its place', async (t) => {
  const { send, held, scanner, retry, admin, inbox, own } = await world(t)
  await scanner.stop()
  await send('a.txt', 'hello')
  const change = (perm: object) =>
    admin('PUT', '/api/users/2', {
      payload: { what: 'user', which: ['perm'], data: { id: 2, perm: { ...alice.perm, ...perm } } },
    })
  t.equal((await change({ create: false })).statusCode, 200)
  await scanner.start()
  await retry()
  t.strictSame(
    [inbox(), await held()],
    [[], [{ ...(await held())[0], state: 'waiting', reason: 'you do not have permission to do this' }]],
  )
  await change({})
  await retry()
  t.strictSame([inbox(), await held(own)], [['a.txt'], []])
})

t.test('a held file of a deleted user stays for the administrator', async (t) => {
  const { send, held, scanner, retry, admin, inbox } = await world(t)
  await scanner.stop()
  await send('a.txt', 'hello')
  t.equal((await admin('DELETE', '/api/users/2')).statusCode, 200)
  await scanner.start()
  await retry()
  const [file] = await held()
  t.match([file, inbox()], [{ state: 'waiting', user: '', reason: 'this user does not exist' }, []])
  t.equal((await admin('POST', `/api/held/${file?.id}/release`)).statusCode, 200)
  t.strictSame(inbox(), ['a.txt'])
})

t.test('a folder that was deleted meanwhile is made again', async (t) => {
  const { send, scanner, retry, home, read } = await world(t)
  await scanner.stop()
  await send('a.txt', 'hello')
  rmSync(join(home, 'inbox'), { recursive: true })
  await scanner.start()
  await retry()
  t.equal(read('inbox/a.txt'), 'hello')
})

t.test('a folder that became a link out of the scope is not followed', async (t) => {
  const { send, scanner, retry, home, root, held } = await world(t)
  await scanner.stop()
  await send('a.txt', 'hello')
  rmSync(join(home, 'inbox'), { recursive: true })
  mkdirSync(join(root, 'other'))
  symlinkSync('../other', join(home, 'inbox'))
  await scanner.start()
  await retry()
  t.strictSame([readdirSync(join(root, 'other')), (await held()).length], [[], 1])
})

t.test('held files count against the limits of the share', async (t) => {
  const { scanner, own, call } = await world(t)
  const made = await own('POST', '/api/share/inbox', { payload: { rights: 'upload', maxFiles: 2 } })
  const { hash } = made.json<{ hash: string }>()
  await scanner.stop()
  const send = (name: string) => call('POST', `/api/public/resources/${hash}/${name}`, { payload: 'a' })
  t.strictSame([(await send('1')).statusCode, (await send('2')).statusCode], [202, 202])
  t.equal((await send('3')).statusCode, 410)
})

t.test('a scanner that fails on one file only is not asked for it again and again', async (t) => {
  const { send, held, scanner, retry } = await world(t, { behaviour: 'stream: broken ERROR\0' })
  await send('a.txt', 'hello')
  for (let n = 0; n < 6; n++) await retry()
  t.match(await held(), [{ state: 'unscannable', reason: /failed on it 5 times/ }])
  t.equal(scanner.contents.length, 6)
})

t.test('a client that leaves ends the scan, and its file is not kept', async (t) => {
  const examining = Promise.withResolvers<void>()
  const { app, hash, held, inbox } = await world(t, { behaviour: () => examining.resolve() })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const leaving = new AbortController()
  const url = `${address}/api/public/resources/${hash}/a.txt`
  const sending = fetch(url, { method: 'POST', body: 'hello', signal: leaving.signal }).catch(() => 'left')
  await examining.promise
  leaving.abort()
  t.equal(await sending, 'left')
  await until(() => inbox().length === 0)
  t.strictSame(await held(), [])
})

t.test('a restart loses no held file and shows none', async (t) => {
  const { send, scanner, base, close, config, hash } = await world(t)
  await scanner.stop()
  await send('a.txt', 'hello')
  await send('b.txt', 'held without its record')
  await close()
  const records = join(base, 'state.d', 'held')
  const [lost = ''] = readdirSync(records).filter((name) =>
    readFileSync(join(records, name), 'utf8').includes('/b.txt'),
  )
  rmSync(join(records, lost))
  const again = await start(t, { base, people: { alice, bob }, config })
  const inbox = () => readdirSync(join(again.root, 'alice/inbox')).sort()
  t.strictSame(inbox(), [])
  await scanner.start()
  await again.services.held.examineWaiting()
  t.strictSame(inbox(), ['a.txt', 'b.txt'])
  t.ok(hash)
})

t.test('infected files are removed after 30 days, and files that wait are not', async (t) => {
  const { send, scanner, clock, services, base } = await world(t)
  await send('a.txt', eicar)
  await scanner.stop()
  await send('b.txt', 'hello')
  clock.advance({ days: 31 })
  await services.held.removeOld()
  t.equal(readdirSync(join(base, 'state.d', 'held')).length, 1)
  const contents = readdirSync(join(base, 'state.d', 'kept')).filter((name) => !name.endsWith('.json'))
  t.equal(contents.length, 1)
})

t.test('works with the clamd of this machine', async (t) => {
  const clamd = await realClamd(t)
  if (!clamd) return t.pass('clamd', { skip: 'clamav-daemon is not installed' })
  const { as, root } = await start(t, {
    people: { alice },
    tree: { alice: {} },
    config: { clamd, clamdAll: true },
  })
  const own = await as('alice')
  t.equal((await own('POST', '/api/resources/a.txt', { payload: 'hello' })).statusCode, 200)
  t.equal((await own('POST', '/api/resources/b.txt', { payload: `see ${eicar}` })).statusCode, 422)
  t.strictSame(readdirSync(join(root, 'alice')), ['a.txt'])
  return undefined
})
