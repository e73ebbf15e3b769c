import t, { type Test } from 'tap'
import type { UserView } from '#contract/users.ts'
import { type Person, password, start } from '#src/testing/start.ts'

const fresh = 'a new and long one'
const administrator = { perm: { admin: true } }

async function setUp(t: Test, people: Record<string, Person> = { alice: {} }) {
  const started = await start(t, { tree: { team: {}, 'file.txt': '' }, people })
  const admin = await started.as('admin')
  const add = (data: object, rest: object = {}) =>
    admin('POST', '/api/users', { payload: { what: 'user', which: [], data, ...rest } })
  const put = (id: number, which: unknown, data: object = {}, rest: object = {}) =>
    admin('PUT', `/api/users/${id}`, { payload: { what: 'user', which, data: { id, ...data }, ...rest } })
  const view = async (id: number): Promise<UserView> => (await admin('GET', `/api/users/${id}`)).json()
  return { ...started, admin, add, put, view, state: () => structuredClone(started.document.data) }
}

t.test('administrators list all users by id, without secrets', async (t) => {
  const { admin } = await setUp(t, { zoe: {}, bob: { scope: '/team' } })
  const reply = await admin('GET', '/api/users')
  t.match(reply.json(), [
    { id: 1, username: 'admin', password: '', perm: { admin: true } },
    { id: 2, username: 'zoe' },
    { id: 3, username: 'bob', scope: '/team' },
  ])
  t.notMatch(reply.body, /argon2|hash/)
})

t.test('creating a user returns 201 with the address of the page, and the user can sign in', async (t) => {
  const { add, view, call } = await setUp(t)
  const data = {
    id: 0,
    username: 'bob',
    password: fresh,
    scope: './team//x/../',
    locale: 'pt-br',
    lockPassword: true,
    viewMode: 'mosaic',
    perm: { create: true, download: true },
    commands: ['git', '', 'git', 'g++'],
    sorting: { by: 'size', asc: true },
    rules: [{ regex: false, allow: false, path: '/x', regexp: { raw: '' } }],
    unknown: true,
  }
  const reply = await add(data)
  t.match(reply, { statusCode: 201, body: '201 Created\n', headers: { location: '/settings/users/3' } })
  const nothing = {
    admin: false,
    execute: false,
    rename: false,
    modify: false,
    delete: false,
    share: false,
  }
  t.strictSame(await view(3), {
    id: 3,
    username: 'bob',
    password: '',
    scope: '/team',
    locale: 'pt-br',
    lockPassword: true,
    viewMode: 'mosaic',
    perm: { ...nothing, create: true, download: true },
    commands: ['git', 'g++'],
    sorting: { by: 'size', asc: true },
    rules: data.rules,
    singleClick: false,
    hideDotfiles: false,
    dateFormat: false,
    aceEditorTheme: '',
    redirectAfterCopyMove: false,
    theme: '',
  })
  const signIn = await call('POST', '/api/login', { payload: { username: 'BOB', password: fresh } })
  t.equal(signIn.statusCode, 200)
})

t.test('a new user gets the default settings for missing fields', async (t) => {
  const { admin, add, document, view } = await setUp(t)
  const defaults = {
    scope: '/team',
    locale: 'de',
    viewMode: 'mosaic gallery',
    commands: ['ls'],
    perm: { share: false, download: false },
    aceEditorTheme: 'twilight',
  }
  await admin('PUT', '/api/settings', { payload: { defaults } })
  t.equal((await add({ username: 'bob', password: fresh }, { which: null })).statusCode, 201)
  t.match(await view(3), {
    ...defaults,
    rules: [],
    lockPassword: false,
    perm: { create: true, admin: false },
  })
  t.strictSame(Object.keys(document.data.users), ['1', '2', '3'])
})

