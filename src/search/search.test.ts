import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hostileNames } from '#src/testing/names.ts'
import { start } from '#src/testing/start.ts'

const tree = {
  docs: { 'Report 2026.pdf': '', 'report.txt': '', deep: { 'final report.PDF': '' } },
  pics: { 'a.JPG': '', 'b.png': '', 'song.mp3': '', 'film.mp4': '' },
  'readme.md': '',
  '.hidden': { 'report.txt': '' },
}

interface Hit {
  dir: boolean
  path: string
}

async function world(t: import('tap').Test, people = {}) {
  const world = await start(t, { tree, people })
  const finder = async (name: string) => {
    const call = await world.as(name)
    return async (query: string, path = '/') => {
      const reply = await call('GET', `/api/search${path}?query=${encodeURIComponent(query)}`)
      return reply.statusCode === 200
        ? reply
            .json<Hit[]>()
            .map((hit) => hit.path)
            .sort()
        : reply.statusCode
    }
  }
  return { ...world, find: await finder('admin'), finder }
}

t.test('a search finds entries by their own name in all folders below', async (t) => {
  const { find } = await world(t)
  t.strictSame(await find('report'), [
    '.hidden/report.txt',
    'docs/Report 2026.pdf',
    'docs/deep/final report.PDF',
    'docs/report.txt',
  ])
  t.strictSame(await find('docs'), ['docs'], 'the name of a folder does not match its entries')
  t.strictSame(await find('deep', '/docs/'), ['deep'], 'paths are relative to the searched folder')
  t.strictSame(await find('nothing like it'), ['.hidden'].slice(1))
})

t.test('any term matches, quoted text is one term, and types and case narrow the result', async (t) => {
  const { find } = await world(t)
  t.strictSame(await find('readme song'), ['pics/song.mp3', 'readme.md'])
  t.strictSame(await find('"final report"'), ['docs/deep/final report.PDF'])
  t.strictSame(await find('type:pdf'), ['docs/Report 2026.pdf', 'docs/deep/final report.PDF'])
  t.strictSame(await find('type:image'), ['pics/a.JPG', 'pics/b.png'])
  t.strictSame(await find('type:music type:video'), ['pics/film.mp4', 'pics/song.mp3'])
  t.strictSame(await find('final type:pdf'), ['docs/deep/final report.PDF'])
  t.strictSame(await find('case:sensitive Report'), ['docs/Report 2026.pdf'])
  t.strictSame(await find('REPORT case:insensitive type:txt'), ['.hidden/report.txt', 'docs/report.txt'])
})

t.test('sends JSON lines when the client accepts them', async (t) => {
  const { as } = await world(t)
  const call = await as('admin')
  const reply = await call('GET', '/api/search/?query=song', { headers: { accept: 'application/x-ndjson' } })
  t.match(reply.headers['content-type'], /x-ndjson/)
  t.equal(reply.body, '{"dir":false,"path":"pics/song.mp3"}\n')
  const none = await call('GET', '/api/search/?query=zzz', { headers: { accept: 'application/x-ndjson' } })
  t.equal(none.body, '')
})

t.test('rules and the dotfile setting filter the hits, and a denied folder cannot be searched', async (t) => {
  const rule = (path: string, allow = false) => ({ allow, path, regex: false, regexp: null })
  const { finder } = await world(t, {
    ann: { rules: [rule('/docs/deep')], hideDotfiles: true },
    bob: { rules: [rule('/docs'), rule('/docs/deep', true)] },
  })
  const ann = await finder('ann')
  t.strictSame(await ann('report'), ['docs/Report 2026.pdf', 'docs/report.txt'])
  t.equal(await ann('report', '/docs/deep/'), 403)
  const bob = await finder('bob')
  t.strictSame(
    await bob('report'),
    ['.hidden/report.txt', 'docs/deep/final report.PDF'],
    'an allowed folder in a denied one is searched',
  )
})

t.test('a search follows no links, reports hostile names exactly and refuses files', async (t) => {
  const { root, base, find } = await world(t)
  mkdirSync(`${base}/outside`)
  writeFileSync(`${base}/outside/report-canary`, '')
  symlinkSync(`${base}/outside`, `${root}/leak`)
  symlinkSync('..', `${root}/docs/loop`)
  t.notOk(String(await find('canary')).includes('canary'))
  t.equal(await find('x', '/leak/'), 403)
  t.equal(await find('x', '/none/'), 404)
  t.equal(await find('x', '/readme.md'), 400)
  mkdirSync(`${root}/odd`)
  for (const name of hostileNames) writeFileSync(`${root}/odd/${name}`, '')
  t.strictSame(await find('', '/odd/'), [...hostileNames].sort(), 'an empty query finds everything')
})

