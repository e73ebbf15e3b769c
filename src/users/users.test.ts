import t, { type Test } from 'tap'
import { password, start } from '#src/testing/start.ts'

const fresh = 'a new and long one'

async function alice(t: Test, more = {}) {
  const started = await start(t, { people: { alice: more, bob: {} } })
  const request = await started.as('alice')
  const put = (which: unknown, data: object = {}, rest: object = {}) =>
    request('PUT', '/api/users/2', { payload: { what: 'user', which, data: { id: 2, ...data }, ...rest } })
  const signIn = async (given: string) =>
    (await started.call('POST', '/api/login', { payload: { username: 'alice', password: given } })).statusCode
  return { ...started, request, put, signIn, record: () => structuredClone(started.document.data.users[2]) }
}

t.test('users change their own language and view settings', async (t) => {
  const { put, request, record } = await alice(t)
  const data = { locale: 'pt-br', viewMode: 'mosaic', sorting: { by: 'size', asc: true } }
  t.match(await put(['locale', 'viewMode', 'sorting'], data), { statusCode: 200, body: '200 OK\n' })
  t.match(record(), data)
  t.match((await request('GET', '/api/users/2')).json(), data)
  t.equal((await put(['singleClick'], { singleClick: true, locale: 'de' })).statusCode, 200)
  t.match(record(), { singleClick: true, locale: 'pt-br' }, 'fields that are not named stay')
})

t.test('a language of File Browser that Coffer does not have is kept as it was sent', async (t) => {
  const { put, record, as } = await alice(t)
  for (const locale of ['bg', 'cs', 'he', 'no', 'pt-pt', 'tr', 'uk', 'ua', 'vi', 'zh_HK', '']) {
    t.equal((await put(['locale', 'singleClick'], { locale, singleClick: true })).statusCode, 200, locale)
    t.equal(record()?.locale, locale)
  }
  const admin = await as('admin')
  const settings = (await admin('GET', '/api/settings')).json()
  const payload = { ...settings, defaults: { ...settings.defaults, locale: 'bg' } }
  t.equal((await admin('PUT', '/api/settings', { payload })).statusCode, 200)
  const data = { username: 'boris', password: fresh, scope: '.', locale: 'uk' }
  const made = await admin('POST', '/api/users', { payload: { what: 'user', which: [], data } })
  t.equal(made.statusCode, 201, made.body)
  t.equal((await admin('GET', '/api/settings')).json().defaults.locale, 'bg')
  const boris = (await admin('GET', '/api/users'))
    .json()
    .find((user: { username: string }) => user.username === 'boris')
  t.equal(boris.locale, 'uk')
})

t.test('users cannot change their own permissions, in any spelling of the field names', async (t) => {
  const { put, record } = await alice(t)
  const before = record()
  const data = {
    locale: 'de',
    perm: { admin: true },
    Perm: { admin: true },
    scope: '/',
    username: 'root',
    rules: [],
    commands: ['sh'],
    lockPassword: false,
  }
  const forbidden = [
    ['perm'],
    ['Perm'],
    ['PERM'],
    ['pERM'],
    ['scope'],
    ['Scope'],
    ['username'],
    ['commands'],
    ['rules'],
    ['lockPassword'],
    ['LockPassword'],
    ['all'],
    ['All'],
    ['all', 'perm'],
    ['locale', 'Perm'],
    ['locale', 'all'],
    ['id'],
    ['ID'],
    undefined, // all
  ]
  for (const which of forbidden) t.equal((await put(which, data)).statusCode, 403, JSON.stringify(which))
  const invalid = [
    [],
    ['fs'],
    ['__proto__'],
    ['constructor'],
    [''],
    ['perm.admin'],
    ['locale', 'fs'],
    ['locale', 5],
    'locale',
    'perm',
    null,
    { 0: 'locale' },
    Array(33).fill('locale'),
    ['x'.repeat(65)],
  ]
  for (const which of invalid) t.equal((await put(which, data)).statusCode, 400, JSON.stringify(which))
  t.strictSame(record(), before, 'a refused request changes nothing')
})