t.test('rejects an invalid user with the cause and creates no account', async (t) => {
  const { add, admin, state } = await setUp(t)
  const before = state()
  const rule = { allow: false, path: '/x', regex: false, regexp: null }
  const refused: [data: object, status: number, cause: RegExp][] = [
    [{}, 400, /username/],
    [{ username: '' }, 400, /user name/],
    [{ username: 'a\u202eb' }, 400, /user name/],
    [{ username: 5 }, 400, /username/],
    [{ password: '' }, 400, /minimum length is 12/],
    [{ password: undefined }, 400, /minimum length is 12/],
    [{ password: 'short' }, 400, /minimum length is 12/],
    [{ password: 'Password2026!!!' }, 400, /easy to guess/],
    [{ password: 'abcabcabcabc' }, 400, /easy to guess/],
    [{ username: 'bob', password: 'x'.repeat(1025) }, 400, /password/],
    [{ username: 'Alice' }, 409, /taken/],
    [{ username: ' ＡLICE ' }, 409, /taken/],
    [{ scope: '/file.txt' }, 400, /data\.scope.*not a folder/],
    [{ scope: '/file.txt/x' }, 400, /data\.scope/],
    [{ scope: 'a\u0000b' }, 400, /data\.scope/],
    [{ scope: `/${'x'.repeat(300)}` }, 400, /data\.scope/],
    [{ locale: 'no locale' }, 400, /locale/],
    [{ perm: { create: 'true' } }, 400, /perm\.create/],
    [{ perm: null }, 400, /perm/],
    [{ commands: ['git status'] }, 400, /data\.commands.*git status/],
    [{ commands: ['/bin/sh'] }, 400, /data\.commands/],
    [{ commands: 'git' }, 400, /commands/],
    [{ rules: [rule, { ...rule, path: 'x' }] }, 400, /data\.rules\.1/],
    [{ rules: [{ ...rule, regex: true, regexp: { raw: '(?<=x)y' } }] }, 400, /data\.rules\.0.*RE2/],
    [{ aceEditorTheme: '"><script>' }, 400, /aceEditorTheme/],
    [{ theme: 'pink' }, 400, /theme/],
  ]
  for (const [data, status, cause] of refused) {
    const reply = await add(Object.keys(data).length ? { username: 'bob', password: fresh, ...data } : data)
    t.match(reply, { statusCode: status, body: cause }, `${JSON.stringify(data).slice(0, 80)}: ${reply.body}`)
  }
  const data = { username: 'bob', password: fresh }
  for (const body of [
    { what: 'users', which: [], data },
    { which: [], data },
    { what: 'user', which: ['all'], data },
  ]) {
    t.equal((await admin('POST', '/api/users', { payload: body })).statusCode, 400, JSON.stringify(body))
  }
  t.strictSame(state(), before)
})

t.test('the scope of a new user is stored in normal form, inside the root', async (t) => {
  const { add, view } = await setUp(t)
  for (const [at, [scope, stored]] of [
    ['../../etc', '/etc'],
    ['/team/../../..', '/'],
    ['', '/'],
    ['.', '/'],
    [' ./team ', '/team'],
  ].entries()) {
    t.equal((await add({ username: `bob${at}`, password: fresh, scope })).statusCode, 201)
    t.equal((await view(at + 3)).scope, stored)
  }
})

