import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { type ArchiveAlgorithm, archiveAlgorithms } from '#contract/resources.ts'
import { entryName } from '#src/files/archive/formats/entry-name.ts'
import { buffersInUse } from '#src/files/reading/buffer-pool.ts'
import { isLong } from '#src/testing/long.ts'
import { hostileNames } from '#src/testing/names.ts'
import { start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { unsnappy } from '#src/testing/unsnappy.ts'

// Decompresses each format to a plain tar, with the format's own tool.
const plainTar: Record<Exclude<ArchiveAlgorithm, 'zip'>, (packed: Buffer) => Buffer> = {
  tar: (packed) => packed,
  targz: (packed) => pipe('gzip', packed),
  tarbz2: (packed) => pipe('bzip2', packed),
  tarxz: (packed) => pipe('xz', packed),
  tarlz4: (packed) => pipe('lz4', packed),
  tarzst: (packed) => pipe('zstd', packed),
  tarsz: unsnappy,
  tarbr: brotliDecompressSync,
}

function pipe(tool: string, input: Buffer): Buffer {
  return execFileSync(tool, ['-dc'], { input, maxBuffer: 2 ** 30, stdio: ['pipe', 'pipe', 'ignore'] })
}

/** Unpacks an archive with the format's own tools. Returns the contents by name; `null` for a folder. */
function unpack(t: Test, algorithm: ArchiveAlgorithm, packed: Buffer): Record<string, string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-archive-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'archive')
  const out = join(folder, 'out')
  mkdirSync(out)
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  if (algorithm === 'zip') {
    writeFileSync(file, packed)
    execFileSync('unzip', ['-tq', file], { env })
    execFileSync('unzip', ['-qo', file, '-d', out], { env })
  } else {
    execFileSync('tar', ['-xf', '-', '-C', out], { input: plainTar[algorithm](packed), env })
  }
  return contentOf(out)
}

function contentOf(folder: string): Record<string, string | null> {
  const found: Record<string, string | null> = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1)
    found[name] = entry.isDirectory() ? null : readFileSync(path, 'latin1')
  }
  return found
}

const wide = Buffer.alloc(2_500_000, 'a line that repeats, but not forever\n').toString('latin1')
const noise = Buffer.from(
  Array.from({ length: 300_000 }, (_, at) => (at * at * 31 + (at >> 3)) & 0xff),
).toString('latin1')

t.test('a folder is archived completely in every format, under its own name', async (t) => {
  const hostile = Object.fromEntries(hostileNames.map((name) => [name, `in ${name}`]))
  const deep = { [`${'long '.repeat(40)}folder`]: { [`${'deeper '.repeat(30)}folder`]: { 'a.txt': 'deep' } } }
  const tree = {
    docs: {
      hostile,
      deep,
      empty: {},
      'none.txt': '',
      'wide.txt': wide,
      'noise.bin': Buffer.from(noise, 'latin1'),
    },
  }
  const { as } = await start(t, { tree })
  const admin = await as('admin')
  const expected: Record<string, string | null> = {
    docs: null,
    'docs/hostile': null,
    'docs/empty': null,
    'docs/none.txt': '',
    'docs/wide.txt': wide,
    'docs/noise.bin': noise,
    'docs/deep': null,
    [`docs/deep/${'long '.repeat(40)}folder`]: null,
    [`docs/deep/${'long '.repeat(40)}folder/${'deeper '.repeat(30)}folder`]: null,
    [`docs/deep/${'long '.repeat(40)}folder/${'deeper '.repeat(30)}folder/a.txt`]: 'deep',
  }
  for (const algorithm of archiveAlgorithms) {
    const reply = await admin('GET', `/api/raw/docs/?algo=${algorithm}`)
    t.equal(reply.statusCode, 200, algorithm)
    t.match(reply.headers['content-disposition'], /^attachment; .*filename\*=utf-8''docs\.(zip|tar)/)
    const { '_errors.txt': errors = '', ...rest } = unpack(t, algorithm, reply.rawPayload)
    const names = hostileNames.map((name) => [name, entryName(name, algorithm === 'zip')] as const)
    const contents = names.map(([name, entry]) => [
      `docs/hostile/${entry}`,
      Buffer.from(`in ${name}`).toString('latin1'),
    ])
    t.strictSame(rest, { ...expected, ...Object.fromEntries(contents) }, algorithm)
    const changed = names.filter(([name, entry]) => name !== entry)
    t.strictSame(
      fromUtf8(errors).split('\n').slice(1).sort(),
      changed.map(([name, entry]) => `docs/hostile/${entry}: its name on the server is “${name}”`).sort(),
      `${algorithm}: changed names are said`,
    )
  }
})

