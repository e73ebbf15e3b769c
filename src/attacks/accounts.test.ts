import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { password } from '#src/testing/start.ts'
import { dial, until } from '#src/testing/wire.ts'
import { isRefused, openTarget } from './fixture.ts'
import { canaries } from './world.ts'

const target = await openTarget(t)
const { ask, row, rules, settings, idOf, advanceMinutes, root, document } = target
const alice = join(root, 'alice')
const good = 'a long enough sentence'

const signUp = (username: string, more: object = {}) =>
  ask('', 'POST', '/api/signup', { json: { username, password: good, ...more } })

/** Signs in with a name and returns a header that carries the token. */
async function headersOf(username: string, word = good) {
  const { status, text } = await ask('', 'POST', '/api/login', { json: { username, password: word } })
  if (status !== 200) throw new Error(text)
  return { headers: { 'x-auth': text } }
}

const add = (data: object) => ask('admin', 'POST', '/api/users', { json: { what: 'user', which: [], data } })
const change = (user: 'admin' | 'alice' | 'noperm', id: number, which: unknown, data: object) =>
  ask(user, 'PUT', `/api/users/${id}`, { json: { what: 'user', which, data: { id, ...data } } })
const userNamed = (name: string) =>
  Object.values(document.data.users).find(({ username }) => username === name)
const remove = (name: string) => ask('admin', 'DELETE', `/api/users/${idOf(name)}`)

const nobody = { admin: false, execute: false }

row(
  'E01 CVE-2026-32760 a new account gets no rights over the instance, whatever the defaults say',
  async (t) => {
    isRefused(t, await signUp('e'), [405])
    t.notOk(userNamed('e'))
    const perm = { admin: true }
    await settings({ signup: true, createUserDir: true, defaults: { perm, commands: ['ls'] } })
    const extra = { perm, scope: '/', id: 1, rules: [], lockPassword: true, data: { perm }, admin: true }
    t.equal((await signUp('e', extra)).status, 200)
    isRefused(t, await ask('', 'GET', '/api/users', await headersOf('e')), [403])
    t.match(userNamed('e'), { perm: nobody, commands: [], lockPassword: false, scope: '/users/e' })
    t.not(userNamed('e')?.id, 1)
    await settings({ defaults: { perm: nobody, commands: [] } })
    await remove('e')
  },
)

row('E03 an identity header signs nobody in if no proxy is configured', async (t) => {
  const count = Object.keys(document.data.users).length
  for (const header of [
    'x-remote-user',
    'remote-user',
    'x-forwarded-user',
    'x_remote_user',
    'x-webauth-user',
  ]) {
    const carried = { headers: { [header]: 'admin' }, json: {} }
    isRefused(t, await ask('', 'POST', '/api/login', carried), [400, 403])
    isRefused(t, await ask('', 'GET', '/api/users', { headers: { [header]: 'admin' } }), [401])
  }
  t.equal(Object.keys(document.data.users).length, count)
})

row('E04 CVE-2026-72839 with home folders, a new account sees its own folder only', async (t) => {
  for (const [at, scope] of ['.', '/', ''].entries()) {
    await settings({ signup: true, createUserDir: true, defaults: { scope } })
    const name = `new${at}`
    t.equal((await signUp(name)).status, 200)
    const own = await headersOf(name)
    t.match((await ask('', 'GET', '/api/resources/', own)).text, /"numDirs":0,"numFiles":0/)
    for (const path of ['/bob/a.txt', '/../bob/a.txt', '/users/new0']) {
      isRefused(t, await ask('', 'DELETE', `/api/resources${path}`, own), [404])
    }
    await remove(name)
  }
  await settings({ createUserDir: false, defaults: { scope: '.' } })
})

row('E05 CVE-2026-62685 no two user names share a home folder', async (t) => {
  advanceMinutes(6)
  await settings({ signup: true, createUserDir: true })
  t.equal((await signUp('team/x')).status, 200)
  for (const name of ['team-x', 'team--x', ' team-x ', 'team..-x', 'TEAM/X', 'team\u200d/x', '\uff54eam/x']) {
    isRefused(t, await signUp(name), [400, 409])
  }
  advanceMinutes(6)
  for (const name of ['t\u0435am-x', 'caf\u00e9', 'cafe\u0301', 'team-x.']) await signUp(name)
  const scopes = Object.values(document.data.users).flatMap(({ scope }) =>
    scope.startsWith('/users/') ? scope : [],
  )
  t.equal(new Set(scopes.map((scope) => scope.toLowerCase())).size, scopes.length)
  t.ok(
    scopes.every((scope) => /^\/users\/[\w@.-]+$/.test(scope)),
    'home folders have plain names',
  )
})

