import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { password } from '#src/testing/start.ts'
import { isRefused, openTarget } from './fixture.ts'
import { actions, type LinkKind, linkKinds, requestOf } from './link-kinds.ts'
import { canaries } from './world.ts'

const target = await openTarget(t)
const { ask, row, share, root, clock } = target
const alice = join(root, 'alice')

const info = (shareId: string, rest = '', headers = {}) =>
  ask('', 'GET', `/api/public/share/${shareId}${rest}`, { headers })
const fetch = (shareId: string, rest = '', headers = {}) =>
  ask('', 'GET', `/api/public/dl/${shareId}${rest}`, { headers })

/** Asserts that a share returns neither information nor content any more. */
async function isGone(t: Test, shareId: string): Promise<void> {
  for (const rest of ['', '/', '/?algo=zip']) {
    isRefused(t, await info(shareId, rest), [404])
    isRefused(t, await fetch(shareId, rest), [404])
  }
}

row('D01 CVE-2026-28492 a share shows the shared entry and nothing beside it', async (t) => {
  mkdirSync(join(alice, 'docs/shared'))
  mkdirSync(join(alice, 'docs/shared-not'))
  writeFileSync(join(alice, 'docs/shared/in.txt'), 'in')
  writeFileSync(join(alice, 'docs/shared-not/x'), canaries.rule)
  writeFileSync(join(alice, 'docs/sibling.txt'), canaries.rule)
  const shareId = await share('/docs/shared')
  t.equal(await share('/docs/shared/'), shareId)
  for (const rest of ['', '/']) t.match((await info(shareId, rest)).text, /"numFiles":1/)
  const beside = ['sibling.txt', 'shared-not/x', '../sibling.txt', '..%2fsibling.txt', '%2e%2e/shared-not/x']
  for (const path of [...beside, '..%5csibling.txt', '/..//../sibling.txt', '-not/x']) {
    isRefused(t, await info(shareId, `/${path}`), [404])
    isRefused(t, await fetch(shareId, `/${path}`), [404])
    isRefused(t, await fetch(shareId, `/?files=${encodeURIComponent(path)}`), [404])
    isRefused(t, await ask('', 'GET', `/api/public/preview/thumb/${shareId}/${path}`), [404])
    isRefused(t, await ask('', 'GET', `/api/public/subtitle/${shareId}/${path}`), [404])
  }
  isRefused(t, await info(`${shareId}-not`, '/x'), [404])
  const file = await share('/docs/public.txt')
  for (const path of beside) {
    // After the id of a shared file, the path is ignored.
    t.equal((await fetch(file, `/${path}`)).text, 'public')
    t.match(JSON.parse((await info(file, `/${path}`)).text), { name: 'public.txt', path: '/public.txt' })
  }
})