t.test('Windows can create each entry of a zip, and changed names are in _errors.txt', async (t) => {
  const names = [
    'Straße.txt',
    'STRASSE.txt',
    'a.txt',
    'A.TXT',
    'end.',
    'end ',
    'end_',
    'Icon\r',
    '. .',
    'nul\\',
  ]
  const tree = {
    docs: { ...Object.fromEntries(names.map((name) => [name, name])), 'Sub ': { 'a.txt': '1' }, sub_: {} },
    more: { DOCS: { 'x.txt': 'x' }, docs: { 'X.txt': 'X' } },
  }
  const { as } = await start(t, { tree })
  const admin = await as('admin')
  const read = async (algorithm: ArchiveAlgorithm, path: string) => {
    const { rawPayload } = await admin(
      'GET',
      `/api/raw/${path}${path.includes('?') ? '&' : '?'}algo=${algorithm}`,
    )
    const { '_errors.txt': errors = '', ...rest } = unpack(t, algorithm, rawPayload)
    return { entries: rest, said: fromUtf8(errors).split('\n').slice(1).sort() }
  }
  const { entries, said } = await read('zip', 'docs')
  const found = Object.keys(entries)
  t.equal(found.length, names.length + 4, 'nothing is lost')
  t.equal(new Set(found.map((name) => name.toUpperCase())).size, found.length, 'no two differ only in case')
  for (const name of found) t.notMatch(name, /[. ](\/|$)|\\|\r/, 'a name that Windows refuses')
  for (const name of names) {
    const [entry] = Object.entries(entries).find(([, content]) => content === utf8(name)) ?? ['']
    const line = `${entry}: its name on the server is “${name.replace('\r', '␍')}”`
    t.equal(said.includes(line), entry !== `docs/${name}`, line)
  }
  t.match(Object.keys(entries).sort().join(), /docs\/Sub_ \(1\),docs\/Sub_ \(1\)\/a\.txt/, 'folders as well')
  const tar = await read('tar', 'docs')
  t.ok(
    ['docs/A.TXT', 'docs/a.txt', 'docs/end.', 'docs/end '].every((name) => name in tar.entries),
    'only in a zip',
  )
  const several = await read('zip', 'more?files=DOCS/x.txt,docs/X.txt')
  t.strictSame(Object.values(several.entries).filter(Boolean).sort(), ['X', 'x'])
  t.strictSame(several.said.length, 1)
})

const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const fromUtf8 = (content: string | null) =>
  Buffer.from(content ?? '', 'latin1')
    .toString()
    .trim()

t.test('an archive is a zip without an algorithm, or with "true" from old clients', async (t) => {
  const { as } = await start(t, { tree: { docs: { 'a.txt': 'a' } } })
  const admin = await as('admin')
  for (const query of ['', '?algo=', '?algo=true', '?algo=zip', '?files=']) {
    const reply = await admin('GET', `/api/raw/docs${query}`)
    t.equal(reply.headers['content-type'], 'application/zip', query)
    t.equal(
      reply.headers['content-disposition'],
      `attachment; filename="docs.zip"; filename*=utf-8''docs.zip`,
    )
  }
  const head = await admin('HEAD', '/api/raw/docs?algo=tarzst')
  t.match(head, { statusCode: 200, body: '', headers: { 'content-type': 'application/zstd' } })
})

t.test('rejects an unknown archive format', async (t) => {
  const { as } = await start(t, { tree: { docs: {} } })
  const admin = await as('admin')
  for (const query of ['algo=exe', 'algo=ZIP', 'algo=zip&algo=tar', 'files=a&files=b', 'files=%25zz']) {
    t.equal((await admin('GET', `/api/raw/docs?${query}`)).statusCode, 400, query)
  }
})

