import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { start } from '#src/testing/start.ts'

// macOS names the icon of a folder `Icon` and a carriage return.
const names = [
  'Icon\r',
  'line\nfeed.txt',
  'tab\tin it.txt',
  '\u001b[2J.txt',
  'delete\u007f',
  'next\u0085line',
]

async function open(t: Test, people = {}) {
  const server = await start(t, { tree: { d: {}, 'a.txt': 'a', Icon: 'another file' }, people })
  const admin = await server.as('admin')
  for (const name of names) writeFileSync(join(server.root, name), `in ${name}`)
  return { ...server, admin, has: (path: string) => existsSync(join(server.root, path)) }
}

const address = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const destination = (path: string) => encodeURIComponent(address(path))
const move = (from: string, to: string, action = 'rename') =>
  `/api/resources${address(from)}?action=${action}&destination=${destination(to)}`

t.test('a file whose name has a control character can be read, downloaded and searched', async (t) => {
  const { admin } = await open(t)
  const { items } = (await admin('GET', '/api/resources/')).json()
  const listed = (items as { name: string; url: string }[]).filter(({ name }) => names.includes(name))
  t.equal(listed.length, names.length)
  for (const { name, url } of listed) {
    const view = await admin('GET', url.replace('/files', '/api/resources'))
    t.match(view.json(), { name, content: `in ${name}` }, encodeURIComponent(name))
    const download = await admin('GET', url.replace('/files', '/api/raw'))
    t.equal(download.body, `in ${name}`)
    t.match(download.headers['content-disposition'], `utf-8''${encodeURIComponent(name).slice(0, 4)}`)
  }
  const found = (await admin('GET', '/api/search/?query=icon')).json() as { path: string }[]
  t.strictSame(found.map(({ path }) => path).sort(), ['Icon', 'Icon\r'])
  const archive = await admin('GET', `/api/raw/?algo=tar&files=${destination('/Icon\r')}`)
  t.ok(archive.rawPayload.includes('in Icon\r'))
})

t.test(
  'a file whose name has a control character can be saved, moved, copied, renamed and deleted',
  async (t) => {
    const { admin, has, root } = await open(t)
    for (const name of names) {
      const path = encodeURIComponent(name)
      t.equal((await admin('PUT', `/api/resources/${path}`, { payload: 'new' })).statusCode, 200, path)
      t.equal((await admin('PATCH', move(`/${name}`, `/d/${name}`))).statusCode, 200, path)
      t.ok(has(`d/${name}`) && !has(name))
      t.equal((await admin('PATCH', move('/d', `/copy of ${path}`, 'copy'))).statusCode, 200)
      t.equal(readFileSync(join(root, `copy of ${path}`, name), 'utf8'), 'new')
      t.equal((await admin('PATCH', move(`/copy of ${path}/${name}`, '/plain.txt'))).statusCode, 200)
      t.equal((await admin('DELETE', '/api/resources/plain.txt')).statusCode, 200)
      const { headers } = await admin('DELETE', `/api/resources/d/${path}`)
      t.notOk(has(`d/${name}`))
      t.equal((await admin('POST', `/api/operations/${headers['x-operation']}/undo`)).statusCode, 200)
      t.equal(readFileSync(join(root, 'd', name), 'utf8'), 'new', 'the deletion is undone')
      t.equal((await admin('DELETE', `/api/resources/d/${path}?permanent=true`)).statusCode, 200)
    }
    t.equal(readFileSync(join(root, 'Icon'), 'utf8'), 'another file')
  },
)

