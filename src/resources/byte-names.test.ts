import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { start } from '#src/testing/start.ts'

const latin = Buffer.from('caf\xe9.txt', 'latin1')
const spelled = 'caf\ufffd%E9.txt'
// Real names that look similar to the spelled name.
const alike = ['caf%E9.txt', 'caf\ufffd%E9.txt', 'caf\ufffd.txt', 'café.txt']

async function open(t: Test, people = {}) {
  const server = await start(t, { tree: { d: {}, 'a.txt': 'a' }, people })
  const admin = await server.as('admin')
  const inRoot = (name: Buffer, folder = '') =>
    Buffer.concat([Buffer.from(`${join(server.root, folder)}/`), name])
  writeFileSync(inRoot(latin), 'latin')
  for (const name of alike) writeFileSync(join(server.root, name), name)
  const list = async (folder = '/', ask = admin) => {
    const { items } = (await ask('GET', `/api/resources${folder}`)).json()
    return items as { name: string; path: string; url: string; size: number }[]
  }
  return { ...server, admin, inRoot, list }
}

const address = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const destination = (path: string) => encodeURIComponent(address(path))

t.test('a file whose name is not UTF-8 can be read, downloaded and searched', async (t) => {
  const { admin, list } = await open(t)
  const contents: string[] = []
  for (const { path, name } of await list()) {
    if (name === 'd') continue
    const { body } = await admin('GET', `/api/raw${address(path)}`)
    t.equal((await admin('GET', `/api/resources${address(path)}`)).json().content, body, name)
    contents.push(body)
  }
  t.strictSame(contents.sort(), ['a', 'latin', ...alike].sort(), 'each name leads to its own file')
  t.equal((await admin('GET', `/api/raw/${encodeURIComponent(spelled)}`)).body, 'latin')
  t.equal((await admin('GET', '/api/raw/caf%25E9.txt')).body, 'caf%E9.txt')
  const hits = (await admin('GET', '/api/search/?query=caf')).json() as { path: string }[]
  t.ok(hits.some(({ path }) => path === spelled))
  const archive = await admin('GET', '/api/raw/?algo=tar')
  t.ok(archive.rawPayload.includes(Buffer.from(spelled)), 'an archive contains the spelled name')
  t.ok(archive.rawPayload.includes('latin'))
})

t.test('a file whose name is not UTF-8 can be renamed, moved, copied, saved and deleted', async (t) => {
  const { admin, inRoot, root } = await open(t)
  const patch = async (from: string, to: string, action = 'rename') => {
    const url = `/api/resources${address(from)}?action=${action}&destination=${destination(to)}`
    t.equal((await admin('PATCH', url)).statusCode, 200, `${from} to ${to}`)
  }
  t.equal(
    (await admin('PUT', `/api/resources/${encodeURIComponent(spelled)}`, { payload: 'new' })).statusCode,
    200,
  )
  t.equal(readFileSync(inRoot(latin), 'utf8'), 'new')
  await patch(`/${spelled}`, `/d/${spelled}`)
  t.notOk(existsSync(inRoot(latin)))
  t.equal(readFileSync(inRoot(latin, 'd'), 'utf8'), 'new')
  await patch('/d', '/e', 'copy')
  t.equal(readFileSync(inRoot(latin, 'e'), 'utf8'), 'new')
  t.equal((await admin('DELETE', `/api/resources/d/${encodeURIComponent(spelled)}`)).statusCode, 200)
  t.notOk(existsSync(inRoot(latin, 'd')))
  await patch(`/e/${spelled}`, '/e/good.txt')
  t.same(readdirSync(join(root, 'e')), ['good.txt'])
  for (const name of alike)
    t.equal(readFileSync(join(root, name), 'utf8'), name, 'files with similar names are unchanged')
})

t.test('a folder whose name is not UTF-8 can be listed, written and deleted', async (t) => {
  const { admin, inRoot, list } = await open(t)
  const folder = `/${encodeURIComponent('gr\ufffd%FCn')}`
  mkdirSync(inRoot(Buffer.from('gr\xfcn', 'latin1')))
  t.equal((await admin('POST', `/api/resources${folder}/in/`)).statusCode, 200)
  t.equal((await admin('POST', `/api/resources${folder}/in/a.txt`, { payload: 'x' })).statusCode, 200)
  const real = Buffer.from('gr\xfcn/in/a.txt', 'latin1')
  t.equal(readFileSync(inRoot(real), 'utf8'), 'x')
  t.match(await list(`${folder}/in/`), [{ name: 'a.txt', path: '/gr\ufffd%FCn/in/a.txt' }])
  const begin = await admin('POST', `/api/tus${folder}/b.txt`, { headers: { 'upload-length': '1' } })
  t.equal(begin.statusCode, 201)
  const headers = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  t.equal((await admin('PATCH', `/api/tus${folder}/b.txt`, { payload: 'b', headers })).statusCode, 204)
  t.equal(readFileSync(inRoot(Buffer.from('gr\xfcn/b.txt', 'latin1')), 'utf8'), 'b')
  const removed = await admin('POST', '/api/delete/', { payload: { paths: ['gr\ufffd%FCn', spelled] } })
  t.match(removed.json(), [{ status: 200 }, { status: 200 }])
  t.notOk(existsSync(inRoot(Buffer.from('gr\xfcn', 'latin1'))))
})

