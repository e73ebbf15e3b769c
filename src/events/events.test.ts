import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { TrashList } from '#contract/history/kept.ts'
import type { Rule } from '#contract/users.ts'
import { receiveEvents } from '#src/testing/event-client.ts'
import { mountSilent } from '#src/testing/silent-disk.ts'
import { type Person, start } from '#src/testing/start.ts'
import { dial, exchange, listen, until } from '#src/testing/wire.ts'

const perm = { create: true, modify: true, delete: true, rename: true, download: true, share: true }
const deny = (path: string): Rule => ({ allow: false, regex: false, path, regexp: null })

const tree = {
  docs: { 'a.txt': 'a', deep: { 'b.txt': 'b' } },
  team: { ann: { 'own.txt': '' }, 'plan.txt': '' },
  other: {},
}

/** Starts a server that listens, with ann, whose scope is `/team`, and bob, who sees everything. */
async function open(t: Test, isOnPort = true) {
  const users: Record<string, Person> = { ann: { scope: '/team', perm }, bob: { perm } }
  const started = await start(t, { tree, people: users })
  const port = isOnPort ? await listen(started.app) : 0
  const connect = async (name: string) => receiveEvents(t, port, await started.login(name))
  const change = (
    name: string,
    edit: (user: { rules: Rule[]; scope: string; hideDotfiles: boolean }) => void,
  ) =>
    started.document.update(({ users }) => {
      for (const user of Object.values(users)) if (user.username === name) edit(user)
    })
  return { ...started, port, connect, change, at: (path: string) => join(started.root, path) }
}

t.test('a user receives what other users change through the server, inside the own scope only', async (t) => {
  const { connect, as } = await open(t)
  const [ann, bob] = [await connect('ann'), await connect('bob')]
  const call = await as('bob')
  await call('POST', '/api/resources/docs/new.txt', { payload: 'new' })
  await call('POST', '/api/resources/team/ann/note.txt', { payload: 'new' })
  await call('PATCH', '/api/resources/docs/a.txt?action=rename&destination=/team/a.txt')
  await call('DELETE', '/api/resources/team/plan.txt')
  await ann.change('/', 'plan.txt')
  await bob.change('/team', 'plan.txt')
  t.strictSame(ann.namesIn('/ann'), ['note.txt'])
  t.strictSame(ann.namesIn('/'), ['a.txt', 'plan.txt'], 'a move into the scope appears')
  t.strictSame(bob.namesIn('/docs'), ['a.txt', 'new.txt'])
  t.notMatch(JSON.stringify(ann.events), 'docs')
})

t.test('a user receives what another program changes in a shown folder', async (t) => {
  const { connect, at } = await open(t)
  const bob = await connect('bob')
  t.match(await bob.show('/docs/', '/missing'), [
    { folder: '/docs', isWatched: true, modified: /Z$/ },
    { folder: '/missing', isWatched: false },
  ])
  await writeFile(at('other/unseen.txt'), '')
  await writeFile(at('docs/made.txt'), '')
  await rm(at('docs/a.txt'))
  await bob.change('/docs', 'a.txt')
  t.strictSame(bob.namesIn('/docs'), ['a.txt', 'made.txt'])
  await bob.show()
  await writeFile(at('docs/late.txt'), '')
  await bob.show('/other')
  await writeFile(at('other/last.txt'), '')
  await bob.change('/other', 'last.txt')
  t.strictSame(bob.namesIn('/docs'), ['a.txt', 'made.txt'])
})

t.test('no change of another program is missed while earlier ones are sent', async (t) => {
  const { connect, at } = await open(t)
  const bob = await connect('bob')
  await bob.show('/docs')
  for (let n = 0; bob.events.length < 12; n++) await writeFile(at(`docs/${n}.txt`), '')
  const before = bob.events.length
  await writeFile(at('docs/last.txt'), '')
  await until(() =>
    bob.events.slice(before).some(({ data }) => !data.names || data.names.includes('last.txt')),
  )
})

