import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { problemOf } from '#src/core/errno.ts'
import { isTemporary } from '#src/files/paths/temporary.ts'
import { mountFailing } from '#src/testing/failing-disk.ts'
import { hostileNames } from '#src/testing/names.ts'
import { mountSmall } from '#src/testing/small-disk.ts'
import { start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'

// ENOSYS has the kernel leave out the call from then on, and EINTR has it asked again. A wrong descriptor or address is a
// bug of ours as far as the server can see.
const left = new Set(['ENOSYS', 'EINTR', 'EBADF', 'EFAULT'])
/** Whether it has a meaning of its own; the others are answered alike, so a few of them will do. */
const hasMeaning = (code: string) => problemOf(Object.assign(new Error(), { code }), '/') !== undefined
const all = Object.entries(constants.errno).filter(([name]) => !left.has(name))
const errnos = [
  ...all.filter(([name]) => hasMeaning(name)),
  ...all.filter(([name]) => !hasMeaning(name)).slice(0, 5),
]

/** Every call that touches the disk, on what is in the failing folder `top`. */
const calls = (top: string): [method: string, url: string, rest?: object][] => [
  ['GET', `resources/${top}/`],
  ['GET', `resources/${top}/file`],
  ['GET', `resources/${top}/opened`],
  ['GET', `resources/${top}/opened?checksum=md5`],
  ['GET', `resources/${top}/file?checksum=sha256`],
  ['GET', `raw/${top}/file`],
  ['GET', `raw/${top}/?algo=tar`],
  ['GET', `raw/${top}/?files=file,opened&algo=zip`],
  ['GET', `preview/thumb/${top}/file`],
  ['GET', `subtitle/${top}/file`],
  ['GET', `usage/${top}/`],
  ['GET', `search/${top}/?query=x`],
  ['GET', `resources/recursive/${top}/`],
  ['POST', `resources/${top}/new.txt`, { payload: 'new' }],
  ['POST', `resources/${top}/new/`],
  ['POST', `resources/${top}/sub/deep/new.txt`, { payload: 'new' }],
  ['PUT', `resources/${top}/file`, { payload: 'new' }],
  ['POST', `tus/${top}/new.bin`, { headers: { 'upload-length': '5' } }],
  ['PATCH', `resources/${top}/file?action=rename&destination=/${top}/other`],
  ['PATCH', `resources/${top}/file?action=copy&destination=/copy`],
  ['PATCH', `resources/${top}/sub?action=copy&destination=/copy`],
  ['PATCH', `resources/${top}/sub?action=rename&destination=/moved`],
  ['PATCH', `resources/well.txt?action=copy&destination=/${top}/copy`],
  ['PATCH', `resources/well.txt?action=rename&destination=/${top}/moved`],
  ['DELETE', `resources/${top}/file`],
  ['DELETE', `resources/${top}/sub`],
  ['POST', `share/${top}/sub`],
]

t.test(
  'whatever a disk answers to whichever call is a refusal with a sentence, and never a failure of the server',
  async (t) => {
    const { as, root, base, config } = await start(t, {
      tree: { 'well.txt': 'well', bad: {} },
      config: { log: join(t.testdirName, 'coffer.log') },
    })
    if (!mountFailing(t, join(root, 'bad')))
      return void t.pass('a disk that fails', { skip: 'this system lets nobody mount one' })
    const ask = await as('admin')
    const seen = new Set<number>()
    for (const [name, errno] of errnos) {
      for (const [method, url, rest] of calls(`bad/${errno}`)) {
        const { statusCode, body } = await ask(method, `/api/${url}`, { ...rest })
        seen.add(statusCode)
        const isWell = statusCode < 500 || statusCode === 503 || statusCode === 507
        if (!isWell || body.includes(base))
          t.fail(`${name}: ${method} ${url}: ${statusCode} ${body.slice(0, 300)}`)
      }
    }
    for (const status of [400, 403, 404, 413, 422, 423, 503, 507])
      t.ok(seen.has(status), `${status} is among the answers`)
    t.strictSame(readdirSync(root).sort(), ['bad', 'well.txt'], 'nothing half done is left')
    t.equal(readFileSync(join(root, 'well.txt'), 'utf8'), 'well')
    t.match(readFileSync(config.log, 'utf8'), /the disk failed[\s\S]*EIO/, 'the log tells of the broken disk')
  },
)

const oddNames = [
  ...hostileNames,
  'a:b',
  'a*b?',
  'pipe|',
  'tab\ttab',
  'trailing dot.',
  'NUL',
  'x'.repeat(255),
  'x'.repeat(256),
  'é'.repeat(128),
  '\u{1f600}'.repeat(63),
  '\u{1f600}'.repeat(200),
]

for (const kind of ['tmpfs', 'ext4', 'vfat', 'exfat'] as const) {
  t.test(`on ${kind}, a name is taken or refused with a sentence`, async (t) => {
    const disk = mountSmall(t, kind)
    if (!disk) return void t.pass(kind, { skip: 'this system lets nobody mount one' })
    const root = join(disk, 'root')
    mkdirSync(root)
    writeFileSync(join(root, 'from.txt'), 'from')
    const { as } = await start(t, { config: { root } })
    const ask = await as('admin')
    for (const name of oddNames) {
      const path = encodeURIComponent(name)
      for (const [method, url, payload] of [
        ['POST', `resources/${path}`, 'new'],
        ['GET', `raw/${path}`],
        ['DELETE', `resources/${path}`],
        ['POST', `resources/${path}/`],
        ['DELETE', `resources/${path}`],
        ['PATCH', `resources/from.txt?action=copy&destination=/${path}`],
        ['DELETE', `resources/${path}`],
        ['PATCH', `resources/from.txt?action=rename&destination=/${path}`],
        ['PATCH', `resources/${path}?action=rename&destination=/from.txt`],
      ] as const) {
        const reply = await ask(method, `/api/${url}`, payload ? { payload } : {})
        if (reply.statusCode >= 500) t.fail(`${method} ${url}: ${reply.body}`)
      }
    }
    t.ok(readdirSync(root).includes('from.txt'))
    t.strictSame(readdirSync(root).filter(isTemporary), [], 'nothing half done is left')
  })
}

t.test('on a read-only disk a write is refused with that reason, and files can be read', async (t) => {
  const disk = mountSmall(t, 'ext4')
  if (!disk) return void t.pass('a small disk', { skip: 'this system lets nobody mount one' })
  const root = join(disk, 'root')
  mkdirSync(join(root, 'tree'), { recursive: true })
  for (const name of ['a.txt', 'tree/b.txt']) writeFileSync(join(root, name), name)
  execFileSync(systemTool('mount'), ['-o', 'remount,ro', disk])
  const { as } = await start(t, { config: { root } })
  const ask = await as('admin')
  for (const [method, url, rest] of [
    ['POST', 'resources/new.txt', { payload: 'new' }],
    ['PUT', 'resources/a.txt', { payload: 'new' }],
    ['POST', 'resources/new/'],
    ['POST', 'tus/new.bin', { headers: { 'upload-length': '5' } }],
    ['DELETE', 'resources/a.txt'],
    ['DELETE', 'resources/tree'],
    ['PATCH', 'resources/a.txt?action=copy&destination=/b.txt'],
    ['PATCH', 'resources/tree?action=rename&destination=/branch'],
  ] as [string, string, object?][]) {
    const { statusCode, body } = await ask(method, `/api/${url}`, { ...rest })
    t.match({ statusCode, body }, { statusCode: 403, body: /is read-only\)\n$/ }, `${method} ${url}`)
  }
  t.equal((await ask('GET', '/api/raw/a.txt')).body, 'a.txt')
  t.match((await ask('GET', '/api/resources/')).json(), { numDirs: 1, numFiles: 1 })
  t.equal((await ask('GET', '/api/raw/?algo=tar')).statusCode, 200)
})

