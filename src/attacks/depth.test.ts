// Needs a process of its own: it counts all calls of the process to the file system.

import { createHook } from 'node:async_hooks'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runTreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import { noPermissions } from '#src/state/defaults.ts'
import { makeDeepFolders, peakDescriptors } from '#src/testing/deep.ts'
import { isLong } from '#src/testing/long.ts'
import { start } from '#src/testing/start.ts'
import { zipEntries } from './unpack.ts'

// Deep paths. Their cost is counted in calls to the file system, not in time.

let calls = 0
const hook = createHook({
  init(_id, type) {
    if (type.startsWith('FSREQ')) calls++
  },
}).enable()
t.teardown(() => hook.disable())

/** Counts the calls to the file system during `work`. */
async function callsOf(work: () => Promise<unknown>): Promise<number> {
  const before = calls
  await work()
  return calls - before
}

const deep = (levels: number, name = 'a') => `/${name}`.repeat(levels)
const perm = {
  ...noPermissions,
  create: true,
  rename: true,
  modify: true,
  delete: true,
  share: true,
  download: true,
}

async function world(t: Test, config = {}) {
  const made = await start(t, { tree: { there: { 'f.txt': 'text' } }, people: { alice: { perm } }, config })
  const alice = await made.as('alice')
  mkdirSync(join(made.root, deep(400, 'd')), { recursive: true })
  const { hash } = (await alice('POST', '/api/share/there')).json()
  return { ...made, alice, hash }
}

t.test(
  'the cost of a missing deep path grows with the logarithm of its depth, for every call and user',
  async (t) => {
    const { alice, call, hash, base, as } = await world(t)
    const brand = join(base, 'brand')
    mkdirSync(join(brand, 'img'), { recursive: true })
    const admin = await as('admin')
    await admin('PUT', '/api/settings', { payload: { branding: { files: brand } } })
    const requests: [what: string, ask: (path: string) => Promise<{ statusCode: number }>, status: number][] =
      [
        ['a look', (path) => alice('GET', `/api/resources${path}`), 404],
        ['bytes', (path) => alice('GET', `/api/raw${path}`), 404],
        ['a preview', (path) => alice('GET', `/api/preview/thumb${path}`), 404],
        ['a search', (path) => alice('GET', `/api/search${path}?query=x`), 404],
        ['the room on a disk', (path) => alice('GET', `/api/usage${path}`), 404],
        ['deleting', (path) => alice('DELETE', `/api/resources${path}`), 404],
        ['copying', (path) => alice('PATCH', `/api/resources${path}?action=copy&destination=/x`), 404],
        [
          'copying to it',
          (path) => alice('PATCH', `/api/resources/there?action=copy&destination=${path}`),
          413,
        ],
        ['a folder', (path) => alice('POST', `/api/resources${path}/`), 413],
        ['an upload', (path) => alice('POST', `/api/resources${path}`, { payload: 'x' }), 413],
        [
          'an upload in pieces',
          (path) => alice('POST', `/api/tus${path}`, { headers: { 'upload-length': '9' } }),
          413,
        ],
        ['a link', (path) => alice('POST', `/api/share${path}`), 404],
        ['a home', (path) => admin('POST', '/api/users', { payload: newUser(path) }), 201],
        ['a visit', (path) => call('GET', `/api/public/share/${hash}${path}`), 404],
        ['a download by a link', (path) => call('GET', `/api/public/dl/${hash}${path}`), 404],
        ['branding', (path) => call('GET', `/static/img${path}.svg`), 404],
        ['missing below something', (path) => alice('GET', `/api/resources${deep(300, 'd')}${path}`), 404],
      ]
    for (const [what, ask, status] of requests) {
      await ask(deep(3)) // does the work that is needed only once
      const shallow = await callsOf(() => ask(deep(300)))
      const deeper = await callsOf(async () => t.equal((await ask(deep(1200))).statusCode, status, what))
      // Other work of the server may be counted as well, such as writing sessions.
      t.ok(deeper - shallow < 200, `${what}: ${shallow} calls for 300 levels, ${deeper} for 1200`)
    }
  },
)