t.test('an administrator changes the named fields of a user and no other', async (t) => {
  const { put, view, state } = await setUp(t)
  const before = await view(2)
  const perm = { ...before.perm, delete: false }
  const data = {
    username: 'Al',
    scope: 'team',
    perm,
    commands: null,
    rules: null,
    locale: 'de',
    sorting: { by: '', asc: true },
  }
  t.match(await put(2, ['username', 'scope', 'perm'], data), { statusCode: 200, body: '200 OK\n' })
  t.strictSame(await view(2), { ...before, username: 'Al', scope: '/team', perm })
  t.equal(
    (await put(2, ['sorting', 'rules', 'commands', 'lockPassword'], { ...data, lockPassword: true }))
      .statusCode,
    200,
  )
  t.strictSame(await view(2), {
    ...before,
    username: 'Al',
    scope: '/team',
    perm,
    sorting: { by: 'name', asc: true },
    lockPassword: true,
  })
  const kept = state()
  t.equal(
    (await put(2, ['username'], { username: 'AL' })).statusCode,
    200,
    'the name of the user itself is not taken',
  )
  t.equal((await put(2, ['username', 'locale'], { username: 'ADMIN', locale: 'fr' })).statusCode, 409)
  for (const [which, more] of [
    [['fs'], {}],
    [['id'], {}],
    [['Perm'], { perm }],
    [['perm', '__proto__'], { perm }],
    [['locale', 'username'], { locale: 'fr' }],
    [['locale', 'rules'], { locale: 'fr', rules: [{ path: '' }] }],
    [['locale', 'perm'], { locale: 'fr', perm: { share: 'yes' } }],
    [['locale', 'scope'], { locale: 'fr', scope: '/file.txt' }],
    [['locale', 'password'], { locale: 'fr', password: 'short' }],
    [[], {}],
  ] as const) {
    t.equal((await put(2, which, more)).statusCode, 400, JSON.stringify(which))
  }
  t.strictSame(state(), { ...kept, users: { ...kept.users, 2: { ...kept.users[2], username: 'AL' } } })
})

t.test('`all` changes every given field, and an empty password keeps the old one', async (t) => {
  const { put, view, call } = await setUp(t)
  const before = await view(2)
  const old: Record<string, unknown> = {
    ...before,
    locale: 'is',
    viewMode: '',
    lockPassword: true,
    perm: { create: true },
  }
  for (const later of [
    'singleClick',
    'hideDotfiles',
    'dateFormat',
    'aceEditorTheme',
    'redirectAfterCopyMove',
    'theme',
  ]) {
    delete old[later]
  }
  t.equal((await put(2, ['all'], old)).statusCode, 200)
  const { perm } = await view(2)
  t.strictSame(
    Object.keys(perm).filter((one) => perm[one as keyof typeof perm]),
    ['create'],
    'missing permissions are false',
  )
  t.strictSame(await view(2), { ...before, locale: 'is', viewMode: 'list', lockPassword: true, perm })
  const signIn = async (given: string) =>
    (await call('POST', '/api/login', { payload: { username: 'alice', password: given } })).statusCode
  t.equal(await signIn(password), 200)
  t.equal((await put(2, ['all'], { ...before, password: fresh })).statusCode, 200)
  t.equal(await signIn(password), 403)
  t.equal(await signIn(fresh), 200)
})

t.test('an administrator gets all permissions and cannot have a locked password', async (t) => {
  const { put, add, view } = await setUp(t)
  const everything = Object.fromEntries(Object.keys((await view(2)).perm).map((name) => [name, true]))
  await put(2, ['lockPassword'], { lockPassword: true })
  t.equal((await put(2, ['perm'], { perm: { admin: true } })).statusCode, 200)
  t.match(await view(2), { perm: everything, lockPassword: false })
  await add({ username: 'bob', password: fresh, perm: { admin: true }, lockPassword: true })
  t.match(await view(3), { perm: everything, lockPassword: false })
})

t.test('a new password or a lock ends all sessions of the user, except the current one', async (t) => {
  const { put, as, admin } = await setUp(t, { alice: {}, bob: {}, carol: {} })
  for (const [id, name, which, data] of [
    [2, 'alice', ['password'], { password: fresh }],
    [3, 'bob', ['lockPassword'], { lockPassword: true }],
  ] as const) {
    const call = await as(name)
    await put(id, which, data)
    t.equal((await call('GET', '/api/sessions')).statusCode, 401, name)
  }
  const carol = await as('carol')
  await put(4, ['locale', 'lockPassword'], { locale: 'de', lockPassword: false })
  t.equal((await carol('GET', '/api/sessions')).statusCode, 200, 'other changes end no session')
  await put(1, ['password'], { password: fresh })
  t.equal((await admin('GET', '/api/sessions')).statusCode, 200)
})

