import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Actor } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import { unrecorded } from '#src/files/changes/change.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { type Person, start } from '#src/testing/start.ts'

type Results = { path: string; status: number; code?: string }[]

async function open(
  t: Test,
  { people = {}, config = {} }: { people?: Record<string, Person>; config?: object } = {},
) {
  const tree = { d: { 'a.txt': 'a', 'b.txt': 'b', in: { 'c.txt': 'c' }, empty: {} }, 'kept.txt': 'kept' }
  const server = await start(t, { tree, people: { ann: {}, ...people }, config })
  const ann = await server.as('ann')
  const remove = (folder: string, paths: unknown[], ask = ann, accept = 'application/json') =>
    ask('POST', `/api/delete${folder}`, { payload: { paths }, headers: { accept } })
  return { ...server, ann, remove }
}

t.test('one request deletes many items and reports the result of each', async (t) => {
  const { remove, root } = await open(t)
  const paths = ['a.txt', 'in', 'missing', 'empty/', 'b.txt', 'a.txt']
  const reply = await remove('/d', paths)
  t.equal(reply.statusCode, 200)
  const answer = reply.json() as Results
  t.strictSame(
    answer.map(({ path, status, code }) => [path, status, code]),
    [
      ['a.txt', 200, undefined],
      ['in', 200, undefined],
      ['missing', 404, 'path.unknown'],
      ['empty/', 200, undefined],
      ['b.txt', 200, undefined],
      ['a.txt', 404, 'path.unknown'],
    ],
  )
  t.strictSame(readdirSync(join(root, 'd')), [])
  t.equal(readFileSync(join(root, 'kept.txt'), 'utf8'), 'kept')
})

t.test('a deletion streams one JSON object per line', async (t) => {
  const { remove, root } = await open(t)
  const names = Array.from({ length: 600 }, (_, n) => `${n}.txt`)
  for (const name of names) writeFileSync(join(root, 'd', name), '')
  const reply = await remove('/d/', names, undefined, 'application/x-ndjson')
  t.equal(reply.headers['content-type'], 'application/x-ndjson')
  const lines = reply.body.trimEnd().split('\n')
  t.strictSame(
    lines.map((line) => JSON.parse(line)),
    names.map((path) => ({ path, status: 200 })),
  )
  t.equal(readdirSync(join(root, 'd')).length, 4)
})

t.test('deletes entries of several folders, and symbolic links instead of their targets', async (t) => {
  const { remove, root } = await open(t)
  symlinkSync('kept.txt', join(root, 'link'))
  mkdirSync(join(root, 'x/y'), { recursive: true })
  const answer = (await remove('/', ['d/in/c.txt', 'link', 'x/y', 'd/a.txt', 'nowhere/z'])).json() as Results
  t.strictSame(
    answer.map(({ status }) => status),
    [200, 200, 200, 200, 404],
  )
  t.strictSame(readdirSync(root).sort(), ['d', 'kept.txt', 'x'])
})

t.test('rejects paths that leave the folder or are the folder itself', async (t) => {
  const { remove, root } = await open(t)
  for (const path of ['', '/', '.', '..', 'in/..', '../..']) {
    const reply = await remove('/d', ['a.txt', path])
    t.equal(reply.statusCode, 400, path)
  }
  const answer = (await remove('/d', ['../kept.txt', '../../../etc/hostname'])).json() as Results
  t.strictSame(
    answer.map(({ status }) => status),
    [404, 404],
  )
  for (const bad of [['a\0b'], ['\ud800'], [1], 'a.txt', []]) {
    t.equal((await remove('/d', bad as unknown[])).statusCode, 400, JSON.stringify(bad))
  }
  t.strictSame(readdirSync(join(root, 'd')), ['a.txt', 'b.txt', 'empty', 'in'])
  t.ok(existsSync(join(root, 'kept.txt')))
})

t.test('one request may delete at most 10,000 entries', async (t) => {
  const { remove } = await open(t)
  const names = (count: number) => Array.from({ length: count }, () => 'x')
  t.equal((await remove('/d', names(10_001))).statusCode, 400)
  t.equal(((await remove('/d', names(10_000))).json() as Results).length, 10_000)
})