t.test('rules, hidden files and the scope are those of the moment of the change', async (t) => {
  const { connect, services, change, at } = await open(t)
  const [ann, bob] = [await connect('ann'), await connect('bob')]
  await bob.show('/docs')
  await change('bob', (bob) => {
    bob.rules = [deny('/docs/secret.txt'), deny('/other')]
  })
  services.events.onChanged(['docs/secret.txt', 'other/x.txt', 'docs/open.txt'].map(at))
  await writeFile(at('docs/secret.txt'), '')
  await bob.change('/docs', 'open.txt')
  await change('bob', (bob) => {
    bob.rules = []
    bob.hideDotfiles = true
  })
  services.events.onChanged(['docs/.hidden', 'docs/.folder/x.txt', 'docs/shown.txt'].map(at))
  await bob.change('/docs', 'shown.txt')
  t.strictSame(bob.namesIn('/docs'), ['open.txt', 'shown.txt'])
  t.notMatch(JSON.stringify(bob.events), /other|folder\/|secret|hidden/)
  await change('ann', (ann) => {
    ann.scope = '/other'
  })
  await ann.closed()
})

t.test('a user learns that the trash has changed, if the user may see what has changed in it', async (t) => {
  const { connect, as, change } = await open(t)
  const ann = await connect('ann')
  const [annCalls, bobCalls] = [await as('ann'), await as('bob')]
  const listed = async () => (await annCalls('GET', '/api/trash')).json<TrashList>().items
  let markers = 0
  /** The number of events so far. Events arrive in the order of the changes. */
  const count = async () => {
    const name = `marker ${markers++}`
    await bobCalls('POST', `/api/resources/team/${encodeURIComponent(name)}`, { payload: '' })
    await ann.change('/', name)
    return ann.events.filter(({ event }) => event === 'trash').length
  }
  await bobCalls('DELETE', '/api/resources/docs/')
  t.equal(await count(), 0, 'outside the scope')
  await bobCalls('DELETE', '/api/resources/team/plan.txt')
  await ann.until(({ event }) => event === 'trash')
  const [item] = await listed()
  t.match(item, { path: '/plan.txt' }, 'the list has the entry when the event arrives')
  t.equal(await count(), 1)
  await bobCalls('POST', `/api/trash/${item?.id}/restore?to=/other`)
  t.equal(await count(), 2, 'it was restored, elsewhere')
  t.strictSame(await listed(), [])
  await change('ann', (ann) => {
    ann.rules = [deny('/ann')]
  })
  await bobCalls('DELETE', '/api/resources/team/ann/own.txt')
  t.equal(await count(), 2, 'the rules are those of the moment')
  await annCalls('DELETE', `/api/resources/marker%200`)
  t.equal(await count(), 3)
  await bobCalls('DELETE', '/api/trash')
  t.equal(await count(), 4, 'it was deleted permanently')
  t.ok(ann.events.every(({ event, data }) => event !== 'trash' || Object.keys(data).length === 0))
})

t.test('a connection ends when its session ends, and no other session can use it', async (t) => {
  const { port, call, login, services } = await open(t)
  const [token, other] = [await login('bob'), await login('bob')]
  const bob = await receiveEvents(t, port, token)
  const show = (auth: string, id: string) =>
    call('PUT', `/api/events/${id}`, { headers: { 'x-auth': auth }, payload: { folders: ['/docs'] } })
  t.match(await show(other, bob.id), { statusCode: 404 })
  t.match(await show(token, 'none'), { statusCode: 404 })
  t.match(await show(token, bob.id), { statusCode: 200 })
  t.strictSame(services.events.usage(), { connections: 1, watches: 1 })
  await call('POST', '/api/logout', { headers: { 'x-auth': token } })
  await bob.closed()
  await until(() => services.events.usage().connections === 0)
  t.strictSame(services.events.usage(), { connections: 0, watches: 0 }, 'its watches end')
})

