import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import type { TrashList, Version } from '#contract/history/kept.ts'
import type { OperationView, UndoResult } from '#contract/history/operations.ts'
import { defaultKeeping, noPermissions } from '#src/state/defaults.ts'
import { rounds } from '#src/testing/long.ts'
import { fillUp, mountSmall } from '#src/testing/small-disk.ts'
import { start } from '#src/testing/start.ts'

type Options = NonNullable<Parameters<typeof start>[1]>

async function open(t: Test, options: Options = {}) {
  const tree = { 'a.txt': 'A', 'b.txt': 'B', docs: { 'x.txt': 'X', sub: { 'y.txt': 'Y' } } }
  const server = await start(t, { tree, people: { ann: {} }, ...options })
  const ann = await server.as('ann')
  const at = (path: string) => join(server.root, path)
  const read = (path: string) => readFileSync(at(path), 'utf8')
  const has = (path: string) => existsSync(at(path))
  /** Sends a request and returns the id of its operation. */
  async function change(method: string, url: string, payload?: string | object): Promise<string> {
    const reply = await ann(method, `/api/${url}`, payload === undefined ? {} : { payload })
    t.equal(reply.statusCode, 200, `${method} ${url}: ${reply.body}`)
    return String(reply.headers['x-operation'])
  }
  const undo = async (id: string) => ann('POST', `/api/operations/${id}/undo`)
  async function undone(id: string): Promise<UndoResult> {
    const reply = await undo(id)
    t.equal(reply.statusCode, 200, reply.body)
    return reply.json()
  }
  /** Changes the account of the user. */
  const become = (fields: object) =>
    server.document.update(({ users }) => {
      for (const user of Object.values(users)) if (user.username === 'ann') Object.assign(user, fields)
    })
  return { ...server, ann, at, read, has, change, undo, undone, become }
}

/** The contents of all files below a folder. */
function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.json'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}

const move = (from: string, to: string) =>
  `resources${from}?action=rename&override=true&destination=${encodeURIComponent(to)}`

t.test('undo follows the rules and the scope of the moment', async (t) => {
  const { change, undo, undone, become, has, at } = await open(t)
  const id = await change('DELETE', 'resources/docs/sub')
  mkdirSync(at('elsewhere'))
  await become({ rules: [{ regex: false, allow: false, path: '/docs/sub', regexp: { raw: '' } }] })
  const denied = await undo(id)
  t.equal(denied.statusCode, 409)
  t.notOk(has('docs/sub'))
  await become({ rules: [], scope: '/elsewhere' })
  const outside = await undo(id)
  t.equal(outside.statusCode, 409)
  t.notMatch(outside.body, /sub/, 'the response names nothing outside the scope')
  await become({ scope: '/docs' })
  t.strictSame((await undone(id)).done, [{ path: '/sub' }])
  t.ok(has('docs/sub/y.txt'))
})

t.test(
  'for an hour, a user takes back an own upload with the permission to create alone, and an own deletion with the permission to delete',
  async (t) => {
    const { change, undo, undone, become, has, clock } = await open(t)
    const only = (...rights: string[]) =>
      become({ perm: { ...noPermissions, ...Object.fromEntries(rights.map((right) => [right, true])) } })
    await only('create')
    const fresh = await change('POST', 'resources/new/one.txt', 'one')
    t.strictSame((await undone(fresh)).done, [{ path: '/new/one.txt' }])
    t.notOk(has('new'))
    const old = await change('POST', 'resources/old.txt', 'old')
    await only('delete')
    const deletion = await change('DELETE', 'resources/a.txt')
    await undone(deletion)
    t.ok(has('a.txt'))
    const late = await change('DELETE', 'resources/b.txt')
    clock.advance({ minutes: 61 })
    t.equal((await undo(late)).statusCode, 409)
    t.notOk(has('b.txt'))
    await only('create')
    t.match(await undo(old), { statusCode: 409, body: /permission/ })
    t.ok(has('old.txt'))
    await only()
    const own = await undo(late)
    t.equal(own.statusCode, 409, 'without the permission that it needed')
  },
)

t.test('a folder that a user may not see completely is not restored by that user', async (t) => {
  const { change, undo, become, has } = await open(t)
  const id = await change('DELETE', 'resources/docs')
  await become({ rules: [{ regex: false, allow: false, path: '/docs/sub', regexp: { raw: '' } }] })
  t.equal((await undo(id)).statusCode, 409)
  t.notOk(has('docs'))
})