t.test('revoked permissions take effect at the next request', async (t) => {
  const { put, as } = await setUp(t, { alice: {}, bob: administrator })
  const [alice, bob] = [await as('alice'), await as('bob')]
  t.equal((await alice('POST', '/api/resources/a.txt', { payload: 'A' })).statusCode, 200)
  await put(2, ['perm'], { perm: { download: true } })
  const refused = await alice('POST', '/api/resources/b.txt', { payload: 'B' })
  t.match(refused, { statusCode: 403, headers: { 'x-renew-token': 'true' } })
  await put(2, ['scope'], { scope: '/made/for/her' })
  t.match((await alice('GET', '/api/resources/')).json(), { items: [] }, 'a new scope is created at once')
  await put(3, ['perm'], { perm: {} })
  t.equal((await bob('GET', '/api/users')).statusCode, 403)
})

t.test('deleting a user removes everything except the files, and the id is not used again', async (t) => {
  const { admin, as, add, call, root, document, services } = await setUp(t, { alice: { scope: '/team' } })
  const alice = await as('alice')
  await alice('POST', '/api/resources/a.txt', { payload: 'A' })
  for (const [call, path] of [
    [alice, 'a.txt'],
    [admin, 'file.txt'],
  ] as const) {
    t.equal((await call('POST', `/api/share/${path}`)).statusCode, 200)
  }
  t.match(await admin('DELETE', '/api/users/2'), { statusCode: 200, body: '200 OK\n' })
  t.equal((await alice('GET', '/api/resources/')).statusCode, 401)
  t.equal((await call('POST', '/api/login', { payload: { username: 'alice', password } })).statusCode, 403)
  t.notOk(document.data.credentials.passwords[2])
  t.strictSame(await services.sessions.ofUser(2), [])
  t.strictSame(
    Object.values(document.data.shares).map(({ userID }) => userID),
    [1],
  )
  t.equal((await admin('GET', '/api/resources/team/a.txt')).statusCode, 200, root)
  t.equal((await admin('DELETE', '/api/users/2')).statusCode, 404)
  t.equal((await add({ username: 'alice', password: fresh })).headers.location, '/settings/users/3')
  t.equal(
    (await alice('GET', '/api/resources/')).statusCode,
    401,
    'a new user with that name is another user',
  )
})

t.test('users can delete only themselves', async (t) => {
  const { as, call, clock, login, state } = await setUp(t, {
    alice: {},
    lent: { lockPassword: true },
    bob: {},
  })
  const before = state()
  const alice = await as('alice')
  for (const id of [1, 3, 99])
    t.equal((await alice('DELETE', `/api/users/${id}`)).statusCode, 403, String(id))
  t.equal(
    (await (await as('lent'))('DELETE', '/api/users/3')).statusCode,
    403,
    'a locked account cannot be deleted by its users',
  )
  clock.advance({ minutes: 11 })
  for (const current_password of ['', 'wrong']) {
    const reply = await alice('DELETE', '/api/users/2', { payload: { current_password } })
    t.match(reply, { statusCode: 400, body: /current.password/ })
  }
  t.equal((await alice('DELETE', '/api/users/2')).statusCode, 401, 'an old session alone is not enough')
  t.strictSame(state(), before)
  t.equal(
    (await alice('DELETE', '/api/users/2', { payload: { current_password: password } })).statusCode,
    200,
  )
  t.equal((await alice('GET', '/api/sessions')).statusCode, 401)
  const bob = { 'x-auth': await login('bob') }
  t.equal((await call('DELETE', '/api/users/4', { headers: bob })).statusCode, 200, 'directly after sign-in')
})