t.test('finding an existing deep path costs the same at any depth beyond 300', async (t) => {
  const { alice, root, call } = await world(t)
  makeDeepFolders(join(root, 'there'), 1500)
  t.teardown(() => void runTreeTask({ kind: 'remove', address: join(root, 'there') }))
  const { hash } = (await alice('POST', '/api/share/there')).json()
  for (const top of ['/api/usage/there', `/api/public/share/${hash}`]) {
    const ask = top.includes('public') ? call : alice
    const cost = (levels: number) =>
      callsOf(async () => {
        const { statusCode } = await ask('GET', top + deep(levels, 'd'))
        t.equal(statusCode, 200, `${levels} levels`)
      })
    await cost(300)
    const shallow = await cost(400)
    const deeper = await cost(1500)
    t.ok(deeper - shallow < 200, `${top}: ${shallow} calls for 400 levels, ${deeper} for 1500`)
  }
})

t.test('before sign-in a deep path counts as several requests', async (t) => {
  const { call, hash, clock } = await world(t, { requestRate: 10 })
  clock.stop()
  clock.advance({ seconds: 60 })
  const statuses: number[] = []
  for (let n = 0; n < 9; n++) {
    statuses.push((await call('GET', `/api/public/share/${hash}${deep(196)}`)).statusCode)
  }
  t.strictSame(statuses, [...Array(8).fill(404), 429], 'a burst of 200 requests is 8 paths of 200 names')
  clock.advance({ seconds: 3 })
  t.equal((await call('GET', `/api/public/share/${hash}`)).statusCode, 200)
})

let users = 0
const newUser = (scope: string) => ({
  what: 'user',
  which: [],
  data: { username: `u${users++}`, password: 'a long password 1', scope },
})

t.test('creating a folder costs the same at any depth', async (t) => {
  const { alice } = await world(t)
  const cost = (name: string, levels: number) =>
    callsOf(async () =>
      t.equal((await alice('POST', `/api/resources${deep(levels, name)}/`)).statusCode, 200),
    )
  await cost('w', 10)
  const hundred = await cost('x', 100)
  const double = await cost('y', 200)
  t.ok(double < 2.2 * hundred && double > hundred, `${hundred} calls for 100 levels, ${double} for 200`)
})

t.test('folders can be created up to 255 levels, and the refusal of more says so', async (t) => {
  const { alice, root } = await world(t)
  t.match(await alice('POST', `/api/resources${deep(255)}/`), { statusCode: 200 })
  const bound = { statusCode: 413, body: /folders can be nested at most 255 levels/ }
  t.match(await alice('POST', `/api/resources${deep(256)}/`), bound)
  t.match(await alice('POST', `/api/resources${deep(256)}`, { payload: 'x' }), bound)
  t.match(await alice('PUT', `/api/resources${deep(256)}`, { payload: 'x' }), bound)
  t.match(await alice('POST', `/api/resources${deep(254)}/f`, { payload: 'x' }), { statusCode: 200 })
  t.match(await alice('POST', `/api/resources${deep(256, 'n')}/`), bound)
  t.strictSame(readdirSync(root).sort(), ['a', 'd', 'there'], 'none of the refused path was created')
  const to = (path: string) => `?action=copy&destination=${path}`
  t.match(await alice('PATCH', `/api/resources/there${to(`${deep(255)}/c`)}`), bound)
  t.match(
    await alice('PATCH', `/api/resources/there${to(`${deep(254)}/c`)}`),
    bound,
    'the content of the folder counts, too',
  )
  t.match(await alice('PATCH', `/api/resources/there${to(`${deep(253)}/c`)}`), { statusCode: 200 })
  t.strictSame(readdirSync(join(root, deep(253))).sort(), ['a', 'c'], 'nothing is left of the refused copy')
})

t.test('paths made deeper by other programs can be read, saved, moved out and deleted', async (t) => {
  const { alice, root } = await world(t)
  const at = deep(400, 'd')
  writeFileSync(join(root, at, 'f.txt'), 'deep')
  mkdirSync(join(root, at, 'g'))
  t.match(await alice('GET', `/api/raw${at}/f.txt`), { statusCode: 200, body: 'deep' })
  t.match((await alice('GET', `/api/resources${at}`)).json(), { numFiles: 1, numDirs: 1 })
  t.match(await alice('PUT', `/api/resources${at}/f.txt`, { payload: 'new' }), { statusCode: 200 })
  t.match(
    await alice('POST', `/api/resources${at}/g/`),
    { statusCode: 200 },
    'an existing folder is accepted',
  )
  t.match(await alice('POST', `/api/resources${at}/h`, { payload: 'x' }), { statusCode: 413 })
  t.match(await alice('PATCH', `/api/resources${at}/f.txt?action=rename&destination=/out.txt`), {
    statusCode: 200,
  })
  t.match(await alice('DELETE', `/api/resources${at}/g`), { statusCode: 200 })
  t.match(await alice('DELETE', '/api/resources/d'), { statusCode: 200 })
  t.strictSame(readdirSync(root).sort(), ['out.txt', 'there'])
})