t.test('a search stops when the client disconnects', async (t) => {
  const { app, root, login, services } = await world(t)
  for (let n = 0; n < 300; n++) {
    mkdirSync(`${root}/many/${n}`, { recursive: true })
    for (let m = 0; m < 100; m++) writeFileSync(`${root}/many/${n}/${m}`, '')
  }
  const token = await login('admin')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const controller = new AbortController()
  const reply = await fetch(`http://127.0.0.1:${port}/api/search/?query=1`, {
    headers: { 'x-auth': token },
    signal: controller.signal,
  })
  await reply.body?.getReader().read()
  controller.abort()
  // If the walk continued, it would occupy one of the three threads that these searches need.
  const call = (query: string) =>
    fetch(`http://127.0.0.1:${port}/api/search/docs/?query=${query}`, { headers: { 'x-auth': token } })
  const all = await Promise.all(['deep', 'deep', 'deep'].map(async (query) => (await call(query)).json()))
  t.strictSame(
    all.map((hits) => (hits as Hit[]).length),
    [1, 1, 1],
  )
  t.ok(services)
})

t.test('the recursive listing has all entries below a folder with sizes and times', async (t) => {
  const { as, root } = await world(t)
  const call = await as('admin')
  writeFileSync(`${root}/docs/report.txt`, '12345')
  const reply = await call('GET', '/api/resources/recursive/docs/')
  t.equal(reply.statusCode, 200)
  const entries =
    reply.json<{ path: string; name: string; size: number; modified: string; isDir: boolean }[]>()
  t.match(
    entries.find(({ name }) => name === 'report.txt'),
    { path: '/docs/report.txt', size: 5, isDir: false, modified: /^\d{4}-/ },
  )
  t.equal(entries.length, 4)
  t.equal((await call('GET', '/api/resources/recursive/readme.md')).statusCode, 400, 'a file has no entries')
  t.equal((await call('GET', '/api/resources/recursive')).json().length, 13)
  mkdirSync(`${root}/recursive`)
  writeFileSync(`${root}/recursive/mine.txt`, 'mine')
  t.match(
    (await call('GET', '/api/resources/recursive/mine.txt')).json(),
    { content: 'mine' },
    'a folder with this name takes precedence',
  )
})

t.test('a link to a folder in the scope is reported as a folder and not entered', async (t) => {
  const deny = { allow: false, path: '/shut', regex: false, regexp: null }
  const { as, root, base } = await world(t, { ann: { rules: [deny] } })
  mkdirSync(join(root, 'shut'))
  for (const [name, target] of [
    ['to-docs', 'docs'],
    ['to-file', 'readme.md'],
    ['to-nothing', 'nothing'],
    ['to-outside', base],
    ['to-shut', 'shut'],
    ['to-itself', '.'],
  ] as const) {
    symlinkSync(target, join(root, name))
  }
  const ann = await as('ann')
  const folders = ['to-docs', 'to-itself']
  const hits = (await ann('GET', '/api/search/?query=to-')).json<Hit[]>()
  t.equal(hits.length, 5, 'nothing is found below a link')
  t.notOk(
    hits.some(({ path }) => path === 'to-shut'),
    'a link to a denied folder is not reported',
  )
  t.strictSame(
    hits
      .filter(({ dir }) => dir)
      .map(({ path }) => path)
      .sort(),
    folders,
  )
  const all = (await ann('GET', '/api/resources/recursive/')).json<
    { name: string; isDir: boolean; size: number }[]
  >()
  const links = all.filter(({ name }) => name.startsWith('to-'))
  t.strictSame(
    links
      .filter(({ isDir }) => isDir)
      .map(({ name }) => name)
      .sort(),
    folders,
  )
  t.equal(links.length, 5)
  t.notOk(links.some(({ name }) => name === 'to-shut'))
})

t.test('a session that has sent X-Encoding gets JSON lines, other sessions get one array', async (t) => {
  const { as } = await world(t)
  const old = await as('admin')
  const other = await as('admin')
  const url = '/api/search/?query=song'
  t.match((await old('GET', url)).headers, { 'content-type': /^application\/json/ })
  await old('GET', '/api/resources/', { headers: { 'x-encoding': 'true' } })
  const lines = await old('GET', url)
  t.match(lines.headers, { 'content-type': 'application/x-ndjson' })
  t.equal(lines.body, '{"dir":false,"path":"pics/song.mp3"}\n')
  t.strictSame((await other('GET', url)).json(), [{ dir: false, path: 'pics/song.mp3' }])
})