t.test('permissions and rules apply to each item', async (t) => {
  const rule = { regex: false, allow: false, path: '/d/b.txt', regexp: null }
  const inside = { regex: false, allow: false, path: '/d/in/c.txt', regexp: null }
  const people = { bob: { rules: [rule, inside] }, eve: { perm: { delete: false } }, sub: { scope: '/d' } }
  const { remove, as, root, call } = await open(t, { people })
  t.equal((await remove('/d', ['a.txt'], await as('eve'))).statusCode, 403)
  t.equal((await call('POST', '/api/delete/d', { payload: { paths: ['a.txt'] } })).statusCode, 401)
  const answer = (await remove('/d', ['a.txt', 'b.txt', 'in'], await as('bob'))).json() as Results
  t.strictSame(
    answer.map(({ status }) => status),
    [200, 403, 403],
  )
  t.strictSame(readdirSync(join(root, 'd')), ['b.txt', 'empty', 'in'])
  t.equal(((await remove('/', ['d/b.txt'], await as('sub'))).json() as Results)[0]?.status, 404)
})

t.test('delete commands run for each item, and a failing command keeps its item', async (t) => {
  const { remove, document, root, base } = await open(t, { config: { enableExec: true } })
  const log = join(base, 'log')
  await document.update((draft) => {
    draft.settings.commands.before_delete = [
      `sh -c 'echo "$FILE" >> ${log}; case "$FILE" in *b.txt) exit 1;; esac'`,
    ]
  })
  const answer = (await remove('/d', ['a.txt', 'b.txt', 'empty'])).json() as Results
  t.strictSame(
    answer.map(({ status, code }) => [status, code]),
    [
      [200, undefined],
      [500, 'hook.before'],
      [200, undefined],
    ],
  )
  t.strictSame(readdirSync(join(root, 'd')), ['b.txt', 'in'])
  t.equal(readFileSync(log, 'utf8').trimEnd().split('\n').length, 3)
})

t.test('deleting a file removes its shares', async (t) => {
  const { remove, ann, call } = await open(t)
  const hashes: string[] = []
  for (const path of ['d/a.txt', 'd/in/c.txt', 'kept.txt']) {
    hashes.push((await ann('POST', `/api/share/${path}`)).json().hash)
  }
  await remove('/d', ['a.txt', 'in'])
  const found = []
  for (const hash of hashes) found.push((await call('GET', `/api/public/dl/${hash}`)).statusCode)
  t.strictSame(found, [404, 404, 200])
})

t.test('a deletion stops after the user logs out', async (t) => {
  const { ann, document, root } = await open(t, { config: { enableExec: true } })
  await document.update((draft) => {
    draft.settings.commands.before_delete = ["sh -c 'exit 0'"]
  })
  for (let n = 0; n < 400; n++) writeFileSync(join(root, 'd', `${n}.txt`), '')
  const paths = Array.from({ length: 400 }, (_, n) => `${n}.txt`)
  const deleting = ann('POST', '/api/delete/d', { payload: { paths } }).catch(() => undefined)
  while (existsSync(join(root, 'd/0.txt'))) await new Promise(setImmediate)
  await ann('POST', '/api/logout')
  await deleting
  t.ok(existsSync(join(root, 'd/399.txt')))
})

t.test('a deletion reports the deleted items before it fails because the session has ended', async (t) => {
  const { services, document, root } = await open(t)
  const { id = 0 } = Object.values(document.data.users).find(({ username }) => username === 'ann') ?? {}
  const person = services.auth.personOf(id, unrecorded)
  if (!person) throw new Error('ann has gone')
  // The worker threads are running now, so the next two items are processed in one batch.
  await services.entries.remove(person as Actor, '/d/empty' as UserPath)
  let checkCount = 0
  const check = (): void => {
    if (existsSync(join(root, 'd/a.txt'))) return
    checkCount++
    throw new Problem('auth.required')
  }
  const actor = Object.defineProperty(person, 'check', { value: check }) as unknown as Actor
  const names = ['a.txt', 'b.txt', 'in']
  const wanted = names.map((name) => ({ requestedPath: name, path: `/d/${name}` as UserPath }))
  const reported: unknown[] = []
  const deleting = async () => {
    const { signal } = new AbortController()
    for await (const part of await services.entries.removeAll(actor, wanted, { signal }))
      reported.push(...part)
  }
  await t.rejects(deleting(), { code: 'auth.required' })
  t.ok(checkCount > 0)
  t.strictSame(reported, [{ path: 'a.txt', status: 200 }])
  t.strictSame(readdirSync(join(root, 'd')).sort(), ['b.txt', 'in'])
})