t.test('entry names of a selection start at its deepest common folder', async (t) => {
  const tree = {
    docs: { a: { 'one.txt': '1', 'x,y+z.txt': '2' }, b: { 'two.txt': '3' }, 'c.txt': '4', other: {} },
  }
  const { as } = await start(t, { tree })
  const admin = await as('admin')
  const files = (...names: string[]) => encodeURIComponent(names.map(encodeURIComponent).join(','))
  const cases: [query: string, name: string, content: Record<string, string | null>][] = [
    [files('a', 'c.txt'), 'docs', { a: null, 'a/one.txt': '1', 'a/x,y+z.txt': '2', 'c.txt': '4' }],
    [files('a/one.txt', 'a/x,y+z.txt'), 'a', { 'one.txt': '1', 'x,y+z.txt': '2' }],
    [files('a'), 'a', { a: null, 'a/one.txt': '1', 'a/x,y+z.txt': '2' }],
    [files('a', 'a/one.txt', 'a'), 'a', { a: null, 'a/one.txt': '1', 'a/x,y+z.txt': '2' }],
    [files('c.txt'), 'docs', { 'c.txt': '4' }],
    [files('b/two.txt', 'a/one.txt'), 'docs', { a: null, b: null, 'a/one.txt': '1', 'b/two.txt': '3' }],
    [files('../../b'), 'b', { b: null, 'b/two.txt': '3' }],
  ]
  for (const [index, [query, name, content]] of cases.entries()) {
    await t.test(`case ${index}`, async (t) => {
      const reply = await admin('GET', `/api/raw/docs?files=${query}&algo=tar`)
      t.equal(
        reply.headers['content-disposition'],
        `attachment; filename="${name}.tar"; filename*=utf-8''${name}.tar`,
      )
      t.strictSame(unpack(t, 'tar', reply.rawPayload), content)
    })
  }
})

t.test(
  'the archive of the root is called "archive" and does not show the name of the served folder',
  async (t) => {
    const { as } = await start(t, { tree: { 'a.txt': 'a' } })
    const admin = await as('admin')
    const reply = await admin('GET', '/api/raw/?algo=tar')
    t.equal(
      reply.headers['content-disposition'],
      `attachment; filename="archive.tar"; filename*=utf-8''archive.tar`,
    )
    t.strictSame(unpack(t, 'tar', reply.rawPayload), { archive: null, 'archive/a.txt': 'a' })
  },
)

t.test('denied files, unfinished uploads and hidden dotfiles are not in an archive', async (t) => {
  const rules = [{ allow: false, path: '/docs/private', regex: false, regexp: null }]
  const tree = {
    docs: { private: { 'key.txt': 'secret' }, 'a.txt': 'a', '.coffer-part-x': 'half', '.dot': 'd' },
  }
  const people = {
    ann: { rules, hideDotfiles: true, perm: { download: true } },
    bob: { perm: { download: false } },
  }
  const { as, root } = await start(t, { tree, people })
  symlinkSync('private/key.txt', join(root, 'docs/way-in'))
  symlinkSync('.dot', join(root, 'docs/way-to-dot'))
  const ann = await as('ann')
  const content = { docs: null, 'docs/a.txt': 'a' }
  t.strictSame(unpack(t, 'tar', (await ann('GET', '/api/raw/docs?algo=tar')).rawPayload), content)
  const chosen = await ann('GET', '/api/raw/docs?algo=zip&files=private,a.txt')
  t.strictSame(unpack(t, 'zip', chosen.rawPayload), { 'a.txt': 'a' })
  t.equal((await ann('GET', '/api/raw/docs?files=private')).statusCode, 403)
  const bob = await as('bob')
  t.equal((await bob('GET', '/api/raw/docs')).statusCode, 403, 'the permission to download is needed')
})

t.test('symbolic links must stay inside the scope; _errors.txt lists the missing entries', async (t) => {
  const { as, root, base } = await start(t, {
    tree: { docs: { 'a.txt': 'a', sub: {}, '_errors.txt': 'own' } },
  })
  writeFileSync(join(base, 'outside.txt'), 'secret')
  symlinkSync('a.txt', join(root, 'docs/inside'))
  symlinkSync(join(base, 'outside.txt'), join(root, 'docs/outside'))
  symlinkSync('..', join(root, 'docs/loop'))
  symlinkSync('nowhere', join(root, 'docs/broken'))
  symlinkSync('a.txt/below', join(root, 'docs/below'))
  symlinkSync('round', join(root, 'docs/round'))
  symlinkSync(join(base, 'nowhere.txt'), join(root, 'docs/elsewhere'))
  execFileSync(systemTool('mkfifo'), [join(root, 'docs/pipe')])
  const admin = await as('admin')
  for (const algorithm of ['zip', 'tar'] as const) {
    const reply = await admin(
      'GET',
      `/api/raw/docs?algo=${algorithm}&files=a.txt,_errors.txt,sub,inside,outside,gone,round,broken`,
    )
    const { '_errors (1).txt': errors, ...rest } = unpack(t, algorithm, reply.rawPayload)
    t.strictSame(rest, { 'a.txt': 'a', inside: 'a', '_errors.txt': 'own', sub: null })
    t.match(errors, /outside: a symbolic link to a place outside/)
    t.match(errors, /gone: it does not exist/)
    t.match(errors, /round: a symbolic link that leads back to itself\n/)
    t.match(errors, /broken: a broken symbolic link\n/)
  }
  const { '_errors.txt': errors = '', ...rest } = unpack(
    t,
    'tarzst',
    (await admin('GET', '/api/raw/docs?algo=tarzst')).rawPayload,
  )
  t.strictSame(rest, {
    docs: null,
    'docs/a.txt': 'a',
    'docs/inside': 'a',
    'docs/_errors.txt': 'own',
    'docs/sub': null,
  })
  t.strictSame(fromUtf8(errors).split('\n').slice(1).sort(), [
    'docs/below: a broken symbolic link',
    'docs/broken: a broken symbolic link',
    // Whether something exists outside the folder is not said.
    'docs/elsewhere: a symbolic link to a place outside your folder',
    'docs/loop: a symbolic link to a folder; an archive follows only links to files',
    'docs/outside: a symbolic link to a place outside your folder',
    'docs/pipe: neither a file nor a folder',
    'docs/round: a symbolic link that leads back to itself',
  ])
})