t.test('rejects invalid values and stores nothing', async (t) => {
  const { put, record, request } = await alice(t)
  const before = record()
  const refused = [
    ['locale', 'no locale'],
    ['locale', null],
    ['locale', ['de']],
    ['viewMode', 'tiles'],
    ['sorting', 'name'],
    ['sorting', { by: 'colour', asc: true }],
    ['sorting', { by: 'name', asc: 'true' }],
    ['singleClick', 'true'],
    ['singleClick', 1],
    ['locale', undefined],
  ] as const
  for (const [field, value] of refused) {
    t.equal((await put([field], { [field]: value })).statusCode, 400, `${field} ${JSON.stringify(value)}`)
  }
  t.equal((await put(['sorting'], { sorting: { by: 'size', asc: true, extra: 1 } })).statusCode, 200)
  t.strictSame(record(), { ...before, sorting: { by: 'size', asc: true } }, 'unknown keys are dropped')
  for (const what of ['', 'users', null, undefined]) {
    const payload = { what, which: ['locale'], data: { id: 2, locale: 'de' } }
    t.equal((await request('PUT', '/api/users/2', { payload })).statusCode, 400, String(what))
  }
})

t.test('users cannot read or change other users', async (t) => {
  const { request, document } = await alice(t)
  const before = structuredClone(document.data.users)
  const payload = (id: unknown) => ({ what: 'user', which: ['locale'], data: { id, locale: 'de' } })
  for (const id of [
    '1',
    '3',
    '99',
    '01',
    '+1',
    '1e0',
    '0x1',
    '1%00',
    '-1',
    '1;2',
    '18446744073709551616',
    '%20',
  ]) {
    for (const reply of [
      await request('GET', `/api/users/${id}`),
      await request('PUT', `/api/users/${id}`, { payload: payload(1) }),
      await request('PUT', `/api/users/${id}`, { payload: payload(2) }),
    ]) {
      t.ok([400, 403, 404].includes(reply.statusCode), `${id}: ${reply.statusCode} ${reply.body}`)
      t.notMatch(reply.body, /admin|bob/)
    }
  }
  t.equal(
    (await request('PUT', '/api/users/2', { payload: payload(1) })).statusCode,
    400,
    'another id in the body',
  )
  t.strictSame(document.data.users, before)
})

t.test('users see their permissions, but not their scope', async (t) => {
  const { request, as } = await alice(t, { scope: '/team/alice' })
  const own = (await request('GET', '/api/users/2')).json()
  t.match(own, { id: 2, username: 'alice', password: '', scope: '', perm: { admin: false } })
  t.notMatch(JSON.stringify(own), /argon2|hash/)
  const admin = await as('admin')
  t.match((await admin('GET', '/api/users/2')).json(), { username: 'alice', scope: '/team/alice' })
  t.equal((await admin('GET', '/api/users/9')).statusCode, 404)
})

t.test('a user who changes the password loses all other sessions', async (t) => {
  const { put, request, login, call, signIn } = await alice(t)
  const other = await login('alice')
  t.equal((await put(['password'], { password: fresh }, { current_password: password })).statusCode, 200)
  t.equal((await call('GET', '/api/sessions', { headers: { 'x-auth': other } })).statusCode, 401)
  t.equal((await request('GET', '/api/sessions')).statusCode, 200, 'the current session continues')
  t.equal(await signIn(password), 403)
  t.equal(await signIn(fresh), 200)
})

t.test('a locked password cannot be changed with the current password', async (t) => {
  const { put, signIn } = await alice(t, { lockPassword: true })
  const reply = await put(['password'], { password: fresh }, { current_password: password })
  t.match(reply, { statusCode: 403, body: /locked/ })
  t.equal(await signIn(password), 200)
  t.equal((await put(['locale'], { locale: 'de' })).statusCode, 200, 'other fields can be changed')
})

t.test('rejects a weak password together with all other changes in the request', async (t) => {
  const { put, record, signIn } = await alice(t)
  const weak = [
    ['short', /minimum length is 12/],
    ['aaaaaaaaaaaaa', /easy to guess/],
    ['012345678901', /easy to guess/],
    ['Password2026!!!', /easy to guess/],
  ] as const
  for (const [given, cause] of weak) {
    const reply = await put(['locale', 'password'], { locale: 'de', password: given })
    t.match(reply, { statusCode: 400, body: cause }, given)
    t.match(record(), { locale: '' })
  }
  t.equal(await signIn(password), 200)
})

t.test('an empty password means no change', async (t) => {
  const { put, signIn } = await alice(t)
  t.equal((await put(['password'], { password: '' })).statusCode, 200)
  t.equal((await put(['password'])).statusCode, 200)
  t.equal(await signIn(password), 200)
})