t.test('the last administrator cannot be deleted or demoted', async (t) => {
  const { admin, put, state } = await setUp(t)
  const before = state()
  t.match(await admin('DELETE', '/api/users/1'), { statusCode: 403, body: /last administrator/ })
  t.equal((await put(1, ['perm'], { perm: { create: true } })).statusCode, 403)
  t.equal((await put(1, ['all'], { ...before.users[1], perm: { create: true } })).statusCode, 403)
  t.strictSame(state(), before)
})

t.test('one administrator remains when administrators delete or demote each other in parallel', async (t) => {
  const { as, document } = await setUp(t, { a: administrator, b: administrator, c: administrator })
  const demote = (id: number) => ({ payload: { what: 'user', which: ['perm'], data: { id, perm: {} } } })
  const [first, a, b, c] = [await as('admin'), await as('a'), await as('b'), await as('c')]
  const replies = await Promise.all([
    a('DELETE', '/api/users/1'),
    first('DELETE', '/api/users/2'),
    b('PUT', '/api/users/4', demote(4)),
    c('PUT', '/api/users/3', demote(3)),
    b('DELETE', '/api/users/4'),
    c('DELETE', '/api/users/3'),
  ])
  t.ok(replies.every(({ statusCode }) => [200, 401, 403, 404].includes(statusCode)))
  t.ok(
    Object.values(document.data.users).some(({ perm }) => perm.admin),
    'one administrator remains',
  )
})

t.test('refuses a request of an administrator who is demoted while it runs', async (t) => {
  const { services, document, state } = await setUp(t, { a: administrator, b: administrator })
  const { users, provisioning, settings } = services
  const [first, a] = [await users.get(1), await users.get(2)]
  const promote = { which: ['perm'], data: { perm: { admin: true } } }
  const demote = { which: ['perm'], data: { perm: {} } }
  const set = (admin: boolean) =>
    document.update((draft) => {
      for (const user of Object.values(draft.users)) if (user.id === 2) user.perm.admin = admin
    })
  const requests: (() => Promise<unknown>)[] = [
    () => users.change(a, 2, promote),
    () => users.change(a, 3, demote),
    () => users.remove(a, 3),
    () => provisioning.create(2, { username: 'eve', password: fresh }),
    () => settings.change(a, { signup: true }),
  ]
  for (const request of requests) {
    await set(true)
    // The request passes its first check. State changes run one after the other, and this change runs first.
    const losing = set(false)
    const late = request().then(() => 'done')
    await t.rejects(late, { code: 'auth.forbidden' }, String(request))
    await losing
  }
  t.match(state(), { users: { 2: { perm: { admin: false } }, 3: { perm: { admin: true } } } })
  t.strictSame([Object.keys(state().users), state().settings.signup], [['1', '2', '3'], false])
  await set(true)
  await Promise.all([users.remove(first, 2), t.rejects(users.remove(a, 2), { code: 'auth.required' })])
  t.strictSame(Object.keys(state().users), ['1', '3'])
})

t.test('an unknown user gets 404, and an id that differs from the address gets 400', async (t) => {
  const { admin, put, state } = await setUp(t)
  const before = state()
  t.equal((await put(99, ['locale'], { locale: 'de' })).statusCode, 404)
  t.equal((await admin('DELETE', '/api/users/99')).statusCode, 404)
  t.equal((await put(2, ['locale'], { locale: 'de', id: 1 })).statusCode, 400)
  t.strictSame(state(), before)
})

t.test('without authentication a sign-in works after the first administrator was deleted', async (t) => {
  const { call } = await start(t, { config: { noauth: true }, people: { alice: {}, bob: administrator } })
  const signIn = async () => ({ 'x-auth': (await call('POST', '/api/login')).body })
  const headers = await signIn()
  t.equal((await call('DELETE', '/api/users/1', { headers })).statusCode, 200)
  t.equal((await call('GET', '/api/users', { headers })).statusCode, 401)
  const again = await call('GET', '/api/users', { headers: await signIn() })
  t.match(again.json(), [{ username: 'alice' }, { username: 'bob' }])
})