t.test(
  'links to hidden places are left out of an archive silently, also if nothing exists there',
  async (t) => {
    const rules = [{ allow: false, regex: false, path: '/private', regexp: null }]
    const tree = { docs: { 'a.txt': 'a' }, private: { 'p.txt': 'p' } }
    const { as, root } = await start(t, { tree, people: { ann: { rules, perm: { download: true } } } })
    for (const name of ['p.txt', 'none.txt']) symlinkSync(`../private/${name}`, join(root, 'docs', name))
    const reply = await (await as('ann'))('GET', '/api/raw/docs?algo=zip')
    t.strictSame(unpack(t, 'zip', reply.rawPayload), { docs: null, 'docs/a.txt': 'a' })
  },
)

t.test(
  'a folder that is replaced by a symbolic link while it is archived does not leak files outside the scope',
  async (t) => {
    const { as, root, base } = await start(t, { tree: { docs: { sub: { 'a.txt': 'inside' } } } })
    mkdirSync(join(base, 'outside'))
    writeFileSync(join(base, 'outside/a.txt'), 'secret')
    const swap = 'while :; do mv sub away; ln -s ../../outside sub; rm sub; mv away sub; done'
    const child = spawn('sh', ['-c', swap], { cwd: join(root, 'docs') })
    const ended = once(child, 'exit')
    const admin = await as('admin')
    for (let round = 0; round < 40; round++) {
      const { rawPayload } = await admin('GET', `/api/raw/docs?algo=tar${round % 2 ? '&files=sub' : ''}`)
      t.notOk(rawPayload.includes('secret'))
    }
    child.kill()
    await ended
  },
)

t.test('a zip stores a large file uncompressed if its content cannot be compressed', async (t) => {
  const { as, root } = await start(t, { tree: { docs: {} } })
  const random = randomBytes(3_000_000)
  const text = Buffer.alloc(600_000, 'a line of text')
  const contents = {
    'noise.txt': random,
    'short.bin': random.subarray(0, 100_000),
    'text in between.bin': Buffer.concat([
      random.subarray(0, 1_000_000),
      text,
      random.subarray(0, 1_200_000),
    ]),
    'text.bin': text,
  }
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(root, 'docs', name), content)
  const { rawPayload } = await (await as('admin'))('GET', '/api/raw/docs?algo=zip')
  const found = unpack(t, 'zip', rawPayload)
  for (const [name, content] of Object.entries(contents))
    t.ok(Buffer.from(found[`docs/${name}`] ?? '', 'latin1').equals(content), name)
  const file = join(root, 'x.zip')
  writeFileSync(file, rawPayload)
  const methods = execFileSync('unzip', ['-v', file]).toString()
  t.match(methods, /Stored .*docs\/noise\.txt/)
  t.match(methods, /Stored .*docs\/short\.bin/)
  t.match(methods, /Defl:N .*docs\/text in between\.bin/)
  t.match(methods, /Defl:N .*docs\/text\.bin/)
  // A program that unpacks a stream needs the lengths before the content (APPNOTE 4.3.7).
  const header = rawPayload.indexOf('docs/noise.txt') - 30
  t.equal(rawPayload.readUInt32LE(header + 18), random.length)
  t.equal(rawPayload.readUInt32LE(header + 22), random.length)
})