row(
  'E07 CVE-2026-72837 of names that map to one folder, signed up concurrently, one account is made',
  async (t) => {
    advanceMinutes(6)
    await settings({ signup: true, createUserDir: true })
    const names = ['r/b', 'r-b', 'r--b', 'r b', 'R-B', 'r?b']
    const responses = await Promise.all(names.map((name) => signUp(name)))
    t.equal(responses.filter(({ status }) => status === 200).length, 1)
    for (const response of responses) isRefused(t, response, [200, 409])
  },
)

row('E08 CVE-2026-30915 a user name never leads out of the folder for home folders', async (t) => {
  const names = [
    '..',
    '.',
    '../../x',
    'a/../../b',
    '%2e%2e',
    '',
    'n'.repeat(300),
    'CON',
    'a\u0000b',
    'a\nb',
    '/',
    '...',
  ]
  advanceMinutes(6)
  await settings({ signup: true, createUserDir: true })
  for (const name of names) {
    isRefused(t, await signUp(name), [200, 400, 409, 429])
    isRefused(t, await add({ username: name, password: good }), [201, 400, 409])
  }
  for (const name of ['..', '.', '', 'n'.repeat(300), 'a\nb'])
    isRefused(t, await add({ username: name, password: good }), [400])
  t.strictSame(readdirSync(root).sort(), ['alice', 'bob', 'team', 'users'])
  for (const { scope } of Object.values(document.data.users)) {
    t.notMatch(scope, /\/\.\.?(\/|$)/)
    t.match(scope, /^\/(users\/[^/]+|alice|bob|team)?$/)
  }
})

row('E09 CVE-2025-62509 an existing folder does not become the home folder of a new account', async (t) => {
  advanceMinutes(6)
  await settings({ signup: true, createUserDir: true })
  mkdirSync(join(root, 'users/finance'), { recursive: true })
  writeFileSync(join(root, 'users/finance/data.txt'), canaries.rule)
  isRefused(t, await signUp('finance'), [409])
  t.equal((await signUp('leaver')).status, 200)
  await remove('leaver')
  isRefused(t, await signUp('leaver'), [409])
  await settings({ signup: false, createUserDir: false })
})

row('E11 users cannot give themselves more permissions than they have', async (t) => {
  const before = structuredClone(userNamed('alice'))
  const perm = { admin: true, execute: true }
  const id = idOf('alice')
  const data = {
    perm,
    scope: '/',
    username: 'root',
    commands: ['sh'],
    rules: [],
    lockPassword: false,
    locale: 'de',
  }
  const guarded = [
    'perm',
    'Perm',
    'PERM',
    'pERM',
    'scope',
    'username',
    'commands',
    'rules',
    'lockPassword',
    'all',
  ]
  for (const field of [...guarded, 'id', 'ID']) {
    isRefused(t, await change('alice', id, [field], data), [403])
    isRefused(t, await change('alice', id, ['locale', field], data), [403])
  }
  const odd = [
    [],
    ['fs'],
    ['__proto__'],
    ['constructor'],
    ['locale', '__proto__'],
    'locale',
    ['all', 'perm'],
    [1],
    null,
  ]
  for (const which of odd) isRefused(t, await change('alice', id, which, data), [400, 403])
  const proto = `{"what":"user","which":["locale"],"data":{"id":${id},"locale":"en","__proto__":{"perm":{"admin":true}}}}`
  isRefused(t, await ask('alice', 'PUT', `/api/users/${id}`, { body: proto }), [200, 400])
  t.strictSame({ ...userNamed('alice'), locale: '' }, { ...before, locale: '' })
})

row('E12 accounts of other users cannot be reached by any spelling of an id', async (t) => {
  const before = structuredClone(document.data.users[1])
  const id = idOf('alice')
  isRefused(t, await ask('alice', 'GET', '/api/users'), [403])
  const ids = [
    '1',
    '01',
    '+1',
    '1e0',
    '0x1',
    '1%00',
    '-1',
    '18446744073709551616',
    '1;2',
    '1.0',
    '%31',
    ' 1'.replace(' ', '%20'),
  ]
  const json = { what: 'user', which: ['locale'], data: { id: 1, locale: 'de' } }
  for (const one of ids) {
    isRefused(t, await ask('alice', 'GET', `/api/users/${one}`), [400, 403, 404])
    isRefused(t, await ask('alice', 'PUT', `/api/users/${one}`, { json }), [400, 403, 404])
    isRefused(t, await ask('alice', 'DELETE', `/api/users/${one}`), [400, 403, 404])
    isRefused(t, await ask('alice', 'GET', `/api/users/${one}/sessions`), [400, 403, 404])
    isRefused(t, await ask('alice', 'DELETE', `/api/users/${one}/sessions`), [400, 403, 404])
  }
  isRefused(t, await ask('alice', 'PUT', `/api/users/${id}`, { json }), [400])
  t.strictSame(document.data.users[1], before)
})