t.test('temporary files and files of the server itself never appear', async (t) => {
  const base = t.testdir({ root: {}, 'a.txt': '' })
  const { app, login, as, services } = await start(t, { base, config: { root: base } })
  const port = await listen(app)
  const admin = await receiveEvents(t, port, await login('admin'))
  t.match(await admin.show('/', '/state.d'), [{ isWatched: true }, { isWatched: false }])
  await writeFile(join(base, '.coffer-part-abc'), '')
  await writeFile(join(base, 'state.json'), '')
  await writeFile(join(base, 'state.d', 'x'), '')
  services.events.onChanged(
    ['state.json', 'state.d/x', 'root/.coffer-part-x/y'].map((path) => join(base, path)),
  )
  await (await as('admin'))('POST', '/api/resources/up.txt', { payload: 'x' })
  await admin.change('/', 'up.txt')
  t.strictSame(admin.namesIn('/'), ['up.txt'])
  t.notMatch(JSON.stringify(admin.events.slice(1)), /state|part/)
})

t.test('a shown folder that is deleted, moved or replaced by a link is reported as changed', async (t) => {
  const { connect, at } = await open(t)
  const bob = await connect('bob')
  const gone = (folder: string) =>
    bob.until(({ event, data }) => event === 'watch' && data.folder === folder && !data.isWatched)
  await mkdir(at('other/x/y'), { recursive: true })
  await mkdir(at('other/linked'))
  await mkdir(at('other/target'))
  await bob.show('/other/x/y', '/docs/deep', '/other/linked')
  await rm(at('docs/deep'), { recursive: true })
  await gone('/docs/deep')
  await bob.change('/docs/deep')
  await rename(at('other/linked'), at('other/renamed'))
  await symlink('target', at('other/linked'))
  await bob.change('/other/linked')
  await writeFile(at('other/target/a.txt'), '')
  await bob.change('/other/linked', 'a.txt')
  await rename(at('other/x'), at('other/z'))
  await writeFile(at('other/z/y/b.txt'), '')
  await gone('/other/x/y')
  t.strictSame(bob.namesIn('/other/x/y'), ['?'], 'no name of the folder at its new path')
})

t.test(
  'a shown folder whose time or mode is set is still watched, as after unpacking an archive',
  async (t) => {
    const { connect, at } = await open(t)
    const bob = await connect('bob')
    await bob.show('/docs')
    await writeFile(at('docs/made.txt'), '')
    await utimes(at('docs'), new Date(0), new Date(0))
    await until(() => bob.events.some(({ event, data }) => event === 'change' && !data.names))
    await writeFile(at('docs/late.txt'), '')
    await bob.change('/docs', 'late.txt')
    t.notOk(bob.events.some(({ event }) => event === 'watch'))
  },
)

t.test('a folder above a shown one that is moved through the server is reported at once', async (t) => {
  // The check of all folders, every 30 s, would find it too.
  const { setInterval } = globalThis
  t.intercept(globalThis, 'setInterval', {
    value: (work: () => void, ms: number) => setInterval(work, ms === 30_000 ? 2 ** 31 - 1 : ms),
  })
  const { connect, as } = await open(t)
  const bob = await connect('bob')
  await bob.show('/docs/deep')
  await (await as('bob'))('PATCH', '/api/resources/docs?action=rename&destination=/papers')
  await bob.change('/docs/deep')
  t.match(await bob.until(({ event }) => event === 'watch'), {
    data: { folder: '/docs/deep', isWatched: false },
  })
})

t.test('a folder that is shown through a link has its changes at the path of the link', async (t) => {
  const { connect, change, at } = await open(t)
  await symlink('docs', at('link'))
  const bob = await connect('bob')
  await change('bob', (bob) => {
    bob.rules = [deny('/link/b.txt'), deny('/docs/c.txt')]
  })
  await bob.show('/link')
  for (const name of ['b.txt', 'c.txt', 'd.txt']) await writeFile(at(`docs/${name}`), '')
  await bob.change('/link', 'd.txt')
  t.strictSame(bob.namesIn('/link'), ['d.txt'])
  await bob.change('/docs', 'd.txt')
  t.strictSame(bob.namesIn('/docs'), ['b.txt', 'd.txt'])
})

t.test('a name that is not UTF-8 is reported as listings spell it', async (t) => {
  const { connect, root } = await open(t)
  const bob = await connect('bob')
  await bob.show('/')
  await writeFile(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), '')
  await bob.change('/', 'caf\ufffd%E9')
})

