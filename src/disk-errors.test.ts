import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { problemOf } from '#src/core/problem.ts'
import { isTemporary } from '#src/files/paths/user-path.ts'
import { mountFailing } from '#src/testing/failing-disk.ts'
import { isLong } from '#src/testing/long.ts'
import { hostileNames } from '#src/testing/names.ts'
import { mountSmall } from '#src/testing/small-disk.ts'
import { start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'

// Left out: after ENOSYS the kernel omits the call, and after EINTR it repeats it. EBADF and EFAULT count as bugs of
// the server.
const excluded = new Set(['ENOSYS', 'EINTR', 'EBADF', 'EFAULT'])
/** Whether the error has a specific problem. The others all have the same one, so that a few of them are enough. */
const isKnown = (code: string) => problemOf(Object.assign(new Error(), { code }), '/') !== undefined
const all = Object.entries(constants.errno).filter(([name]) => !excluded.has(name))
const errnos = [
  ...all.filter(([name]) => isKnown(name)),
  ...all.filter(([name]) => !isKnown(name)).slice(0, isLong ? 5 : 1),
]

/** Every request that uses the disk, on entries of the failing folder `top`. */
const requestsOn = (top: string): [method: string, url: string, rest?: object][] => [
  ['GET', `resources/${top}/`],
  ['GET', `resources/${top}/file`],
  ['GET', `resources/${top}/opened`],
  ['GET', `resources/${top}/opened?checksum=md5`],
  ['GET', `resources/${top}/file?checksum=sha256`],
  ['GET', `raw/${top}/file`],
  ['GET', `raw/${top}/?algo=tar`],
  ['GET', `raw/${top}/?files=file,opened&algo=zip`],
  ['GET', `raw/${top}/unclosed`],
  ['GET', `raw/${top}/?files=unclosed&algo=zip`],
  ['GET', `resources/${top}/unclosed?checksum=md5`],
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

t.test('every error of a disk becomes a problem with a readable text, never a server error', async (t) => {
  const { as, root, base, config } = await start(t, {
    tree: { 'well.txt': 'well', bad: {} },
    config: { log: join(t.testdirName, 'coffer.log') },
  })
  if (!mountFailing(t, join(root, 'bad')))
    return void t.pass('needs a failing disk', { skip: 'this system does not allow a mount' })
  const request = await as('admin')
  const seen = new Set<number>()
  for (const [name, errno] of errnos) {
    for (const [method, url, rest] of requestsOn(`bad/${errno}`)) {
      const { statusCode, body } = await request(method, `/api/${url}`, { ...rest })
      seen.add(statusCode)
      const isExpected = statusCode < 500 || statusCode === 503 || statusCode === 507
      if (!isExpected || body.includes(base))
        t.fail(`${name}: ${method} ${url}: ${statusCode} ${body.slice(0, 300)}`)
    }
  }
  for (const status of [400, 403, 404, 413, 422, 423, 503, 507])
    t.ok(seen.has(status), `${status} is among the responses`)
  t.strictSame(readdirSync(root).sort(), ['bad', 'well.txt'], 'no partial file is left')
  t.equal(readFileSync(join(root, 'well.txt'), 'utf8'), 'well')
  t.match(
    readFileSync(config.log, 'utf8'),
    /the disk returned an error[\s\S]*EIO/,
    'the log reports the broken disk',
  )
})

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
  t.test(`on ${kind}, a hostile name is accepted or refused with a readable text`, async (t) => {
    const disk = mountSmall(t, kind)
    if (!disk) return void t.pass(kind, { skip: 'this system does not allow a mount' })
    const root = join(disk, 'root')
    mkdirSync(root)
    writeFileSync(join(root, 'from.txt'), 'from')
    const { as } = await start(t, { config: { root } })
    const request = await as('admin')
    for (const name of oddNames) {
      const path = encodeURIComponent(name)
      for (const [method, url, payload] of [
        ['POST', `resources/${path}`, 'new'],
        ['GET', `raw/${path}`],
        ['DELETE', `resources/${path}`],
        ['POST', `resources/${path}/`],
        ['DELETE', `resources/${path}?permanent=true`],
        ['PATCH', `resources/from.txt?action=copy&destination=/${path}`],
        ['DELETE', `resources/${path}?permanent=true`],
        ['PATCH', `resources/from.txt?action=rename&destination=/${path}`],
        ['PATCH', `resources/${path}?action=rename&destination=/from.txt`],
      ] as const) {
        const reply = await request(method, `/api/${url}`, payload ? { payload } : {})
        if (reply.statusCode >= 500) t.fail(`${method} ${url}: ${reply.body}`)
      }
    }
    t.ok(readdirSync(root).includes('from.txt'))
    t.strictSame(readdirSync(root).filter(isTemporary), [], 'no partial file is left')
  })
}

t.test('on a read-only disk, writes are refused with that reason and files can be read', async (t) => {
  const disk = mountSmall(t, 'ext4')
  if (!disk) return void t.pass('needs a small disk', { skip: 'this system does not allow a mount' })
  const root = join(disk, 'root')
  mkdirSync(join(root, 'tree'), { recursive: true })
  for (const name of ['a.txt', 'tree/b.txt']) writeFileSync(join(root, name), name)
  execFileSync(systemTool('mount'), ['-o', 'remount,ro', disk])
  const { as } = await start(t, { config: { root } })
  const request = await as('admin')
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
    const { statusCode, body } = await request(method, `/api/${url}`, { ...rest })
    t.match({ statusCode, body }, { statusCode: 403, body: /is read-only\)\n$/ }, `${method} ${url}`)
  }
  t.equal((await request('GET', '/api/raw/a.txt')).body, 'a.txt')
  t.match((await request('GET', '/api/resources/')).json(), { numDirs: 1, numFiles: 1 })
  t.equal((await request('GET', '/api/raw/?algo=tar')).statusCode, 200)
})

t.test('circular symbolic links are refused anywhere in a path, and can be deleted', async (t) => {
  const { as, root } = await start(t, { tree: { 'a.txt': 'a' } })
  symlinkSync('two', join(root, 'one'))
  symlinkSync('one', join(root, 'two'))
  const request = await as('admin')
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
    const { statusCode, body } = await request(method, `/api/${url}`, payload ? { payload } : {})
    t.match(
      { statusCode, body },
      { statusCode: 403, body: /is a symbolic link that cannot be followed/ },
      `${method} ${url}`,
    )
  }
  t.equal((await request('GET', '/api/resources/')).statusCode, 200)
  for (const name of ['one', 'two'])
    t.equal((await request('DELETE', `/api/resources/${name}`)).statusCode, 200)
  t.strictSame(readdirSync(root), ['a.txt'])
})