row('E14 a user with a locked password cannot change it, even with the current password', async (t) => {
  const id = idOf('noperm')
  t.equal((await change('admin', id, ['lockPassword'], { lockPassword: true })).status, 200)
  target.signOut()
  const json = { what: 'user', which: ['password'], current_password: password, data: { id, password: good } }
  isRefused(t, await ask('noperm', 'PUT', `/api/users/${id}`, { json }), [403])
  isRefused(
    t,
    await ask('noperm', 'DELETE', `/api/users/${id}`, { json: { current_password: password } }),
    [403],
  )
  await headersOf('noperm', password)
  t.equal((await change('admin', id, ['lockPassword'], { lockPassword: false })).status, 200)
})

t.test('E15 an administrator always remains', async (t) => {
  const own = await openTarget(t)
  await own.row('E15 two administrators who demote each other at once leave one of them', async (t) => {
    isRefused(t, await own.ask('admin', 'DELETE', '/api/users/1'), [403])
    const demote = (id: number) => ({
      json: { what: 'user', which: ['perm'], data: { id, perm: { admin: false, download: true } } },
    })
    isRefused(t, await own.ask('admin', 'PUT', '/api/users/1', demote(1)), [403])
    const id = own.idOf('bob')
    const json = { what: 'user', which: ['perm'], data: { id, perm: { admin: true } } }
    t.equal((await own.ask('admin', 'PUT', `/api/users/${id}`, { json })).status, 200)
    const each = await Promise.all([
      own.ask('admin', 'PUT', `/api/users/${id}`, demote(id)),
      own.ask('bob', 'PUT', '/api/users/1', demote(1)),
    ])
    t.strictSame(each.map(({ status }) => status).sort(), [200, 403])
    t.equal(Object.values(own.document.data.users).filter(({ perm }) => perm.admin).length, 1)
  })
})

row('E16 permissions taken from a user apply at once, also to requests that are running', async (t) => {
  const id = idOf('team1')
  const { perm } = userNamed('team1') ?? { perm: {} }
  const give = async (rights: object) =>
    t.equal((await change('admin', id, ['perm'], { perm: { ...perm, ...rights } })).status, 200)
  const token = await target.token('team1')
  const wire = await dial(t, target.port)
  const head = [
    'POST /api/resources/late.txt HTTP/1.1',
    'Host: coffer',
    `X-Auth: ${token}`,
    'Content-Length: 4',
  ]
  wire.socket.write(`${head.join('\r\n')}\r\nConnection: close\r\n\r\nha`)
  await until(() => readdirSync(join(root, 'team')).length > 1)
  await give({ create: false, delete: false })
  wire.socket.write('lf')
  t.match(await wire.closed(), /^HTTP\/1\.1 403 /)
  t.notOk(existsSync(join(root, 'team/late.txt')))
  isRefused(t, await ask('team1', 'DELETE', '/api/resources/a.txt'), [403])
  await give({ download: false, share: false })
  isRefused(t, await ask('team1', 'GET', '/api/raw/a.txt'), [403])
  await give({})
  await change('admin', id, ['scope'], { scope: '/team/other' })
  isRefused(t, await ask('team1', 'GET', '/api/raw/a.txt'), [404])
  t.equal((await remove('team1')).status, 200)
  isRefused(t, await ask('team1', 'GET', '/api/resources/'), [401])
  isRefused(t, await ask('team1', 'POST', '/api/renew'), [401])
})

