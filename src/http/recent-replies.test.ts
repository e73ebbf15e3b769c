import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { State, UserRecord } from '#src/core/state/state.ts'
import { smallFileBytes } from '#src/files/paths/warm-files.ts'
import { errorLines } from '#src/testing/error-lines.ts'
import { start } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'

// Each test waits until its files are three seconds old, so they run side by side.
t.jobs = 6

const urls = ['/api/raw/docs/a.txt', '/api/resources/docs/a.txt']

async function open(t: Test, docs: Record<string, string> = { 'a.txt': 'one', 'b.txt': 'two' }) {
  const started = await start(t, {
    tree: { docs },
    people: {
      alice: { perm: { download: true, share: true } },
      bob: { perm: { download: true, modify: false } },
    },
    config: { log: join(t.testdirName, 'coffer.log') },
  })
  const { app, services, store, as } = started
  const alice = await as('alice')
  const id = services.users.findByName('alice')?.id ?? 0
  const change = (edit: (alice: UserRecord, draft: State) => void) =>
    store.update((draft) => {
      const record = draft.users[id]
      if (record) edit(record, draft)
    })
  const { recentReplies } = app
  /** Reads the file until its reply is sent again: the first read is of a file that is not warm. */
  const repeat = async (url: string) => {
    const before = recentReplies.usage.sent
    await until(async () => {
      await alice('GET', url)
      return recentReplies.usage.sent > before
    })
  }
  return { ...started, alice, change, id, recentReplies, repeat }
}

for (const url of urls) {
  t.test(`a repeated request gets the reply of a second ago: ${url}`, { buffered: true }, async (t) => {
    const { alice, recentReplies, repeat } = await open(t)
    const first = await alice('GET', url)
    await repeat(url)
    const before = recentReplies.usage.sent
    const again = await alice('GET', url)
    t.equal(recentReplies.usage.sent, before + 1)
    t.equal(again.body, first.body)
    const own = { 'x-request-id': '', date: '' }
    t.strictSame({ ...again.headers, ...own }, { ...first.headers, ...own })
    t.not(again.headers['x-request-id'], first.headers['x-request-id'])
  })

  t.test(
    `a file that was changed, replaced or moved is seen at once: ${url}`,
    { buffered: true },
    async (t) => {
      const { root, alice, repeat } = await open(t)
      const file = join(root, 'docs/a.txt')
      const changes: Record<string, () => void> = {
        'written in place': () => writeFileSync(file, 'ONE'),
        replaced: () => {
          writeFileSync(`${file}.new`, 'TWO')
          renameSync(`${file}.new`, file)
        },
        'with its folder': () => {
          renameSync(join(root, 'docs'), join(root, 'before'))
          mkdirSync(join(root, 'docs'))
          writeFileSync(file, 'SIX')
        },
        'with a link to another folder': () => {
          renameSync(join(root, 'docs'), join(root, 'real'))
          mkdirSync(join(root, 'other'))
          writeFileSync(join(root, 'other/a.txt'), 'TEN')
          symlinkSync('other', join(root, 'docs'))
        },
      }
      for (const [name, make] of Object.entries(changes)) {
        await repeat(url)
        make()
        const content = (await alice('GET', url)).body
        t.match(content, /ONE|TWO|SIX|TEN/, name)
      }
      rmSync(join(root, 'other/a.txt'))
      t.equal((await alice('GET', url)).statusCode, 404, 'deleted')
    },
  )

  t.test(`a reply is not sent again after access is revoked: ${url}`, { buffered: true }, async (t) => {
    const { as, alice, change, id, repeat } = await open(t)
    const admin = await as('admin')
    const rule = { regex: false, allow: false, path: '/docs', regexp: { raw: '' } }
    await repeat(url)
    await change((user) => {
      user.rules = [rule]
    })
    t.equal((await alice('GET', url)).statusCode, 403, 'a rule of the user')
    await change((user) => {
      user.rules = []
    })
    await repeat(url)
    await change((_user, draft) => {
      draft.settings.rules = [rule]
    })
    t.equal((await alice('GET', url)).statusCode, 403, 'a global rule')
    await change((_user, draft) => {
      draft.settings.rules = []
    })
    await repeat(url)
    await change((user) => {
      user.scope = '/docs'
    })
    t.equal((await alice('GET', url)).statusCode, 404, 'the scope')
    await change((user) => {
      user.scope = '/'
    })
    await repeat(url)
    await admin('DELETE', `/api/users/${id}/sessions`)
    t.equal((await alice('GET', url)).statusCode, 401, 'the session')
  })
}