t.test('links that lead in a circle are refused wherever they stand, and deleted', async (t) => {
  const { as, root } = await start(t, { tree: { 'a.txt': 'a' } })
  symlinkSync('two', join(root, 'one'))
  symlinkSync('one', join(root, 'two'))
  const ask = await as('admin')
  for (const [method, url, payload] of [
    ['GET', 'resources/one'],
    ['GET', 'resources/one/below'],
    ['GET', 'raw/one'],
    ['PUT', 'resources/one', 'new'],
    ['POST', 'resources/one/new.txt', 'new'],
    ['PATCH', 'resources/a.txt?action=copy&destination=/one/a.txt'],
    ['PATCH', 'resources/one?action=copy&destination=/three'],
    ['POST', 'share/one'],
  ] as const) {
    const { statusCode, body } = await ask(method, `/api/${url}`, payload ? { payload } : {})
    t.match(
      { statusCode, body },
      { statusCode: 403, body: /is a link that cannot be followed/ },
      `${method} ${url}`,
    )
  }
  t.equal((await ask('GET', '/api/resources/')).statusCode, 200)
  for (const name of ['one', 'two']) t.equal((await ask('DELETE', `/api/resources/${name}`)).statusCode, 200)
  t.strictSame(readdirSync(root), ['a.txt'])
})