row('E16 running requests are aborted when the access that allowed them is revoked', async (t) => {
  const big = join(root, 'team/big.bin')
  writeFileSync(big, '')
  truncateSync(big, 8 * 1024 ** 3)
  // More than the system's socket buffers take while the client reads nothing.
  const deep = join(root, 'team/many', ...Array.from({ length: 6 }, () => 'x'.repeat(250)))
  mkdirSync(deep, { recursive: true })
  for (let n = 0; n < 10_000; n++) writeFileSync(join(deep, `${n}.txt`), '')
  const id = idOf('team2')
  const { perm, scope } = userNamed('team2') ?? { perm: {}, scope: '' }
  const token = await target.token('team2')
  const begin = async (...urls: string[]) => {
    const waits = await Promise.all(urls.map((url) => target.startReading(t, url, token)))
    return () => Promise.all(waits.map((wait) => wait()))
  }
  const set = async (data: object) =>
    t.equal((await change('admin', id, Object.keys(data), data)).status, 200)
  const bytes = ['/api/raw/big.bin', '/api/raw/?algo=tar']
  const lists = ['/api/search/?query=x', '/api/resources/recursive/']
  const unread = await begin(...bytes)
  const upload = await dial(t, target.port)
  const head = `POST /api/resources/late.bin HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}`
  upload.socket.write(`${head}\r\nContent-Length: 1000\r\n\r\nhalf`)
  await until(() => readdirSync(join(root, 'team')).some((name) => name.startsWith('.coffer-part-')))
  const stillFound = await target.startReading(t, lists[0] ?? '', token)
  await set({ perm: { ...perm, download: false, share: false, create: false, modify: false } })
  await unread()
  await upload.until(/^HTTP\/1\.1 403 /)
  await set({ perm })
  const denied = await begin('/api/raw/big.bin', '/api/raw/?algo=tar')
  await rules('global', ['/big.bin'])
  await Promise.all([denied(), stillFound()])
  await rules('global', [])
  const moved = await begin(...bytes, ...lists)
  await set({ scope: '/team/many' })
  await moved()
  await set({ scope })
  const deleted = await begin(...bytes, ...lists)
  t.equal((await remove('team2')).status, 200)
  await deleted()
})

row(
  'E17 CVE-2026-35606 without the right to download, a text is shown only to users who may edit it',
  async (t) => {
    for (const headers of [
      {},
      { 'x-encoding': 'true' },
      { 'X-ENCODING': 'TRUE' },
      { accept: 'text/plain' },
    ]) {
      const response = await ask('noperm', 'GET', '/api/resources/docs/private/secret.txt', { headers })
      t.notMatch(response.text, /"content"/)
      t.notMatch(response.text, canaries.rule)
    }
    isRefused(t, await ask('noperm', 'GET', '/api/resources/docs/private/secret.txt?checksum=md5'), [403])
    const edited = await ask('nodl', 'GET', '/api/resources/docs/public.txt')
    t.match(edited.text, /"content"/, 'a user who may change a text can read it')
    const path = '/docs/private/secret.txt'
    for (const rest of ['', '?inline=true', '?algo=zip', '?files=', `?auth=${await target.token('nodl')}`]) {
      for (const headers of [{}, { range: 'bytes=0-3' }, { 'if-none-match': '*' }]) {
        isRefused(t, await ask('nodl', 'GET', `/api/raw${path}${rest}`, { headers }), [403])
      }
      const head = await ask('nodl', 'HEAD', `/api/raw${path}${rest}`)
      isRefused(t, head, [403])
      t.not(head.headers['content-length'], String(canaries.rule.length))
      t.notOk(head.headers.etag)
    }
    isRefused(t, await ask('nodl', 'GET', '/api/subtitle/docs/private/s.srt'), [403])
    isRefused(t, await ask('nodl', 'GET', `/api/preview/thumb${path}`), [403])
    isRefused(t, await ask('nodl', 'GET', `/api/preview/big${path}?inline=true`), [403])
  },
)

row('E19 a user who may not download gets no content by an archive, a share or a ticket', async (t) => {
  for (const url of ['/api/raw/docs', '/api/raw/?algo=tar', '/api/raw/docs?files=private']) {
    isRefused(t, await ask('nodl', 'GET', url), [403])
  }
  isRefused(t, await ask('nodl', 'POST', '/api/share/docs', { json: {} }), [403])
  const json = { action: 'raw', path: '/docs/private/secret.txt' }
  const { ticket } = JSON.parse((await ask('nodl', 'POST', '/api/ticket', { json })).text) as {
    ticket: string
  }
  isRefused(t, await ask('', 'GET', `/api/raw/docs/private/secret.txt?auth=${ticket}`), [403])
  const move = '/api/resources/docs/private/secret.txt?action=copy&destination=/../bob/got.txt'
  t.equal((await ask('nodl', 'PATCH', move)).status, 200, "a copy stays in the user's scope")
  t.ok(existsSync(join(alice, 'bob/got.txt')))
})