t.test('undo makes the folders again that have disappeared, and leaves what is taken', async (t) => {
  const { change, undo, undone, has, base } = await open(t)
  const file = await change('DELETE', 'resources/docs/sub/y.txt')
  const folder = await change('DELETE', 'resources/docs')
  await undone(file)
  t.ok(has('docs/sub/y.txt'))
  t.notOk(has('docs/x.txt'))
  const taken = await undo(folder)
  t.equal(taken.statusCode, 409)
  t.match(taken.body, /already exists/)
  t.ok(textsIn(join(base, 'state.d/kept')).includes('X'), 'the folder stays in the trash')
  const moved = await change('PATCH', move('/a.txt', '/docs/sub/a.txt'))
  await change('PATCH', move('/docs', '/papers'))
  t.equal((await undo(moved)).statusCode, 409, 'the file is no longer where it was moved')
  t.ok(has('papers/sub/a.txt'))
})

t.test('a file whose old content was not kept stays when its change is undone', async (t) => {
  const { change, undo, undone, document, read, has } = await open(t)
  await document.update(({ settings }) => {
    settings.keeping = { ...defaultKeeping, versions: false }
  })
  for (const id of [
    await change('PUT', 'resources/a.txt', 'new'),
    await change('POST', 'resources/a.txt?override=true', 'newer'),
  ]) {
    t.equal((await undo(id)).statusCode, 409)
  }
  t.equal(read('a.txt'), 'newer')
  const moved = await undone(await change('PATCH', move('/a.txt', '/b.txt')))
  t.match(moved, {
    done: [{ path: '/b.txt', to: '/a.txt' }],
    left: [{ path: '/b.txt', code: 'kept.unknown' }],
  })
  t.equal(read('a.txt'), 'newer')
  t.notOk(has('b.txt'))
})

t.test('without a trash, undoing a copy of a folder never deletes what was added to it', async (t) => {
  const { change, undo, document, read } = await open(t)
  await document.update(({ settings }) => {
    settings.keeping = { ...defaultKeeping, trash: false }
  })
  const copied = await change('PATCH', 'resources/docs?action=copy&destination=%2Fcopy')
  await change('POST', 'resources/copy/sub/own.txt', 'own')
  t.equal((await undo(copied)).statusCode, 409)
  t.equal(read('copy/sub/own.txt'), 'own')
})

t.test('undo and a change of the same path at the same time lose nothing', async (t) => {
  const { change, ann, undo, read, base } = await open(t)
  for (let round = 0; round < 10; round++) {
    const deleted = await change('DELETE', 'resources/b.txt')
    const [back, upload] = await Promise.all([
      undo(deleted),
      ann('POST', '/api/resources/b.txt', { payload: `upload ${round}` }),
    ])
    const texts = [...textsIn(join(base, 'root')), ...textsIn(join(base, 'state.d/kept'))]
    t.ok(texts.includes('B'))
    t.strictSame([back.statusCode, upload.statusCode].sort(), [200, 409])
    const isBack = back.statusCode === 200
    t.equal(read('b.txt'), isBack ? 'B' : `upload ${round}`)
    if (isBack) continue
    await change('DELETE', 'resources/b.txt')
    t.equal((await undo(deleted)).statusCode, 200, 'the name is free again')
  }
})

t.test('changes of one file at the same time keep the content of each', async (t) => {
  const { change, ann, undo, base } = await open(t)
  const written = new Set(['A'])
  for (let round = 0; round < 15; round++) {
    const saved = await change('PUT', 'resources/a.txt', `one ${round}`)
    await change('PUT', 'resources/b.txt', `b ${round}`)
    const payload = `two ${round}`
    const [, save, moved] = await Promise.all([
      undo(saved),
      ann('PUT', '/api/resources/a.txt', { payload }),
      ann('PATCH', `/api/${move('/b.txt', '/a.txt')}`),
    ])
    t.strictSame([save.statusCode, moved.statusCode], [200, 200])
    for (const text of [`one ${round}`, `b ${round}`, payload]) written.add(text)
  }
  const found = new Set([...textsIn(join(base, 'root')), ...textsIn(join(base, 'state.d/kept'))])
  t.strictSame(
    [...written].filter((text) => !found.has(text)),
    [],
  )
})