t.test('an archive keeps modes and times', async (t) => {
  const { as, root } = await start(t, { tree: { docs: { 'run.sh': '#!/bin/sh\n' } } })
  execFileSync('chmod', ['4751', join(root, 'docs/run.sh')])
  execFileSync('touch', ['-d', '2020-02-03T04:05:07Z', join(root, 'docs/run.sh')])
  const admin = await as('admin')
  const env = { ...process.env, TZ: 'UTC' }
  const tar = (await admin('GET', '/api/raw/docs?algo=tar')).rawPayload
  t.match(
    execFileSync('tar', ['-tvf', '-', '--full-time'], { input: tar, env }).toString(),
    /-rwxr-x--x .* 2020-02-03 04:05:07 docs\/run\.sh/,
  )
  const file = join(root, 'x.zip')
  writeFileSync(file, (await admin('GET', '/api/raw/docs')).rawPayload)
  t.match(
    execFileSync('unzip', ['-Z', '-T', file], { env }).toString(),
    /-rwxr-x--x .* 20200203\.040507 docs\/run\.sh/,
  )
})

/** Starts listening, sends a request and does not read the response body. */
async function sendRequest(app: Awaited<ReturnType<typeof start>>['app'], token: string, path: string) {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const request = get({ host: '127.0.0.1', port, path, headers: { 'x-auth': token } })
  return new Promise<IncomingMessage>((resolve) => request.once('response', resolve))
}

const large = 2 ** 32 + 5

t.test(
  'a file larger than 4 GiB is complete in a zip',
  { skip: !isLong && 'npm run nightly does it' },
  async (t) => {
    const { app, login, root, base } = await start(t, {
      tree: { docs: { 'a.txt': 'a', 'movie.mp4': '', 'z.txt': 'z' } },
    })
    truncateSync(join(root, 'docs/movie.mp4'), large)
    const token = await login('admin')
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const file = join(base, 'x.zip')
    // Skips zeros instead of writing them, so that the file takes no disk space.
    const fetch = `curl -sSfH "X-Auth: $0" "$1" | dd of="$2" bs=1M iflag=fullblock conv=sparse status=none`
    await promisify(execFile)('sh', ['-c', fetch, token, `http://127.0.0.1:${port}/api/raw/docs`, file])
    t.match(execFileSync('unzip', ['-Z', file]).toString(), `4 files, ${large + 2} bytes uncompressed`)
    t.equal(execFileSync('unzip', ['-p', file, 'docs/z.txt']).toString(), 'z', 'the file after it is found')
  },
)

t.test('when the client disconnects, the work stops and every file is closed', async (t) => {
  for (const algorithm of archiveAlgorithms) {
    const { app, login, root } = await start(t, {
      tree: { docs: { 'movie.mp4': '', 'plain.txt': '', sub: { 'a.txt': 'a' } } },
    })
    truncateSync(join(root, 'docs/movie.mp4'), large)
    truncateSync(join(root, 'docs/plain.txt'), large)
    const isOpen = () => openFiles().some((path) => path.startsWith(join(root, 'docs')))
    const reply = await sendRequest(app, await login('admin'), `/api/raw/docs?algo=${algorithm}`)
    await new Promise((resolve) => reply.once('readable', resolve))
    t.ok(isOpen(), `${algorithm}: running`)
    const startedAt = performance.now()
    reply.destroy()
    while (isOpen()) await new Promise((again) => setTimeout(again, 5))
    t.comment(`${algorithm}: closed after ${Math.round(performance.now() - startedAt)} ms`)
    t.equal(buffersInUse(), 0)
  }
})

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      return [] // the descriptor that read the list is closed already
    }
  })
}

t.test('a client that does not read uses at most three buffers', async (t) => {
  const { app, login, root } = await start(t, { tree: { docs: { 'movie.mp4': '' } } })
  truncateSync(join(root, 'docs/movie.mp4'), large)
  const reply = await sendRequest(app, await login('admin'), '/api/raw/docs?algo=tar')
  await new Promise((resolve) => reply.once('readable', resolve))
  while (buffersInUse() === 0) await new Promise(setImmediate)
  t.ok(buffersInUse() <= 3)
  reply.destroy()
})

t.test('a user can download at most eight archives at once', async (t) => {
  const { app, login, root } = await start(t, { tree: { docs: { 'movie.mp4': '' } } })
  truncateSync(join(root, 'docs/movie.mp4'), large)
  const token = await login('admin')
  const first = await sendRequest(app, token, '/api/raw/docs?algo=tar')
  const { port } = app.server.address() as AddressInfo
  const more = () =>
    new Promise<IncomingMessage>((resolve) => {
      get({ host: '127.0.0.1', port, path: '/api/raw/docs', headers: { 'x-auth': token } }, resolve)
    })
  const replies = [first]
  for (let count = 0; count < 8; count++) replies.push(await more())
  t.strictSame(
    replies.map(({ statusCode }) => statusCode),
    [...Array(8).fill(200), 429],
  )
  for (const reply of replies) reply.destroy()
})