t.test('the permission to download is checked for a repeated request', { buffered: true }, async (t) => {
  const { alice, change, repeat } = await open(t)
  await repeat('/api/raw/docs/a.txt')
  await change((user) => {
    user.perm = { ...user.perm, download: false }
  })
  t.equal((await alice('GET', '/api/raw/docs/a.txt')).statusCode, 403)
})

t.test('every user gets the reply to their own request', { buffered: true }, async (t) => {
  const { as, recentReplies, change, repeat } = await open(t)
  const bob = await as('bob')
  await change((user) => {
    user.perm = { ...user.perm, modify: true }
  })
  const url = '/api/resources/docs/a.txt'
  await repeat(url)
  const before = recentReplies.usage.sent
  t.match((await bob('GET', url)).json(), { type: 'textImmutable' })
  t.equal(recentReplies.usage.sent, before)
})

t.test('replies to visitors of a share are not kept', { buffered: true }, async (t) => {
  const { alice, call, config, recentReplies, repeat } = await open(t)
  const share = async (payload: object) =>
    (await alice('POST', '/api/share/docs', { payload })).json<{ hash: string }>().hash
  const [free, locked] = [await share({}), await share({ password: 'open sesame' })]
  const ask = (hash: string, headers = {}) => call('GET', `/api/public/dl/${hash}/a.txt`, { headers })
  // The file is old enough now.
  await repeat('/api/raw/docs/a.txt')
  await until(() => recentReplies.usage.replies === 0)
  const { sent } = recentReplies.usage
  for (let n = 0; n < 3; n++) {
    t.match(await ask(free), { statusCode: 200, body: 'one' })
    t.match(await ask(locked, { 'x-share-password': 'open%20sesame' }), { statusCode: 200, body: 'one' })
    t.equal((await ask(locked)).statusCode, 401, 'the password of another request does not count')
  }
  t.match(recentReplies.usage, { replies: 0, sent })
  t.strictSame(errorLines(config.log), [])
})

t.test(
  'ranges, conditions and HEAD of a repeated request are answered as usual',
  { buffered: true },
  async (t) => {
    const { alice, repeat } = await open(t)
    const url = '/api/raw/docs/a.txt'
    await repeat(url)
    const etag = String((await alice('GET', url)).headers.etag)
    t.match(await alice('GET', url, { headers: { range: 'bytes=1-' } }), { statusCode: 206, body: 'ne' })
    t.equal((await alice('GET', url, { headers: { 'if-none-match': etag } })).statusCode, 304)
    t.equal((await alice('GET', url, { headers: { 'if-match': '"x"' } })).statusCode, 412)
    t.match(await alice('HEAD', url), { statusCode: 200, body: '' })
    t.match(await alice('GET', `${url}?inline=true`), { headers: { 'content-disposition': /^inline/ } })
  },
)

t.test(
  'a file that changed just now is read each time: it may change again at the same time',
  { buffered: true },
  async (t) => {
    const { root, alice, recentReplies } = await open(t)
    for (let n = 0; n < 5; n++) {
      writeFileSync(join(root, 'docs/a.txt'), String(n))
      t.equal((await alice('GET', '/api/raw/docs/a.txt')).body, String(n))
    }
    t.same(recentReplies.usage, { replies: 0, bytes: 0, sent: 0 })
  },
)

t.test('a file behind a symbolic link is opened each time', { buffered: true }, async (t) => {
  const { root, alice, recentReplies, repeat } = await open(t)
  symlinkSync('docs', join(root, 'link'))
  for (const url of urls) await repeat(url)
  const before = recentReplies.usage.sent
  for (const url of urls) for (let n = 0; n < 5; n++) await alice('GET', url.replace('/docs/', '/link/'))
  t.equal(recentReplies.usage.sent, before)
})

t.test('recent replies need at most 8 MiB, and none after a second', { buffered: true }, async (t) => {
  const names = Array.from({ length: 200 }, (_, n) => `${n}.bin`)
  const content = 'x'.repeat(smallFileBytes)
  const { alice, recentReplies } = await open(t, Object.fromEntries(names.map((name) => [name, content])))
  await until(async () => {
    await alice('GET', '/api/raw/docs/0.bin')
    return recentReplies.usage.replies > 0
  })
  let most = 0
  for (const name of names) {
    await alice('GET', `/api/raw/docs/${name}`)
    most = Math.max(most, recentReplies.usage.bytes)
  }
  t.ok(most > smallFileBytes, 'several are kept')
  t.ok(most <= 8 * 1024 * 1024)
  await until(async () => recentReplies.usage.replies === 0)
  t.equal(recentReplies.usage.bytes, 0)
})