row('E20 CVE-2025-52997 a weak password is refused wherever a password is set', async (t) => {
  advanceMinutes(6)
  await settings({ signup: true, createUserDir: false })
  const id = idOf('alice')
  const weak = ['short', 'password12345', 'strength-e20', '            ', 'aaaaaaaaaaaaaaa', 'x'.repeat(1025)]
  for (const word of weak) {
    isRefused(
      t,
      await ask('', 'POST', '/api/signup', { json: { username: 'strength-e20', password: word } }),
      [400],
    )
    isRefused(t, await add({ username: 'strength-e20', password: word }), [400])
  }
  const common = ['P@ssw0rd1234', '1q2w3e4r5t6y', 'password1password', '@l1ce-2026-qwerty']
  for (const word of ['short', 'password12345', 'alice1234567', 'x'.repeat(1025), ...common]) {
    isRefused(t, await change('admin', id, ['password'], { password: word }), [400])
    isRefused(t, await change('alice', id, ['password'], { password: word }), [400])
  }
  const huge = { json: { username: 'h', password: 'x'.repeat(3_000_000) } }
  isRefused(t, await ask('', 'POST', '/api/signup', huge).catch(() => cut), [413])
  const long = `${'ä🔑'.repeat(20)}${'x'.repeat(73)}`
  t.equal((await add({ username: 'long', password: long })).status, 201)
  isRefused(
    t,
    await ask('', 'POST', '/api/login', { json: { username: 'long', password: `${long.slice(0, -1)}y` } }),
    [403],
  )
  await headersOf('long', long)
  await remove('long')
  await settings({ signup: false })
})

/** The server may close a connection before all of a huge body is sent. That counts as refused. */
const cut = { request: 'a huge body', status: 413, headers: {}, body: Buffer.alloc(0), text: '' }

row('E21 data that an administrator writes about a user is checked as well', async (t) => {
  t.equal((await add({ username: 'scoped', password: good, scope: '../../etc' })).status, 201)
  t.equal(userNamed('scoped')?.scope, '/etc', 'a path below the served folder')
  await remove('scoped')
  const fine = { username: 'scoped', password: good }
  isRefused(t, await add({ ...fine, scope: '/alice/pub.txt' }), [400])
  isRefused(t, await add({ ...fine, username: 'ALICE' }), [409])
  isRefused(t, await add({ username: 'scoped' }), [400])
  isRefused(t, await add({ ...fine, password: '' }), [400])
  for (const odd of [{ which: ['all'] }, { what: 'users' }, { what: '' }]) {
    const json = { what: 'user', which: [], data: fine, ...odd }
    isRefused(t, await ask('admin', 'POST', '/api/users', { json }), [400])
  }
  t.notOk(userNamed('scoped'))
})

row('E23 no response carries a secret of the instance or of other users', async (t) => {
  for (const user of ['alice', 'noperm'] as const) {
    for (const url of ['/api/settings', '/api/users', '/api/users/1', '/api/users/1/sessions']) {
      isRefused(t, await ask(user, 'GET', url), [403])
    }
  }
  const { signingKey, passwords } = document.data.credentials
  const secrets = [signingKey, ...Object.values(passwords), 'argon2', 'signingKey']
  const [, payload = ''] = (await target.token('admin')).split('.')
  const responses = [Buffer.from(payload, 'base64url').toString()]
  for (const url of [
    '/api/settings',
    '/api/users',
    '/api/users/1',
    '/api/sessions',
    '/',
    '/login',
    '/api/openapi.json',
  ]) {
    responses.push((await ask('admin', 'GET', url)).text)
  }
  for (const response of responses) t.notOk(secrets.find((secret) => response.includes(secret)))
  t.notMatch((await ask('alice', 'GET', `/api/users/${idOf('alice')}`)).text, /"scope":"\//)
})

row('E24 sign-in needs a password, and no setting changes the way to sign in', async (t) => {
  for (const json of [{}, null, [], { username: 'admin' }, { username: 'admin', password: '' }]) {
    isRefused(t, await ask('', 'POST', '/api/login', { json }), [400, 403])
  }
  for (const more of [{ authMethod: 'noauth' }, { auth: { method: 'noauth' } }, { noauth: true }]) {
    isRefused(t, await ask('admin', 'PUT', '/api/settings', { json: more }), [200, 400])
  }
  t.match((await ask('admin', 'GET', '/api/settings')).text, /"authMethod":"json"/)
  isRefused(t, await ask('', 'POST', '/api/login', { json: {} }), [400, 403])
})
