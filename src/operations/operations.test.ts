import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { OperationView, UndoResult } from '#contract/history/operations.ts'
import { start } from '#src/testing/start.ts'

async function open(t: Test, people = {}) {
  const tree = { 'a.txt': 'A', 'b.txt': 'B', docs: { 'x.txt': 'X', sub: { 'y.txt': 'Y' } } }
  const server = await start(t, { tree, people: { ann: {}, ben: {}, ...people } })
  const ann = await server.as('ann')
  const read = (path: string) => readFileSync(join(server.root, path), 'utf8')
  const has = (path: string) => existsSync(join(server.root, path))
  /** Sends a request and returns the id of its operation. */
  async function change(method: string, url: string, payload?: string | object): Promise<string> {
    const reply = await ann(method, url, payload === undefined ? {} : { payload })
    t.equal(reply.statusCode, 200, `${method} ${url}: ${reply.body}`)
    return String(reply.headers['x-operation'])
  }
  const undo = async (id: string, ask = ann) => ask('POST', `/api/operations/${id}/undo`)
  const redo = async (id: string, ask = ann) => ask('POST', `/api/operations/${id}/redo`)
  return { ...server, ann, read, has, change, undo, redo }
}

const move = (from: string, to: string, rest = '&action=rename') =>
  `/api/resources${from}?destination=${encodeURIComponent(to)}${rest}`

t.test('undoing a deletion restores the deleted file or folder', async (t) => {
  const { change, undo, redo, read, has } = await open(t)
  for (const path of ['/a.txt', '/docs']) {
    const id = await change('DELETE', `/api/resources${path}`)
    t.notOk(has(path))
    const undone = (await undo(id)).json() as UndoResult
    t.strictSame(undone.done, [{ path }])
    t.strictSame(undone.left, [])
    t.ok(has(path))
    t.equal((await redo(id)).statusCode, 200)
    t.notOk(has(path), 'done again')
  }
  const id = await change('POST', '/api/delete/', { paths: ['b.txt'] })
  t.equal((await undo(id)).statusCode, 200)
  t.equal(read('b.txt'), 'B')
})

t.test('a moved entry goes back, and a file that it replaced is there again', async (t) => {
  const { change, undo, redo, read, has } = await open(t)
  const id = await change('PATCH', move('/a.txt', '/b.txt', '&action=rename&override=true'))
  t.equal(read('b.txt'), 'A')
  t.equal((await undo(id)).statusCode, 200)
  t.equal(read('a.txt') + read('b.txt'), 'AB')
  t.equal((await redo(id)).statusCode, 200)
  t.equal(read('b.txt'), 'A')
  t.notOk(has('a.txt'))
})

t.test('a saved file gets its old content again', async (t) => {
  const { change, undo, redo, read } = await open(t)
  const id = await change('PUT', '/api/resources/a.txt', 'new')
  t.equal(read('a.txt'), 'new')
  t.equal((await undo(id)).statusCode, 200)
  t.equal(read('a.txt'), 'A')
  const again = (await redo(id)).json() as UndoResult
  t.equal(read('a.txt'), 'new')
  t.equal((await undo(again.operation)).statusCode, 200, 'what was done again can be undone again')
  t.equal(read('a.txt'), 'A')
})

t.test('an upload, a copy and a new folder disappear when they are undone', async (t) => {
  const { change, undo, redo, read, has, root } = await open(t)
  const made = [
    ['POST', '/api/resources/new.txt', 'new', 'new.txt'],
    ['PATCH', move('/docs', '/copy', '&action=copy'), undefined, 'copy'],
    ['POST', '/api/resources/folder/', undefined, 'folder'],
    ['POST', '/api/resources/deep/er/c.txt', 'C', 'deep'],
  ] as const
  for (const [method, url, payload, name] of made) {
    const id = await change(method, url, payload)
    t.ok(has(name))
    t.equal((await undo(id)).statusCode, 200, name)
    t.notOk(has(name), name)
    t.equal((await redo(id)).statusCode, 200, name)
    t.ok(has(name), name)
  }
  t.equal(read('copy/sub/y.txt'), 'Y')
  t.equal(readdirSync(root).includes('.coffer-kept'), false)
})

t.test('undo leaves what has changed since, says why, and overwrites nothing', async (t) => {
  const { change, undo, read, root, has } = await open(t)
  const saved = await change('PUT', '/api/resources/a.txt', 'new')
  await change('PUT', '/api/resources/a.txt', 'newer')
  const late = await undo(saved)
  t.equal(late.statusCode, 409)
  t.match(late.body, /has changed/)
  t.equal(read('a.txt'), 'newer')
  const rewritten = await change('PUT', '/api/resources/a.txt', 'newest')
  writeFileSync(join(root, 'a.txt'), 'from another program, in the same file')
  t.equal((await undo(rewritten)).statusCode, 409)
  t.equal(read('a.txt'), 'from another program, in the same file')

  const deleted = await change('POST', '/api/delete/', { paths: ['b.txt', 'docs'] })
  writeFileSync(join(root, 'b.txt'), 'another')
  const undone = (await undo(deleted)).json() as UndoResult
  t.strictSame(undone.done, [{ path: '/docs' }])
  t.match(undone.left, [{ path: '/b.txt', code: 'path.exists' }])
  t.equal(read('b.txt'), 'another')
  t.ok(has('docs/sub/y.txt'))

  const made = await change('POST', '/api/resources/folder/')
  writeFileSync(join(root, 'folder/z'), 'z')
  t.equal((await undo(made)).statusCode, 409)
  t.equal(read('folder/z'), 'z')
})