t.test(
  'every file look-up without sign-in counts for the rate limit, also those of the page and of branding',
  async (t) => {
    const rate = 1
    const { call, hash, clock } = await world(t, { requestRate: rate })
    clock.stop()
    const requests = [
      '/',
      '/files/x',
      '/static/img/a.png',
      '/static/custom.css',
      '/static/manifest.webmanifest',
    ]
    for (const url of [...requests, `/api/public/share/${hash}`, `/api/public/dl/${hash}/f.txt`]) {
      clock.advance({ seconds: 60 })
      const statuses = new Set<number>()
      for (let n = 0; n < 20 * rate; n++) statuses.add((await call('GET', url)).statusCode)
      t.notOk(statuses.has(429), url)
      const refused = await call('GET', url)
      t.match(refused, { statusCode: 429, headers: { 'retry-after': /\d/ } }, url)
      t.equal(await callsOf(() => call('GET', url)), 0, 'a refused request calls the file system not once')
    }
  },
)

const far = isLong ? 12_000 : 3000

t.test(
  'a tree of thousands of nested folders can be searched, moved and deleted, and archived down to the limit',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const rule = { allow: false, path: '/nowhere', regex: false, regexp: null }
    const { root, as } = await start(t, { tree: { tree: {} }, people: { alice: { perm, rules: [rule] } } })
    const alice = await as('alice')
    makeDeepFolders(join(root, 'tree'), far)
    // The cleanup of the test folders cannot delete this tree.
    t.teardown(() => {
      for (const name of readdirSync(root)) runTreeTask({ kind: 'remove', address: join(root, name) })
    })
    const step = async (method: string, url: string) => {
      let response: Awaited<ReturnType<typeof alice>> | undefined
      const maximum = await peakDescriptors(async () => {
        response = await alice(method, url)
      })
      t.ok(maximum < 120, `${method} ${url}: ${maximum} descriptors`)
      if (!response) throw new Error('no answer')
      return response
    }

    const hits = (await step('GET', '/api/search/?query=deepest')).json()
    t.strictSame(hits, [{ dir: false, path: `tree/${'d/'.repeat(far)}deepest.txt` }])
    const archive = zipEntries((await step('GET', '/api/raw/tree?algo=zip')).rawPayload)
    const report = Buffer.from(archive.find(({ name }) => name === '_errors.txt')?.content ?? '', 'latin1')
    t.match(report.toString(), /d\/: more than 400 nested folders/)
    t.equal(archive.length, 403)
    const copy = await step('PATCH', '/api/resources/tree?action=copy&destination=/copy')
    t.match(copy, {
      statusCode: 413,
      body: '413 Payload Too Large (/copy is too deep: folders can be nested at most 255 levels)\n',
    })
    t.strictSame(readdirSync(root), ['tree'], 'nothing is left of the copy')
    t.match(await step('PATCH', '/api/resources/tree?action=rename&destination=/moved'), { statusCode: 200 })
    t.strictSame(readdirSync(root), ['moved'])
    t.match(await step('DELETE', '/api/resources/moved?permanent=true'), { statusCode: 200 })
    t.strictSame(readdirSync(root), [])
  },
)

t.test(
  'a rule that denies something deep in a tree prevents its deletion, and nothing is deleted',
  async (t) => {
    const levels = 600
    const rule = { allow: false, path: '', regex: true, regexp: { raw: 'deepest\\.txt$' } }
    const { root, as } = await start(t, { tree: { tree: {} }, people: { alice: { perm, rules: [rule] } } })
    const alice = await as('alice')
    makeDeepFolders(join(root, 'tree'), levels)
    t.teardown(() => void runTreeTask({ kind: 'remove', address: join(root, 'tree') }))
    const refused = await alice('DELETE', '/api/resources/tree')
    t.match(refused, { statusCode: 403 })
    t.notMatch(refused.body, /deepest/)
    t.equal(
      refused.body,
      `403 Forbidden (a rule denies access to /tree${deep(255, 'd')})\n`,
      'the refusal contains at most 255 names',
    )
    t.ok(existsSync(join(root, 'tree/d/d/d')))
  },
)
