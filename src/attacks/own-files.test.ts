import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { start } from '#src/testing/start.ts'
import { zipEntries } from './unpack.ts'

// Coffer's own files below the served folder: its state, and the temporary files of running uploads.

const secret = 'STATE-CANARY'
const half = 'HALF-CANARY'

/** A folder `/in` with the state file and a running upload, a symbolic link `/way` to it, and an administrator. */
async function world(t: Test, config = {}) {
  const database = join(t.testdirName, 'root/in/conf/coffer.json')
  const tree = {
    in: { 'a.txt': 'mine', '.dot': 'mine', conf: { 'coffer.json': secret, 'b.txt': 'mine' }, sub: {} },
  }
  const made = await start(t, { tree, config: { database, ...config } })
  const admin = await made.as('admin')
  await admin('POST', '/api/tus/in/sub/big.bin', { headers: { 'upload-length': '100' } })
  const piece = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  await admin('PATCH', '/api/tus/in/sub/big.bin', { headers: piece, payload: half })
  const [part = ''] = readdirSync(join(made.root, 'in/sub'))
  t.match(part, /^\.coffer-part-/)
  symlinkSync('in', join(made.root, 'way'))
  symlinkSync('conf/coffer.json', join(made.root, 'in/to-state'))
  symlinkSync(`sub/${part}`, join(made.root, 'in/to-part'))
  return { ...made, admin, part }
}

const isClean = (t: Test, what: string, text: string) => {
  for (const word of [secret, half, 'coffer.json', '.coffer-part-', 'to-state', 'to-part']) {
    t.notOk(text.includes(word), `${what} contains ${word}`)
  }
}

t.test("listings and archives contain neither Coffer's own files nor temporary files", async (t) => {
  const { admin, call } = await world(t)
  const { hash } = (await admin('POST', '/api/share/in')).json()
  const calls = [
    '/resources*',
    '/search*?query=',
    '/resources/recursive*',
    '/usage*',
    '/raw*?algo=zip',
    '/raw*?algo=tar',
  ]
  const urls = ['/', '/in/', '/way/', '/in/conf/', '/in/sub/'].flatMap((top) =>
    calls.map((one) => `/api${one.replace('*', top)}`),
  )
  for (const url of urls) {
    const response = await admin('GET', url)
    t.equal(response.statusCode, 200, url)
    isClean(t, url, textOf(url, response.rawPayload))
  }
  for (const inside of ['', '/sub', '/conf']) {
    for (const url of [`/api/public/share/${hash}${inside}`, `/api/public/dl/${hash}${inside}?algo=zip`]) {
      isClean(t, url, textOf(url, (await call('GET', url)).rawPayload))
    }
  }
})

/** The text of a response, with archives unpacked. */
function textOf(url: string, bytes: Buffer): string {
  return url.endsWith('zip') ? JSON.stringify(zipEntries(bytes)) : bytes.toString('latin1')
}

t.test(
  "Coffer's own files and temporary files cannot be read by any call, by name or through a symbolic link",
  async (t) => {
    const { admin, part } = await world(t)
    const paths = [
      '/in/conf/coffer.json',
      '/in/to-state',
      '/in/to-part',
      '/way/conf/coffer.json',
      `/in/sub/${part}`,
    ]
    const verbs = [
      'resources',
      'raw',
      'preview/thumb',
      'subtitle',
      'usage',
      'rights',
      'search',
      'resources/recursive',
    ]
    for (const url of paths.flatMap((path) => verbs.map((verb) => `/api/${verb}${path}?checksum=md5`))) {
      const response = await admin('GET', url)
      t.ok([403, 404].includes(response.statusCode), `${url}: ${response.statusCode}`)
      t.notOk(response.body.includes(secret) || response.body.includes(half), url)
    }
  },
)

t.test("a copy of a folder contains neither Coffer's own files nor temporary files", async (t) => {
  const { admin, root } = await world(t)
  const transfers = { '/copy': '/in', '/copy2': '/way', '/new/folders/copy': '/in' }
  for (const [to, from] of Object.entries(transfers)) {
    t.match(await admin('PATCH', `/api/resources${from}?action=copy&destination=${to}`), { statusCode: 200 })
    const found = readdirSync(`${root}${to}`, { recursive: true }).map(String).sort()
    t.strictSame(found, ['.dot', 'a.txt', 'conf', 'conf/b.txt', 'sub', 'to-part', 'to-state'], to)
  }
  t.match(await admin('PATCH', '/api/resources/in/conf?action=copy&destination=/conf'), { statusCode: 200 })
  t.strictSame(readdirSync(join(root, 'conf')), ['b.txt'])
})

t.test('a rule about hidden names does not prevent copying a folder with a running upload', async (t) => {
  const { admin, root } = await world(t)
  const rules = [{ allow: false, path: '', regex: true, regexp: { raw: '/\\.coffer' } }]
  await admin('PUT', '/api/settings', { payload: { rules } })
  for (const to of ['/copy', '/new/copy']) {
    t.match(await admin('PATCH', `/api/resources/in/sub?action=copy&destination=${to}`), {
      statusCode: 200,
    })
    t.strictSame(readdirSync(`${root}${to}`), [])
  }
})