t.test('an operation is undone and done again after a restart', async (t) => {
  const first = await open(t)
  const id = await first.change('DELETE', 'resources/docs')
  const saved = await first.change('PUT', 'resources/a.txt', 'new')
  await first.close()
  const { undone, ann, read, has } = await open(t, { base: first.base })
  await undone(id)
  await undone(saved)
  t.equal(read('docs/sub/y.txt'), 'Y')
  t.equal(read('a.txt'), 'A')
  t.equal((await ann('POST', `/api/operations/${id}/redo`)).statusCode, 200)
  t.notOk(has('docs'))
})

t.test(
  'versions follow their file once, also when the server is killed at the end of an operation',
  async (t) => {
    const { change, undo, base, close } = await open(t)
    await change('PUT', 'resources/a.txt', 'A two')
    await change('PUT', 'resources/b.txt', 'B two')
    const moved = await change('PATCH', move('/a.txt', '/b.txt'))
    t.equal((await undo(moved)).statusCode, 200)
    const again = await change('POST', `operations/${moved}/redo`)
    await close()
    // The end of the operation was not recorded.
    const database = new DatabaseSync(join(base, 'state.d/history.db'))
    database.prepare(`UPDATE operations SET state = 'running' WHERE id = ?`).run(again)
    database.prepare('DELETE FROM kept WHERE operation = ?').run(again)
    database.close()
    const { ann } = await open(t, { base })
    const { items } = (await ann('GET', '/api/trash')).json() as TrashList
    t.match(items, [{ path: '/b.txt' }])
    const versions = (await ann('GET', '/api/versions/b.txt')).json() as Version[]
    const texts = versions.map(({ id }) => readFileSync(join(base, 'state.d/kept', id), 'utf8'))
    t.ok(texts.includes('A'), 'the version of the moved file')
  },
)

t.test('an entry is found in the trash after a kill, also when its folder is there too', async (t) => {
  const { change, undo, base, close } = await open(t)
  const uploaded = await change('POST', 'resources/new/c.txt', 'C')
  const gone = (await undo(uploaded)).headers['x-operation']
  await close()
  // Nothing of the operation was recorded after its steps had begun.
  const database = new DatabaseSync(join(base, 'state.d/history.db'))
  database.prepare(`UPDATE operations SET state = 'running' WHERE id = ?`).run(String(gone))
  const sql = `UPDATE steps SET step = json_set(step, '$.isDone', json('false'), '$.isKept', json('false'))`
  database.prepare(`${sql} WHERE operation = ?`).run(String(gone))
  database.prepare('DELETE FROM kept WHERE operation = ?').run(String(gone))
  database.close()
  const { ann, read } = await open(t, { base })
  t.equal((await ann('POST', `/api/operations/${uploaded}/redo`)).statusCode, 200)
  t.equal(read('new/c.txt'), 'C')
})

t.test(
  'the deletion of a folder with thousands of files, or of 500 files in one request, can be undone',
  async (t) => {
    const { change, undone, at } = await open(t)
    const many = rounds(20_000)
    mkdirSync(at('many'))
    for (let n = 0; n < many; n++) writeFileSync(at(`many/${n}`), '')
    await undone(await change('DELETE', 'resources/many'))
    t.equal(readdirSync(at('many')).length, many)
    const paths = Array.from({ length: 500 }, (_, n) => `many/${n}`)
    const id = await change('POST', 'delete/', { paths })
    t.equal(readdirSync(at('many')).length, many - 500)
    const { done, left } = await undone(id)
    t.equal(done.length, 500)
    t.strictSame(left, [])
    t.equal(readdirSync(at('many')).length, many)
  },
)