t.test('an operation is undone once, by the user who did it, with the rights of that moment', async (t) => {
  const { change, undo, redo, as, document, has } = await open(t)
  const id = await change('DELETE', '/api/resources/a.txt')
  const ben = await as('ben')
  t.equal((await undo(id, ben)).statusCode, 404)
  t.equal((await undo('unknown')).statusCode, 404)
  t.equal((await redo(id)).statusCode, 409, 'it was not undone')
  await document.update((draft) => {
    for (const user of Object.values(draft.users))
      if (user.username === 'ann') Object.assign(user.perm, { create: false, delete: false })
  })
  t.equal((await undo(id)).statusCode, 409)
  t.notOk(has('a.txt'))
  await document.update((draft) => {
    for (const user of Object.values(draft.users))
      if (user.username === 'ann') Object.assign(user.perm, { create: true, delete: true })
  })
  const replies = await Promise.all([undo(id), undo(id)])
  t.strictSame(replies.map(({ statusCode }) => statusCode).sort(), [200, 409])
  t.ok(has('a.txt'))
})

t.test('users see their own operations, the newest first', async (t) => {
  const { change, ann, as, undo } = await open(t)
  await change('DELETE', '/api/resources/a.txt')
  const copied = await change('PATCH', move('/docs', '/copy', '&action=copy'))
  await undo(copied)
  const list = (await ann('GET', '/api/operations')).json() as OperationView[]
  t.match(list, [
    { kind: 'undo', state: 'done', paths: [{ path: '/copy' }] },
    { kind: 'copy', state: 'undone', paths: [{ path: '/copy' }], canUndo: false, canRedo: true },
    { kind: 'delete', state: 'done', paths: [{ path: '/a.txt' }], count: 1, canUndo: true },
  ])
  t.strictSame((await (await as('ben'))('GET', '/api/operations')).json(), [])
})

t.test('the shares of a deleted entry work again when the deletion is undone', async (t) => {
  const { change, undo, ann, call } = await open(t)
  const { hash } = (await ann('POST', '/api/share/docs/sub/y.txt')).json()
  const load = async () => (await call('GET', `/api/public/dl/${hash}`)).statusCode
  const shares = async () => (await ann('GET', '/api/shares')).json()?.length ?? 0
  t.equal(await load(), 200)
  const id = await change('DELETE', '/api/resources/docs')
  t.equal(await load(), 404)
  t.equal(await shares(), 0)
  t.equal((await undo(id)).statusCode, 200)
  t.equal(await load(), 200)
  t.equal(await shares(), 1)
  await change('DELETE', '/api/resources/docs?permanent=true')
  t.equal(await load(), 404)
})

t.test('an upload in pieces is undone as a whole', async (t) => {
  const { ann, undo, read } = await open(t)
  const send = (method: string, headers: Record<string, string>, payload?: string) =>
    ann(method, '/api/tus/a.txt?override=true', { headers, ...(payload !== undefined && { payload }) })
  await send('POST', { 'upload-length': '6' })
  const type = 'application/offset+octet-stream'
  await send('PATCH', { 'upload-offset': '0', 'content-type': type }, 'new')
  const last = await send('PATCH', { 'upload-offset': '3', 'content-type': type }, 'est')
  t.equal(read('a.txt'), 'newest')
  t.equal((await undo(String(last.headers['x-operation']))).statusCode, 200)
  t.equal(read('a.txt'), 'A')
})

t.test('each change has one record in the audit log', async (t) => {
  const { change, undo, as } = await open(t)
  // Without a slash at the end, this is the same address.
  const id = await change('POST', '/api/delete', { paths: ['a.txt', 'b.txt'] })
  t.equal((await undo(id)).statusCode, 200)
  const { records } = (await (await as('admin'))('GET', '/api/audit?user=ann')).json()
  t.match(
    records.filter(({ kind }: { kind: string }) => kind !== 'login'),
    [
      { kind: 'undo', outcome: 'done', count: 2 },
      {
        kind: 'delete',
        outcome: 'done',
        count: 2,
        paths: [{ path: '/a.txt' }, { path: '/b.txt' }],
        operation: id,
      },
    ],
  )
  t.equal(records.length, 3)
})

t.test('a permanent deletion cannot be undone', async (t) => {
  const { change, undo } = await open(t)
  const id = await change('DELETE', '/api/resources/a.txt?permanent=true')
  t.equal((await undo(id)).statusCode, 409)
})

t.test('a refused undo or redo names its reason with a code', async (t) => {
  const { change, ann, root } = await open(t)
  const why = async (id: string, verb: 'undo' | 'redo') => {
    const headers = { accept: 'application/json' }
    const reply = await ann('POST', `/api/operations/${id}/${verb}`, { headers })
    return reply.statusCode === 200 ? 'done' : reply.json().details.why
  }
  const id = await change('DELETE', '/api/resources/a.txt')
  t.equal(await why(id, 'redo'), 'over.kept')
  writeFileSync(join(root, 'a.txt'), 'another')
  t.equal(await why(id, 'undo'), 'path.exists')
  rmSync(join(root, 'a.txt'))
  t.equal(await why(id, 'undo'), 'done')
  t.equal(await why(id, 'undo'), 'over.reversed')
  const permanent = await change('DELETE', '/api/resources/b.txt?permanent=true')
  t.equal(await why(permanent, 'undo'), 'kept.unknown')
})