t.test(
  "a folder with Coffer's own files can be neither deleted nor moved, and none can take their place",
  async (t) => {
    const log = join(t.testdirName, 'root/logs/deep/coffer.json')
    const { admin, root } = await world(t)
    for (const path of ['/in', '/in/conf']) {
      for (const [method, query] of [
        ['DELETE', ''],
        ['PATCH', '?action=rename&destination=/elsewhere'],
      ] as const) {
        const refused = await admin(method, `/api/resources${path}${query}`)
        t.equal(refused.statusCode, 403)
        t.equal(refused.body, `403 Forbidden (a rule denies access to ${path})\n`)
      }
    }
    t.equal(readFileSync(join(root, 'in/conf/coffer.json'), 'utf8'), secret)
    t.notOk(existsSync(join(root, 'elsewhere')))
    // A path of Coffer's own that does not exist yet.
    const other = await start(t, {
      tree: { evil: { deep: { 'coffer.json': 'PLANTED' } } },
      config: { database: log },
    })
    const again = await other.as('admin')
    for (const action of ['copy', 'rename']) {
      const refused = await again('PATCH', `/api/resources/evil?action=${action}&destination=/logs`)
      t.equal(refused.statusCode, 403, action)
    }
    mkdirSync(join(other.root, 'logs'))
    writeFileSync(join(other.root, 'evil/f.txt'), '')
    for (const action of ['copy', 'rename']) {
      const refused = await again('PATCH', `/api/resources/evil/deep?action=${action}&destination=/logs/deep`)
      t.equal(refused.statusCode, 403, action)
    }
  },
)

t.test("another name of one of Coffer's own files serves nothing of it", async (t) => {
  const tree = { docs: { 'a.txt': 'mine' } }
  const { as, call, root, base } = await start(t, { tree })
  const admin = await as('admin')
  const own = {
    'history.db': 'state.d/history.db',
    'key.pem': 'state.json',
    'session.txt': 'state.d/sessions/s',
  }
  for (const path of Object.values(own).slice(1)) writeFileSync(join(base, path), secret)
  const { hash } = (await admin('POST', '/api/share/docs')).json()
  for (const [name, path] of Object.entries(own)) linkSync(join(base, path), join(root, 'docs', name))
  linkSync(join(root, 'docs/a.txt'), join(root, 'docs/b.txt'))
  symlinkSync('key.pem', join(root, 'docs/way'))
  const banner = 'SQLite format 3'
  const isRefused = async (ask: typeof call, url: string) => {
    const { statusCode, rawPayload } = await ask('GET', url)
    t.ok([403, 404].includes(statusCode), `${url}: ${statusCode}`)
    const text = rawPayload.toString('latin1')
    t.notOk(text.includes(secret) || text.includes(banner), url)
  }
  for (const name of [...Object.keys(own), 'way']) {
    for (const verb of ['resources', 'raw', 'preview/thumb', 'subtitle'])
      await isRefused(admin, `/api/${verb}/docs/${name}`)
    await isRefused(admin, `/api/resources/docs/${name}?checksum=md5`)
    await isRefused(call, `/api/public/dl/${hash}/${name}`)
    await isRefused(call, `/api/public/share/${hash}/${name}`)
    const copy = await admin('PATCH', `/api/resources/docs/${name}?action=copy&destination=/copy-${name}`)
    t.equal(copy.statusCode, 403, name)
  }
  for (const url of ['/api/raw/docs?algo=tar', `/api/public/dl/${hash}?algo=tar`]) {
    const archive = (await admin('GET', url)).rawPayload.toString('latin1')
    t.notOk(archive.includes(secret) || archive.includes(banner), url)
    t.ok(archive.includes('b.txt'), 'other files with several names are there')
  }
  await admin('PATCH', '/api/resources/docs?action=copy&destination=/copy')
  t.strictSame(readdirSync(join(root, 'copy')).sort(), ['a.txt', 'b.txt', 'way'])
  t.equal((await admin('GET', '/api/raw/docs/b.txt')).body, 'mine')

  t.equal((await admin('PUT', '/api/resources/docs/session.txt', { payload: 'new' })).statusCode, 403)
  t.equal((await admin('DELETE', '/api/resources/docs/key.pem')).statusCode, 403)
  const rename = '/api/resources/docs/key.pem?action=rename&destination=/key.pem'
  t.equal((await admin('PATCH', rename)).statusCode, 403)
  t.equal(readFileSync(join(base, 'state.json'), 'utf8'), secret)
  writeFileSync(join(base, 'next'), 'the next state')
  renameSync(join(base, 'next'), join(base, 'state.json'))
  await isRefused(admin, '/api/raw/docs/key.pem')
  t.equal(statSync(join(root, 'docs/key.pem')).nlink, 1, 'the replaced file has no other name now')
})