t.test('rules apply to names that are not UTF-8', async (t) => {
  const rule = { regex: false, allow: false, path: `/${spelled}`, regexp: null }
  const { as, list, inRoot } = await open(t, { ann: { rules: [rule] } })
  const ann = await as('ann')
  const encoded = encodeURIComponent(spelled)
  t.notOk((await list('/', ann)).some(({ name }) => name === spelled))
  t.equal((await ann('GET', `/api/raw/${encoded}`)).statusCode, 403)
  t.equal((await ann('DELETE', `/api/resources/${encoded}`)).statusCode, 403)
  const url = `/api/resources/a.txt?action=copy&override=true&destination=${destination(`/${spelled}`)}`
  t.equal((await ann('PATCH', url)).statusCode, 403)
  t.equal(readFileSync(inRoot(latin), 'utf8'), 'latin')
})

t.test('spelled bytes cannot leave the scope, and raw bytes in a URL are rejected', async (t) => {
  const { as, admin, base } = await open(t, { ann: { scope: '/d' } })
  writeFileSync(join(base, 'outside.txt'), 'SECRET')
  const ann = await as('ann')
  const dots = [
    '\ufffd%2E\ufffd%2E',
    '.\ufffd%2E',
    '..\ufffd%2F..',
    '\ufffd%C0\ufffd%AE\ufffd%C0\ufffd%AE',
    '..\ufffd%00',
  ]
  for (const each of dots) {
    for (const ask of [ann, admin]) {
      for (const path of [`${each}/a.txt`, `${each}/${each}/outside.txt`, `x/${each}/${each}/a.txt`]) {
        const reply = await ask('GET', `/api/raw/${address(path)}`)
        t.ok(reply.statusCode === 400 || reply.statusCode === 404, `${reply.statusCode} ${path}`)
      }
    }
  }
  for (const raw of ['caf%E9.txt', '%FF', '%c0%ae%c0%ae/a.txt']) {
    t.equal((await admin('GET', `/api/raw/${raw}`)).statusCode, 400, raw)
  }
})

t.test('a share follows a shared file whose name is not UTF-8 when the file moves', async (t) => {
  const { admin, call } = await open(t)
  const { hash } = (await admin('POST', `/api/share/${encodeURIComponent(spelled)}`)).json()
  const read = async () => (await call('GET', `/api/public/dl/${hash}`)).body
  t.equal(await read(), 'latin')
  const url = `/api/resources/${encodeURIComponent(spelled)}?action=rename&destination=${destination(`/d/${spelled}`)}`
  t.equal((await admin('PATCH', url)).statusCode, 200)
  t.equal(await read(), 'latin')
})

t.test('a new name must be UTF-8', async (t) => {
  const { admin, root } = await open(t)
  const fresh = 'new\ufffd%E9.txt'
  const before = readdirSync(root, { recursive: true, encoding: 'buffer' }).map(String)
  const encoded = encodeURIComponent(fresh)
  const to = (path: string, action: string) => `action=${action}&destination=${destination(path)}`
  const calls: [method: string, url: string, rest?: object][] = [
    ['POST', `/api/resources/${encoded}`, { payload: 'x' }],
    ['POST', `/api/resources/${encoded}/`],
    ['POST', `/api/resources/${encoded}/in/a.txt`, { payload: 'x' }],
    ['POST', `/api/resources/n/${encoded}/a.txt`, { payload: 'x' }],
    ['PUT', `/api/resources/${encoded}`, { payload: 'x' }],
    ['POST', `/api/tus/${encoded}`, { headers: { 'upload-length': '1' } }],
    ['POST', `/api/tus/n/${encoded}`, { headers: { 'upload-length': '0' } }],
    ...['copy', 'rename'].flatMap((action): [string, string][] => [
      ['PATCH', `/api/resources/a.txt?${to(`/${fresh}`, action)}`],
      ['PATCH', `/api/resources/a.txt?${to(`/n/m/${fresh}`, action)}`],
      ['PATCH', `/api/resources/a.txt?${to(`/${fresh}/a.txt`, action)}`],
      ['PATCH', `/api/resources/${encodeURIComponent(spelled)}?${to(`/d/${fresh}`, action)}`],
      ['PATCH', `/api/resources/d?${to(`/${fresh}`, action)}`],
    ]),
    // The free name beside it would be a new name that is not UTF-8.
    ['PATCH', `/api/resources/${encodeURIComponent(spelled)}?rename=true&${to(`/${spelled}`, 'copy')}`],
  ]
  for (const [method, url, rest] of calls) {
    const reply = await admin(method, url, rest)
    t.match(reply, { statusCode: 400, body: /a new name must be UTF-8/ }, `${method} ${url} ${reply.body}`)
  }
  const after = readdirSync(root, { recursive: true, encoding: 'buffer' }).map(String)
  t.strictSame(after.sort(), before.sort(), 'nothing was created or moved')
})