t.test('very many changes become one change of a folder, or one loss, instead of all names', async (t) => {
  const { connect, services, at } = await open(t)
  const bob = await connect('bob')
  const names = (count: number, folder: string) =>
    Array.from({ length: count }, (_, n) => at(`${folder}/${n}`))
  services.events.onChanged(names(300, 'docs'))
  t.strictSame((await bob.change('/docs')).data, { folder: '/docs' })
  services.events.onChanged(Array.from({ length: 100 }, (_, n) => at(`other/in/${n}/x`)))
  const lost = () => bob.events.filter(({ event }) => event === 'lost').map(({ data }) => data.folder)
  await until(() => lost().length > 0)
  t.strictSame(lost(), ['/other/in'])
  services.events.onChanged(Array.from({ length: 3000 }, (_, n) => at(`other/${n % 50}/${n}`)))
  await until(() => lost().length > 1)
  t.strictSame(lost(), ['/other/in', '/'])
})

t.test(
  'a client that reads too slowly loses events and is told so, and the server keeps few bytes for it',
  async (t) => {
    const { app, login, services, at } = await open(t, false)
    // A short path: sockets in the fixture of a test have too long ones.
    const folder = await mkdtemp(join(tmpdir(), 'coffer-'))
    t.teardown(() => rm(folder, { recursive: true }))
    const path = join(folder, 's')
    await app.listen({ path })
    const slow = await dial(t, path)
    slow.socket.write(`GET /api/events HTTP/1.1\r\nHost: x\r\nX-Auth: ${await login('bob')}\r\n\r\n`)
    await slow.until(/event: hello/)
    slow.socket.pause()
    const before = slow.seen().length
    for (let round = 0; round < 8; round++) {
      const made = Array.from({ length: 1900 }, (_, n) => at(`docs/${n % 60}/${'x'.repeat(200)}${n}`))
      services.events.onChanged(made)
      await services.events.flush()
    }
    slow.socket.resume()
    await slow.until(/event: lost\ndata: \{"folder":"\/"\}/)
    t.ok(slow.seen().length - before < 1_500_000, `${slow.seen().length - before} of 3.5 MB`)
  },
)

t.test('a user has at most 32 connections, and the server stops although connections are open', async (t) => {
  const { connect, port, login, app, call } = await open(t)
  const clients = await Promise.all(Array.from({ length: 32 }, () => connect('bob')))
  const headers = { 'x-auth': await login('bob') }
  t.match(await exchange(port, 'GET', '/api/events', { headers }), { status: 429 })
  t.match(await call('HEAD', '/api/events', { headers }), { statusCode: 200 })
  clients[0]?.disconnect()
  await until(async () => (await connect('bob').catch(() => undefined)) !== undefined)
  await connect('ann')
  await app.close()
  await clients[1]?.closed()
})

t.test('the response is neither compressed nor collected by proxies', async (t) => {
  const { connect } = await open(t)
  const { response } = await connect('ann')
  t.match(response.headers, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': /no-store.*no-transform/,
    'x-accel-buffering': 'no',
  })
})

t.test('a silent network disk delays no events of other folders', async (t) => {
  // Not in the fixture, which could not be removed while the disk is mounted.
  const base = await mkdtemp(join(tmpdir(), 'coffer-'))
  t.teardown(() => rm(base, { recursive: true, force: true }))
  for (const folder of ['far', 'docs']) await mkdir(join(base, 'root', folder), { recursive: true })
  const disk = mountSilent(t, join(base, 'root', 'far'))
  if (!disk) {
    t.pass('a silent disk', { skip: 'FUSE needs Linux and superuser rights' })
    return
  }
  const { app, login, services } = await start(t, { base })
  const admin = await receiveEvents(t, await listen(app), await login('admin'))
  t.match(await admin.show('/far', '/docs'), [{ isWatched: false }, { isWatched: true }])
  services.events.changed(join(base, 'root/far/a.txt'))
  await writeFile(join(base, 'root/docs/made.txt'), '')
  await admin.change('/docs', 'made.txt')
  disk.end()
})