t.test(
  'a folder that somebody uploads into is deleted, comes back, and takes the rest of the upload',
  async (t) => {
    const { change, ann, undone, read, at } = await open(t)
    const url = '/api/tus/docs/new.txt'
    const send = (offset: number, payload: string) =>
      ann('PATCH', url, {
        headers: { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
        payload,
      })
    t.equal((await ann('POST', url, { headers: { 'upload-length': '6' } })).statusCode, 201)
    t.equal((await send(0, 'new')).statusCode, 204)
    const id = await change('DELETE', 'resources/docs')
    const gone = await send(3, 'est')
    t.equal(gone.statusCode, 404, gone.body)
    await undone(id)
    t.strictSame(
      readdirSync(at('docs'))
        .filter((name) => !name.startsWith('.'))
        .sort(),
      ['sub', 'x.txt'],
    )
    t.equal(
      (await ann('POST', `${url}?override=true`, { headers: { 'upload-length': '6' } })).statusCode,
      201,
    )
    t.equal((await send(0, 'newest')).statusCode, 204)
    t.equal(read('docs/new.txt'), 'newest')
  },
)

t.test('the history works when the clock jumps', async (t) => {
  const { change, as, clock, has } = await open(t)
  const before = await change('DELETE', 'resources/a.txt')
  clock.advance({ days: -400 })
  const back = await change('DELETE', 'resources/b.txt')
  clock.advance({ days: 4000 })
  const ann = await as('ann')
  const later = (await ann('DELETE', '/api/resources/docs')).headers['x-operation']
  for (const id of [back, before, later])
    t.equal((await ann('POST', `/api/operations/${id}/undo`)).statusCode, 200)
  t.ok(has('a.txt') && has('b.txt') && has('docs'))
  const list = (await ann('GET', '/api/operations')).json() as OperationView[]
  t.equal(list.length, 6)
})

t.test(
  'when somebody has deleted the folder of the trash, undo says so and the next deletion works',
  async (t) => {
    const { change, undo, undone, base, has } = await open(t)
    const id = await change('DELETE', 'resources/a.txt')
    rmSync(join(base, 'state.d/kept'), { recursive: true })
    const lost = await undo(id)
    t.equal(lost.statusCode, 409)
    t.match(lost.body, /not in the trash/)
    await undone(await change('DELETE', 'resources/b.txt'))
    t.ok(has('b.txt'))
  },
)

t.test('a symbolic link in the place of the trash is never followed, by undo either', async (t) => {
  const { change, undo, undone, base, has, at } = await open(t)
  const id = await change('DELETE', 'resources/a.txt')
  const kept = join(base, 'state.d/kept')
  const elsewhere = join(base, 'elsewhere')
  renameSync(kept, elsewhere)
  symlinkSync(elsewhere, kept)
  const before = readdirSync(elsewhere)
  t.equal((await undo(id)).statusCode, 409)
  await undone(await change('DELETE', 'resources/docs/x.txt'))
  t.ok(has('docs/x.txt') && existsSync(at('.coffer-kept')), 'the disk has another store')
  t.strictSame(readdirSync(elsewhere), before)
  rmSync(kept)
  renameSync(elsewhere, kept)
  await undone(id)
})

t.test(
  'on a full disk, what is deleted without a record is in the trash again after a restart',
  async (t) => {
    const disk = mountSmall(t, 'ext4')
    if (!disk) return void t.pass('a small disk', { skip: 'this system does not allow a mount' })
    mkdirSync(join(disk, 'root'))
    const texts = Array.from({ length: 40 }, (_, n) => `text ${n}`)
    for (const [n, text] of texts.entries()) writeFileSync(join(disk, 'root', `${n}.txt`), text)
    const first = await open(t, { base: disk })
    const fill = () => fillUp(join(disk, 'fill'), 'blocks')
    fill()
    const found = () => [...textsIn(join(disk, 'root')), ...textsIn(join(disk, 'state.d/kept'))].sort()
    for (const n of texts.keys()) {
      const deleted = await first.ann('DELETE', `/api/resources/${n}.txt`)
      // The folder of the trash may have no room for another name.
      t.match(deleted.statusCode, /200|507/, deleted.body)
      // Without a record, it is not known what to undo.
      const { statusCode } = await first.undo(String(deleted.headers['x-operation']))
      t.match(statusCode, /200|404/)
      fill() // the reserve of the history gave some room
    }
    t.strictSame(found(), texts.toSorted())
    const gone = texts.filter((_, n) => !first.has(`${n}.txt`))
    t.not(gone.length, 0)
    await first.close()
    rmSync(join(disk, 'fill'), { recursive: true })
    const second = await open(t, { base: disk })
    await second.services.keeper.run()
    const { items } = (await second.ann('GET', '/api/trash?limit=500')).json() as TrashList
    t.equal(items.length, gone.length)
    for (const { id } of items) await second.change('POST', `trash/${id}/restore`)
    t.strictSame(textsIn(join(disk, 'root')).sort(), texts.toSorted())
  },
)