row('D02 CVE-2025-52996 a share with a password opens with that password only', async (t) => {
  const secret = { password: 'p', expires: '', unit: 'hours' }
  const shareId = await share('/pub.txt', secret)
  const other = await share('/docs/public.txt', { password: 'q' })
  const unlock = async (id: string, word: string) =>
    JSON.parse((await info(id, '', { 'x-share-password': word })).text) as { token: string }
  const foreign = (await unlock(other, 'q')).token
  for (const call of [info, fetch]) {
    for (const headers of [
      {},
      { 'x-share-password': 'no' },
      { 'x-share-password': '' },
      { 'x-share-password': '%' },
    ]) {
      const response = await call(shareId, '', headers)
      isRefused(t, response, [401])
      t.notMatch(response.text, /\{|pub/)
    }
    for (const token of ['', 'x', 'x.y', shareId, foreign, `${foreign}=`, await target.token('bob')]) {
      isRefused(t, await call(shareId, `?token=${token}`), [401])
    }
    for (const rest of ['?password=p', '?auth=p', '?inline=true', '/pub.txt']) {
      isRefused(t, await call(shareId, rest), [401])
    }
  }
  const { token } = await unlock(shareId, 'p')
  t.equal((await fetch(shareId, `?token=${token}`)).text, 'public')
  isRefused(t, await fetch(other, `?token=${token}`), [401])
  clock.advance({ minutes: 61 })
  isRefused(t, await fetch(shareId, `?token=${token}`), [401])
  const { token: fresh } = await unlock(shareId, 'p')
  t.equal((await ask('alice', 'DELETE', `/api/share/${shareId}`)).status, 200)
  isRefused(t, await fetch(shareId, `?token=${fresh}`), [404])
  isRefused(t, await fetch(await share('/pub.txt', secret), `?token=${fresh}`), [401])
})

row('D03 CVE-2026-27611 a locked share reveals nothing, and an open one nothing of its owner', async (t) => {
  const shareId = await share('/docs/public.txt', { password: 'p' })
  const locked = await info(shareId)
  t.equal(locked.text, '401 Unauthorized (this share needs a password)\n')
  const page = await ask('', 'GET', `/share/${shareId}`)
  t.notMatch(page.text + JSON.stringify(page.headers), /public\.txt|docs|alice/)
  const open = await info(shareId, '', { 'x-share-password': 'p' })
  const keys = Object.keys(JSON.parse(open.text))
  t.strictSame(
    keys.filter((key) => /user|owner|hash|password|scope|source/i.test(key)),
    [],
  )
  t.notMatch(open.text, /docs|alice|argon2/)
  const problem = await info(shareId, '', { accept: 'application/json' })
  t.strictSame(
    Object.keys(JSON.parse(problem.text)).sort(),
    ['code', 'detail', 'details', 'status', 'title'].sort(),
  )
})

row('D05 CVE-2025-64523 a share can be deleted by its owner and by administrators only', async (t) => {
  const shareId = await share('/docs')
  for (const rest of ['', '/', '/docs', '?x']) {
    isRefused(t, await ask('bob', 'DELETE', `/api/share/${shareId}${rest}`))
    isRefused(t, await ask('', 'DELETE', `/api/share/${shareId}${rest}`), [401])
  }
  isRefused(t, await ask('ro', 'DELETE', `/api/share/${shareId}`))
  for (const path of ['/api/share/', '/api/share']) isRefused(t, await ask('bob', 'DELETE', path), [400])
  t.equal((await info(shareId)).status, 200)
  t.equal((await ask('alice', 'DELETE', `/api/share/${shareId}`)).status, 200)
  await isGone(t, shareId)
  const second = await share('/docs')
  t.equal((await ask('admin', 'DELETE', `/api/share/${second}`)).status, 200)
  await isGone(t, second)
})

row('D05 downloads through a share are aborted when the share ends', async (t) => {
  writeFileSync(join(alice, 'docs/sub/big.bin'), '')
  truncateSync(join(alice, 'docs/sub/big.bin'), 8 * 1024 ** 3)
  const begin = async (shareId: string) => {
    const urls = [`/api/public/dl/${shareId}/big.bin`, `/api/public/dl/${shareId}?algo=tar`]
    const waits = await Promise.all(urls.map((url) => target.startReading(t, url)))
    return () => Promise.all(waits.map((wait) => wait()))
  }
  const ended = await share('/docs/sub')
  const [waitForDeleted, waitForExpired] = [
    await begin(ended),
    await begin(await share('/docs/sub', { expires: '60', unit: 'minutes' })),
  ]
  t.equal((await ask('alice', 'DELETE', `/api/share/${ended}`)).status, 200)
  await waitForDeleted()
  target.advanceMinutes(61)
  await waitForExpired()
  const change = async (perm: object) => {
    const data = { id: target.idOf('alice'), perm }
    t.equal(
      (await ask('admin', 'PUT', `/api/users/${data.id}`, { json: { what: 'user', which: ['perm'], data } }))
        .status,
      200,
    )
  }
  const { perm } = target.document.data.users[target.idOf('alice')] ?? { perm: {} }
  const waitForRevoked = await begin(await share('/docs/sub', { expires: '2', unit: 'days' }))
  await change({ ...perm, share: false })
  await waitForRevoked()
  await change(perm)
})

row(
  'D06 CVE-2026-54097 deleting an entry ends its shares, and no shares of entries with a similar name',
  async (t) => {
    mkdirSync(join(alice, 'a'))
    writeFileSync(join(alice, 'a/child.txt'), 'child')
    writeFileSync(join(alice, 'abc'), 'abc')
    const shareIds = [await share('/a'), await share('/abc'), await share('/a/child.txt')]
    for (const name of ['a', 'abc', 'd', '%20']) {
      t.equal((await ask('bob', 'POST', `/api/resources/${name}/`)).status, 200)
      if (name === 'a') shareIds.push(await share('/a', {}, 'bob'))
      t.equal((await ask('bob', 'DELETE', `/api/resources/${name}`)).status, 200)
    }
    const [folder = '', file = '', child = '', ofBob = ''] = shareIds
    for (const shareId of [folder, file, child]) t.equal((await info(shareId)).status, 200)
    await isGone(t, ofBob)
    t.equal((await ask('alice', 'DELETE', '/api/resources/a')).status, 200)
    await isGone(t, folder)
    await isGone(t, child)
    t.equal((await fetch(file)).text, 'abc')
  },
)

row('D07 a share that ended does not revive when a new entry takes the old name', async (t) => {
  const ends: [name: string, end: (url: string) => Promise<unknown>][] = [
    ['deleted', (url) => ask('alice', 'DELETE', `${url}/`)],
    [
      'overwritten',
      (url) =>
        ask(
          'alice',
          'PATCH',
          `/api/resources/pub.txt?action=copy&override=true&destination=${url.slice(14)}`,
        ),
    ],
    ['moved', (url) => ask('alice', 'PATCH', `${url}?action=rename&destination=/away`)],
  ]
  for (const [name, end] of ends) {
    writeFileSync(join(alice, name), 'old')
    const shareId = await share(`/${name}`)
    await end(`/api/resources/${name}`)
    await ask('alice', 'POST', `/api/resources/${name}?override=true`, { body: canaries.rule })
    t.match((await fetch(shareId)).text, name === 'moved' ? /^old$/ : /^404 /)
  }
  mkdirSync(join(alice, 'folder'))
  const shareId = await share('/folder')
  await ask('alice', 'DELETE', '/api/resources/folder/')
  await ask('alice', 'POST', '/api/resources/folder/')
  await isGone(t, shareId)
})

row('D08 deleting an entry by another path ends its shares', async (t) => {
  const shareId = await share('/pub.txt')
  const inside = await share('/docs/public.txt')
  t.equal((await ask('admin', 'DELETE', '/api/resources/alice/pub.txt')).status, 200)
  t.equal((await ask('admin', 'DELETE', '/api/resources/alice/docs')).status, 200)
  t.equal((await ask('creator', 'POST', '/api/resources/pub.txt', { body: canaries.rule })).status, 200)
  await ask('creator', 'POST', '/api/resources/docs/public.txt', { body: canaries.rule })
  await isGone(t, shareId)
  await isGone(t, inside)
  const onDisk = await share('/docs-old/x.txt')
  rmSync(join(alice, 'docs-old/x.txt'))
  writeFileSync(join(alice, 'docs-old/new'), 'keeps the number of the old file from being given again')
  writeFileSync(join(alice, 'docs-old/x.txt'), canaries.rule)
  await isGone(t, onDisk)
})

row('D09 a share never serves an entry that took the name of the shared one', async (t) => {
  for (const user of ['alice', 'admin'] as const) {
    const base = user === 'admin' ? '/alice' : ''
    mkdirSync(join(alice, 'dir'))
    writeFileSync(join(alice, 'dir/in.txt'), 'in')
    writeFileSync(join(alice, 'a.txt'), 'a')
    const shareIds = [await share('/a.txt'), await share('/dir/in.txt'), await share('/dir')] as const
    for (const [from, to] of [
      ['a.txt', 'b.txt'],
      ['dir', 'gone'],
    ]) {
      const url = `/api/resources${base}/${from}?action=rename&destination=${base}/${to}`
      t.equal((await ask(user, 'PATCH', url)).status, 200)
    }
    mkdirSync(join(alice, 'dir'))
    for (const name of ['a.txt', 'dir/in.txt']) writeFileSync(join(alice, name), canaries.rule)
    t.equal((await fetch(shareIds[0])).text, 'a', 'the share follows the shared entry')
    t.equal((await fetch(shareIds[1])).text, 'in')
    t.equal((await fetch(shareIds[2], '/in.txt')).text, 'in')
    for (const name of ['dir', 'gone', 'a.txt', 'b.txt']) rmSync(join(alice, name), { recursive: true })
  }
  const shareId = await share('/pub.txt')
  renameSync(join(alice, 'pub.txt'), join(alice, 'moved.txt'))
  writeFileSync(join(alice, 'pub.txt'), canaries.rule)
  await isGone(t, shareId)
})

row(
  'D14 ids of shares cannot be guessed, and an unknown id gets the same response as an ended one',
  async (t) => {
    const shareIds: string[] = []
    for (let n = 0; n < 60; n++) shareIds.push(await share('/pub.txt', { expires: '1', unit: 'hours' }))
    t.equal(new Set(shareIds).size, shareIds.length)
    t.ok(
      shareIds.every((shareId) => /^[\w-]{22,}$/.test(shareId)),
      '128 bits in base64url',
    )
    for (let at = 0; at < 22; at++) {
      t.ok(
        new Set(shareIds.map((shareId) => shareId[at])).size > (at === 21 ? 1 : 10),
        `character ${at} is not fixed`,
      )
    }
    const [revoked = '', alive = ''] = shareIds
    await ask('alice', 'DELETE', `/api/share/${revoked}`)
    const near = `${alive.slice(0, -1)}${alive.endsWith('A') ? 'B' : 'A'}`
    const unknown = [revoked, near, 'x', '__proto__', 'constructor', alive.toLowerCase(), `${alive}A`, '%00']
    const responses = await Promise.all(unknown.map(async (shareId) => (await info(shareId)).text))
    t.strictSame(new Set(responses), new Set(['404 Not Found (this share does not exist or has expired)\n']))
  },
)

row('D16 a later user gets nothing of a deleted user with the same name', async (t) => {
  const add = async (username: string) => {
    const data = { username, password, scope: '/team', perm: { share: true, download: true } }
    const made = await ask('admin', 'POST', '/api/users', { json: { what: 'user', which: [], data } })
    t.equal(made.status, 201, made.text)
    const { text } = await ask('', 'POST', '/api/login', { json: { username, password } })
    const id = Number(String(made.headers.location).split('/').at(-1))
    return { id, headers: { 'x-auth': text } }
  }
  const deleted = await add('gone')
  const made = await ask('', 'POST', '/api/share/a.txt', { headers: deleted.headers, json: {} })
  const shareId = (JSON.parse(made.text) as { hash: string }).hash
  t.equal((await info(shareId)).status, 200)
  t.equal((await ask('admin', 'DELETE', `/api/users/${deleted.id}`)).status, 200)
  const next = await add('gone')
  t.not(next.id, deleted.id)
  await isGone(t, shareId)
  isRefused(t, await ask('', 'GET', '/api/resources/', { headers: deleted.headers }), [401])
  t.equal((await ask('', 'GET', '/api/shares', { headers: next.headers })).text, '[]')
  t.equal(
    (await ask('admin', 'GET', '/api/shares')).status,
    200,
    'a share without an owner does not break the list',
  )
  t.equal((await ask('admin', 'DELETE', `/api/users/${next.id}`)).status, 200)
})

row('D17 CVE-2026-70657 a share of a file never becomes a share of a folder', async (t) => {
  writeFileSync(join(alice, 'x'), 'x')
  const shareId = await share('/x')
  for (const rest of [
    '?files=pub.txt',
    '/?files=..%2fpub.txt',
    '?files=x,pub.txt',
    '/docs/?algo=tar',
    '/../?algo=zip',
  ]) {
    const { status, text } = await fetch(shareId, rest)
    t.ok(status >= 400 || text === 'x', rest)
  }
  t.match(JSON.parse((await info(shareId, '/')).text), { name: 'x', isDir: false })
  await ask('alice', 'DELETE', '/api/resources/x')
  mkdirSync(join(alice, 'x'))
  writeFileSync(join(alice, 'x/y'), canaries.rule)
  await isGone(t, shareId)
  isRefused(t, await fetch(shareId, '/y'), [404])
})

row('D18 CVE-2026-55499 the id or token of a share opens public addresses only', async (t) => {
  const shareId = await share('/pub.txt', { password: 'p' })
  const { token } = JSON.parse((await info(shareId, '', { 'x-share-password': 'p' })).text) as {
    token: string
  }
  const calls = ['resources', 'raw', 'search', 'subtitle', 'usage', 'share', 'resources/recursive']
  for (const value of [shareId, token]) {
    for (const call of calls) {
      const url = `/api/${call}/pub.txt`
      for (const headers of [
        { 'x-auth': value },
        { authorization: `Bearer ${value}` },
        { cookie: `auth=${value}` },
      ]) {
        isRefused(t, await ask('', 'GET', url, { headers }), [401])
      }
      isRefused(t, await ask('', 'GET', `${url}?auth=${value}`), [401])
      isRefused(t, await ask('', 'GET', `${url}?token=${value}`), [401])
    }
  }
  for (const call of ['search', 'usage', 'raw', 'resources', 'command']) {
    isRefused(t, await ask('', 'GET', `/api/public/${call}/${shareId}`), [404, 405])
  }
  for (const call of ['subtitle', 'preview/thumb', 'preview/big', 'cover', 'tus']) {
    isRefused(t, await ask('', 'GET', `/api/public/${call}/${shareId}`), [401])
    isRefused(t, await ask('admin', 'GET', `/api/public/${call}/${shareId}`), [401])
  }
  // Public addresses neither require nor use the token of a user.
  isRefused(t, await ask('admin', 'GET', `/api/public/dl/${shareId}`), [401])
})

row('D20 SFTPGo ac4fc342 a limit of one download gives one to fifty requests at once', async (t) => {
  const names = Array.from({ length: 50 }, (_, n) => `race/${n}.txt`)
  mkdirSync(join(alice, 'race'))
  for (const name of names) writeFileSync(join(alice, name), name)
  const made = await ask('alice', 'POST', '/api/share/race', { json: { maxDownloads: 1 } })
  const { hash } = JSON.parse(made.text) as { hash: string }
  for (const headers of [{ range: 'bytes=99-' }, { 'if-none-match': '*' }])
    await fetch(hash, '/0.txt', headers)
  isRefused(t, await fetch(hash, '/none.txt'), [404])
  const heads = await ask('', 'HEAD', `/api/public/dl/${hash}/0.txt`)
  t.equal(heads.status, 200)
  const replies = await Promise.all(names.map((name) => fetch(hash, name.slice(4))))
  t.equal(replies.filter(({ status }) => status === 200).length, 1)
  t.equal(replies.filter(({ status }) => [410, 503].includes(status)).length, 49)
})

row("D21 lists of shares contain the requesting user's shares only", async (t) => {
  const shareId = await share('/docs')
  t.notMatch((await ask('bob', 'GET', '/api/shares')).text, shareId)
  isRefused(t, await ask('bob', 'GET', '/api/share/docs'), [404])
  isRefused(t, await ask('bob', 'GET', '/api/share/..%2falice%2fdocs'), [404])
  for (const user of ['ro', 'noperm', 'creator'] as const) {
    isRefused(t, await ask(user, 'GET', '/api/shares'), [403])
    isRefused(t, await ask(user, 'GET', '/api/share/docs'), [403])
    isRefused(t, await ask(user, 'POST', '/api/share/docs', { json: {} }), [403])
  }
  t.match((await ask('admin', 'GET', '/api/shares')).text, shareId)
})

/** A link of a kind, to an entry of its own. */
interface KindLink {
  kind: LinkKind
  hash: string
  /** What is in its address: the name, or else the id. */
  address: string
  /** The shared entry, below the folder of alice. */
  path: string
  /** Sends the request of an action. */
  attempt(action: (typeof actions)[number], headers?: Record<string, string>): ReturnType<typeof ask>
  /** The header with the password, if it has one. */
  unlocked: Record<string, string>
}

let rowsDone = 0

/** Runs an attack on a link of every kind. */
function rowForKinds(title: string, attack: (t: Test, link: KindLink) => Promise<void>): void {
  row(`${title}, for every kind of link`, async (t) => {
    // A user may make some links in a second.
    clock.advance({ seconds: 30 })
    rowsDone++
    for (const [n, kind] of linkKinds.entries()) {
      mkdirSync(join(alice, `kinds/${n}`), { recursive: true })
      writeFileSync(join(alice, `kinds/${n}/in.txt`), 'in')
      const path = `/kinds/${n}${kind.entry === 'file' ? '/in.txt' : ''}`
      // A share whose entry is in the trash keeps its name.
      const slug = kind.settings.slug && `${kind.settings.slug}-${rowsDone}`
      const hash = await share(path, { ...kind.settings, ...(slug && { slug }) })
      const address = slug ?? hash
      const { password } = kind.settings
      const unlocked: Record<string, string> = password
        ? { 'x-share-password': encodeURIComponent(password) }
        : {}
      const attempt: KindLink['attempt'] = (action, headers = unlocked) => {
        const inside = kind.entry === 'file' ? '' : '/in.txt'
        const { method, url, ...rest } = requestOf(action, address, inside)
        return ask('', method, url, { headers, ...rest })
      }
      await t.test(kind.name, (t) => attack(t, { kind, hash, address, path, attempt, unlocked }))
      await ask('alice', 'DELETE', `/api/share/${hash}`)
    }
  })
}

rowForKinds('D05 what a link does not allow is refused', async (t, { kind, attempt }) => {
  for (const action of actions) {
    const reply = await attempt(action)
    if (kind.may[action]) t.equal(reply.status, 200, `${action}: ${reply.text}`)
    else isRefused(t, reply)
  }
})

rowForKinds(
  'D01 nothing beside the shared entry is shown or changed',
  async (t, { kind, address, unlocked }) => {
    writeFileSync(join(alice, 'kinds/beside.txt'), canaries.rule)
    for (const path of ['../beside.txt', '..%2fbeside.txt', '%2e%2e/beside.txt', '/..//../beside.txt']) {
      for (const action of ['see', 'download', 'save', 'move'] as const) {
        const { method, url, ...rest } = requestOf(action, address, `/${path}`)
        const reply = await ask('', method, url, { headers: unlocked, ...rest })
        t.notMatch(reply.text, /RULE-CANARY/, `${action} ${path}`)
        // After the address of a shared file, and of a link that only receives files, the path is ignored. Where files may be
        // saved, the path means one in the link.
        const isKept = kind.entry === 'folder' && kind.settings.rights !== 'upload' && !kind.may.save
        if (isKept) isRefused(t, reply, [403, 404])
      }
    }
    t.equal(readFileSync(join(alice, 'kinds/beside.txt'), 'utf8'), canaries.rule)
  },
)

rowForKinds(
  'D05 D14 only the owner and administrators see, change and delete a link',
  async (t, { hash, attempt }) => {
    for (const [method, url] of [
      ['DELETE', `/api/share/${hash}`],
      ['PATCH', `/api/share/${hash}`],
      ['GET', `/api/shares/${hash}/log`],
      ['GET', `/api/shares/${hash}/days`],
    ] as const) {
      const json = method === 'PATCH' ? { rights: 'edit' } : undefined
      isRefused(t, await ask('bob', method, url, { json }), [403])
      isRefused(t, await ask('', method, url, { json }), [401])
    }
    t.notMatch((await ask('bob', 'GET', '/api/shares')).text, hash)
    t.equal((await attempt('see')).status, 200)
    t.equal((await ask('alice', 'DELETE', `/api/share/${hash}`)).status, 200)
    for (const action of actions) isRefused(t, await attempt(action), [404])
  },
)

rowForKinds(
  'D07 D08 a link ends with its entry, and none that gets the name revives it',
  async (t, { kind, path, attempt }) => {
    t.equal((await ask('admin', 'DELETE', `/api/resources/alice${path}`)).status, 200)
    for (const action of actions) isRefused(t, await attempt(action), [404])
    if (kind.entry === 'folder') mkdirSync(join(alice, path))
    writeFileSync(join(alice, kind.entry === 'folder' ? `${path}/in.txt` : path), canaries.rule)
    for (const action of actions) isRefused(t, await attempt(action), [404])
  },
)

rowForKinds('D09 a link follows its entry to another name', async (t, { kind, path, attempt }) => {
  const moved = await ask('alice', 'PATCH', `/api/resources${path}?action=rename&destination=${path}-moved`)
  t.equal(moved.status, 200)
  if (kind.entry === 'folder') mkdirSync(join(alice, path))
  writeFileSync(join(alice, kind.entry === 'folder' ? `${path}/in.txt` : path), canaries.rule)
  for (const action of ['see', 'download', 'archive'] as const) {
    const reply = await attempt(action)
    t.notMatch(reply.text, /RULE-CANARY/)
    // The name of a shared file is in its listing.
    if (kind.may[action]) t.equal(reply.status, 200, action)
    else isRefused(t, reply)
  }
  rmSync(join(alice, path), { recursive: true })
  rmSync(join(alice, `${path}-moved`), { recursive: true })
})

rowForKinds(
  'D17 D18 the id of a link is no session, and a file never becomes a folder',
  async (t, { kind, hash, path, attempt }) => {
    for (const call of ['resources', 'raw', 'search', 'usage', 'share'])
      for (const headers of [
        { 'x-auth': hash },
        { authorization: `Bearer ${hash}` },
        { cookie: `auth=${hash}` },
      ])
        isRefused(t, await ask('', 'GET', `/api/${call}${path}`, { headers }), [401])
    if (kind.entry === 'folder') return
    rmSync(join(alice, path))
    mkdirSync(join(alice, path))
    writeFileSync(join(alice, path, 'in.txt'), canaries.rule)
    for (const action of actions) isRefused(t, await attempt(action), [404])
    rmSync(join(alice, path), { recursive: true })
  },
)

rowForKinds('D20 a limit of one download gives one', async (t, { kind, hash, path, attempt }) => {
  if (!kind.may.download) return
  t.equal((await ask('alice', 'PATCH', `/api/share/${hash}`, { json: { maxDownloads: 1 } })).status, 200)
  const folder = kind.entry === 'folder'
  if (folder) writeFileSync(join(alice, path, 'second.txt'), 'second')
  const replies = await Promise.all(Array.from({ length: 10 }, () => attempt('download')))
  t.ok(replies.every(({ status }) => [200, 410, 503].includes(status)))
  t.equal(
    (await attempt('download')).status,
    200,
    'the same bytes for the same visitor are the same download',
  )
  if (folder) isRefused(t, await attempt('archive'), [410])
})

// The last one, because after many wrong passwords the address of the tests has to wait.
rowForKinds('D02 D03 a password protects every request, and a locked link tells nothing', async (t, link) => {
  if (!link.kind.settings.password) return
  for (const action of actions) {
    for (const headers of [{}, { 'x-share-password': 'no' }, { 'x-share-password': '' }] as const) {
      const reply = await link.attempt(action, headers as Record<string, string>)
      // After some wrong ones, also the next right one has to wait.
      isRefused(t, reply, [401, 429])
      t.notMatch(reply.text, /\{|in\.txt|kinds|alice/, action)
    }
  }
})