t.test('a folder whose name has a control character can be listed, written and deleted', async (t) => {
  const { admin, root, has } = await open(t)
  const folder = `/${encodeURIComponent('dir\nectory')}`
  mkdirSync(join(root, 'dir\nectory'))
  t.equal((await admin('POST', `/api/resources${folder}/in/a.txt`, { payload: 'x' })).statusCode, 200)
  t.match((await admin('GET', `/api/resources${folder}/in/`)).json().items, [
    { path: '/dir\nectory/in/a.txt' },
  ])
  const headers = {
    'upload-length': '1',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  }
  t.equal((await admin('POST', `/api/tus${folder}/b.txt`, { headers })).statusCode, 201)
  t.equal((await admin('PATCH', `/api/tus${folder}/b.txt`, { payload: 'b', headers })).statusCode, 204)
  t.equal(readFileSync(join(root, 'dir\nectory/b.txt'), 'utf8'), 'b')
  const removed = await admin('POST', '/api/delete/', { payload: { paths: ['dir\nectory', 'Icon\r'] } })
  t.match(removed.json(), [{ status: 200 }, { status: 200 }])
  t.notOk(has('dir\nectory') || has('Icon\r'))
  const gone = await admin('GET', `/api/resources${folder}/`)
  t.match(gone, { statusCode: 404, body: '404 Not Found (/dir\\x0aectory does not exist)\n' }, 'in one line')
})

t.test(
  'rules apply to names with control characters, and a pattern does not end at a line feed',
  async (t) => {
    const path = { regex: false, allow: false, path: '/Icon\r', regexp: null }
    const pattern = { regex: true, allow: false, path: '', regexp: { raw: '^/line.*\\.txt$' } }
    const { as } = await open(t, { ann: { rules: [path, pattern] } })
    const ann = await as('ann')
    const listed = (await ann('GET', '/api/resources/')).json().items as { name: string }[]
    for (const name of ['Icon\r', 'line\nfeed.txt']) {
      t.notOk(listed.some((item) => item.name === name))
      t.equal((await ann('GET', `/api/raw/${encodeURIComponent(name)}`)).statusCode, 403)
      t.equal((await ann('DELETE', `/api/resources/${encodeURIComponent(name)}`)).statusCode, 403)
    }
    t.equal((await ann('GET', '/api/raw/Icon')).statusCode, 200)
  },
)

t.test('a file whose name has a control character is shared, and visitors download it', async (t) => {
  const { admin, call } = await open(t)
  const { hash } = (await admin('POST', `/api/share/${encodeURIComponent('Icon\r')}`)).json()
  t.equal((await call('GET', `/api/public/dl/${hash}`)).body, 'in Icon\r')
  const folder = (await admin('POST', '/api/share/')).json()
  t.equal((await call('GET', `/api/public/dl/${folder.hash}/Icon%0D`)).body, 'in Icon\r')
})

t.test('a new name must not have a control character', async (t) => {
  const { admin, root } = await open(t)
  const before = readdirSync(root, { recursive: true }).map(String).sort()
  for (const fresh of ['new\r', 'new\nline.txt', 'new\ttab', 'new\u001b', 'new\u0085']) {
    const encoded = encodeURIComponent(fresh)
    const headers = { 'upload-length': '1' }
    const calls: [method: string, url: string, rest?: object][] = [
      ['POST', `/api/resources/${encoded}`, { payload: 'x' }],
      ['POST', `/api/resources/${encoded}/`],
      ['POST', `/api/resources/n/${encoded}/a.txt`, { payload: 'x' }],
      ['PUT', `/api/resources/${encoded}`, { payload: 'x' }],
      ['POST', `/api/tus/${encoded}`, { headers }],
      ['PATCH', move('/a.txt', `/${fresh}`, 'copy')],
      ['PATCH', move('/a.txt', `/${fresh}`)],
      ['PATCH', move('/Icon\r', `/d/${fresh}`)],
      ['PATCH', move('/d', `/n/${fresh}`)],
    ]
    for (const [method, url, rest] of calls) {
      const reply = await admin(method, url, rest)
      t.match(reply, { statusCode: 400, body: /a new name must not contain a control character/ }, url)
    }
  }
  t.strictSame(readdirSync(root, { recursive: true }).map(String).sort(), before)
})
