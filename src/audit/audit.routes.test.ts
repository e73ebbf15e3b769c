import t from 'tap'
import type { AuditRecord } from '#contract/history/audit.ts'
import { start } from '#src/testing/start.ts'
import { listen, until } from '#src/testing/wire.ts'

const newUserRights = { create: true, rename: true, modify: true, delete: true, download: true }

const brief = ({ kind, outcome, user, detail, paths }: AuditRecord) =>
  [kind, outcome, user, detail, ...paths.map(({ path, to }) => (to ? `${path} → ${to}` : path))]
    .join(' ')
    .trim()

/** A server with two users, and a function that returns the records of a query as short texts, the newest first. */
async function serve(t: Parameters<typeof start>[0], tree = {}) {
  const running = await start(t, {
    tree: { bob: { docs: { 'a.txt': 'a' }, private: { 'p.txt': 'p' } }, other: { 'o.txt': 'o' }, ...tree },
    people: {
      bob: { scope: '/bob', rules: [{ allow: false, regex: false, path: '/private', regexp: { raw: '' } }] },
    },
  })
  const admin = await running.as('admin')
  const records = async (query = '') => {
    const reply = await admin('GET', `/api/audit?${query}`)
    if (reply.statusCode !== 200) throw new Error(reply.body)
    return (reply.json() as { records: AuditRecord[] }).records
  }
  return { ...running, admin, records, briefs: async (query = '') => (await records(query)).map(brief) }
}

t.test('changes, sign-ins and refusals are recorded, with names but without values', async (t) => {
  const { call, as, admin, briefs, records } = await serve(t)
  const bob = await as('bob')
  await bob('PATCH', '/api/resources/docs/a.txt?action=rename&destination=/b.txt')
  await bob('GET', '/api/users')
  await bob('PUT', '/api/resources/private/p.txt', { payload: 'x' })
  await call('POST', '/api/login', { payload: { username: 'BOB', password: 'a secret phrase' } })
  await call('POST', '/api/login', { payload: { username: 'my secret password', password: 'x' } })
  const settings = { signup: true, branding: { name: 'Secret name' } }
  t.equal((await admin('PUT', '/api/settings', { payload: settings })).statusCode, 200)
  const perm = { ...newUserRights, share: false }
  const change = {
    what: 'user',
    which: ['password', 'perm'],
    data: { id: 2, password: 'another secret phrase', perm },
  }
  const changed = await admin('PUT', '/api/users/2', { payload: change })
  t.equal(changed.statusCode, 200, changed.body)
  t.equal((await admin('DELETE', '/api/users/2', { payload: {} })).statusCode, 200)
  t.equal((await admin('DELETE', '/api/sessions')).statusCode, 200)
  t.strictSame(await briefs(), [
    'logout done admin all other sessions',
    'users done admin bob: removed',
    'users done admin bob: perm.share, password',
    'settings done admin branding.name, signup',
    // A name without an account is left out: it may be a password that was typed into the wrong field.
    'login failed  auth.wrong',
    'login failed bob auth.wrong',
    'refusal refused bob path.forbidden PUT /api/resources/*',
    'refusal refused bob auth.forbidden GET /api/users',
    'move done bob  /bob/docs/a.txt → /bob/b.txt',
    'login done bob',
    'login done admin',
  ])
  t.notMatch(JSON.stringify(await records()), /secret/i)
  t.strictSame(await briefs('user=bob&kind=login&outcome=failed'), ['login failed bob auth.wrong'])
  t.strictSame(await briefs('path=/bob/docs'), ['move done bob  /bob/docs/a.txt → /bob/b.txt'])
  t.equal((await briefs('path=/')).length, 11)
})

t.test('how people see their own files is no change of accounts, and is not recorded', async (t) => {
  const { as, admin, briefs } = await serve(t)
  const bob = await as('bob')
  const change = async (who: typeof bob, id: number, which: string[], data: object) =>
    (await who('PUT', `/api/users/${id}`, { payload: { what: 'user', which, data: { id, ...data } } }))
      .statusCode
  t.equal(await change(bob, 2, ['viewMode'], { viewMode: 'mosaic' }), 200)
  t.equal(
    await change(bob, 2, ['sorting', 'locale'], { sorting: { by: 'size', asc: true }, locale: 'de' }),
    200,
  )
  t.equal(await change(bob, 2, ['folderViews'], { folderViews: { '/docs': { viewMode: 'list' } } }), 200)
  // File Browser sends the whole account.
  const own = (await admin('GET', '/api/users/1')).json()
  t.equal(await change(admin, 1, ['all'], { ...own, hideDotfiles: !own.hideDotfiles }), 200)
  t.strictSame(await briefs('kind=users'), [])
  t.equal(await change(admin, 2, ['viewMode'], { viewMode: 'list' }), 200)
  t.equal(await change(bob, 2, ['perm'], { perm: newUserRights }), 403)
  t.strictSame(await briefs('kind=users'), [
    'users refused bob auth.forbidden',
    'users done admin bob: viewMode, folderViews',
  ])
})

t.test(
  'wrong passwords of links and of confirmations are no sign-ins, and new accounts are named',
  async (t) => {
    const { as, call, admin, briefs } = await serve(t)
    const bob = await as('bob')
    const { hash } = (
      await admin('POST', '/api/share/other/o.txt', { payload: { password: 'open sesame' } })
    ).json()
    const visit = (headers = {}) => call('GET', `/api/public/share/${hash}`, { headers })
    t.equal((await visit()).statusCode, 401)
    t.equal((await visit({ 'x-share-password': 'wrong' })).statusCode, 401)
    const data = { id: 2, password: 'another good phrase' }
    const payload = { what: 'user', which: ['password'], current_password: 'wrong', data }
    t.equal((await bob('PUT', '/api/users/2', { payload })).statusCode, 400)
    t.equal((await admin('PUT', '/api/settings', { payload: { signup: true } })).statusCode, 200)
    const account = { username: 'eve', password: 'correct horse staple' }
    t.equal((await call('POST', '/api/signup', { payload: account })).statusCode, 200)
    t.strictSame(
      (await briefs()).filter((text) => !/^(login done|share|settings)/.test(text)),
      ['users done  eve: new', 'confirm failed bob password.current', 'visit failed  share.password'],
    )
  },
)

t.test('the activity of a folder names only what the reader may see', async (t) => {
  const { as, admin, clock } = await serve(t)
  const bob = await as('bob')
  const move = (from: string, to: string) =>
    admin('PATCH', `/api/resources${from}?action=rename&destination=${to}`)
  clock.advance({ minutes: 1 })
  t.equal((await bob('POST', '/api/resources/docs/new.txt', { payload: 'x' })).statusCode, 200)
  t.equal((await move('/other/o.txt', '/bob/docs/o.txt')).statusCode, 200)
  t.equal((await move('/bob/docs/a.txt', '/bob/private/a.txt')).statusCode, 200)
  t.equal((await admin('DELETE', '/api/resources/bob/private/p.txt')).statusCode, 200)
  t.equal((await admin('POST', '/api/resources/bob/docs2.txt', { payload: 'x' })).statusCode, 200)
  const activity = async (who: typeof bob, path: string) => {
    const reply = await who('GET', `/api/activity${path}`)
    return reply.statusCode === 200 ? reply.json().records : reply.statusCode
  }
  const shown = (records: AuditRecord[]) => records.map(brief)
  t.strictSame(shown(await activity(bob, '/docs')), [
    'move done admin  /docs/a.txt',
    'move done admin  /docs/o.txt',
    'upload done bob  /docs/new.txt',
  ])
  t.strictSame(shown(await activity(bob, '/docs/o.txt')), ['move done admin  /docs/o.txt'])
  t.strictSame(shown(await activity(bob, '/')), [
    'upload done admin  /docs2.txt',
    'move done admin  /docs/a.txt',
    'move done admin  /docs/o.txt',
    'upload done bob  /docs/new.txt',
  ])
  for (const record of await activity(bob, '/')) {
    t.match(record, { address: '', detail: '', count: 1 })
    t.equal('operation' in record, record.user === 'bob', 'only own operations are named')
  }
  t.equal(await activity(bob, '/private'), 403)
  t.equal(await activity(bob, '/missing'), 404)
  t.equal((await activity(admin, '/')).length, 5, 'sign-ins are not activity')
})

t.test('sharing a file is activity of the file, and a refused change is recorded once', async (t) => {
  const { as, admin, briefs } = await serve(t)
  const bob = await as('bob')
  const shared = await bob('POST', '/api/share/docs/a.txt', { payload: {} })
  t.equal(shared.statusCode, 200, shared.body)
  t.equal((await admin('DELETE', `/api/share/${shared.json().hash}`)).statusCode, 200)
  const perm = { ...newUserRights, share: false }
  const change = { what: 'user', which: ['perm'], data: { id: 2, perm } }
  t.equal((await bob('PUT', '/api/users/2', { payload: change })).statusCode, 403)
  t.equal((await bob('POST', '/api/share/private/p.txt', { payload: {} })).statusCode, 403)
  const recorded = (await briefs()).filter((text) => !text.startsWith('login'))
  t.strictSame(recorded, [
    'share refused bob path.forbidden',
    'users refused bob auth.forbidden',
    'unshare done admin  /bob/docs/a.txt',
    'share done bob  /bob/docs/a.txt',
  ])
  const activity = await bob('GET', '/api/activity/docs/a.txt')
  t.strictSame(activity.json().records.map(brief), [
    'unshare done admin  /docs/a.txt',
    'share done bob  /docs/a.txt',
  ])
})

t.test('only administrators read the audit log, and wrong filters are refused', async (t) => {
  const { as, admin } = await serve(t)
  const bob = await as('bob')
  for (const path of ['/api/audit', '/api/audit/export?format=csv']) {
    t.equal((await bob('GET', path)).statusCode, 403, path)
  }
  const wrong = ['from=yesterday', 'to=2026-13-01', 'limit=0', 'limit=501', 'before=0', 'path=a%00b']
  for (const query of wrong) t.equal((await admin('GET', `/api/audit?${query}`)).statusCode, 400, query)
  t.equal((await admin('GET', '/api/audit/export?format=xml')).statusCode, 400)
  for (const query of [
    'from=2026-01-01',
    'from=2026-01-01T00:00:00%2B02:00',
    'to=2026-01-01T00:00:00+02:00',
  ]) {
    t.equal((await admin('GET', `/api/audit?${query}`)).statusCode, 200, query)
  }
})

t.test('an export has every record, and starts with a ticket like other downloads', async (t) => {
  const { app, admin, services } = await serve(t)
  for (let n = 0; n < 1200; n++) services.audit.note(entryNumber(n))
  const port = await listen(app)
  const { ticket } = (await admin('POST', '/api/ticket', { payload: { action: 'raw', path: '/' } })).json()
  const address = `http://127.0.0.1:${port}/api/audit/export?format=ndjson&kind=upload&auth=${ticket}`
  const response = await fetch(address)
  t.match(response.headers.get('content-disposition'), /audit\.ndjson/)
  const lines = (await response.text()).trim().split('\n')
  t.strictSame(
    lines.map((line) => JSON.parse(line).detail),
    Array.from({ length: 1200 }, (_, n) => String(n)),
  )
})

t.test('a user runs at most two exports at the same time', async (t) => {
  const { app, services, login } = await serve(t)
  const detail = 'x'.repeat(1000)
  for (let n = 0; n < 18_000; n++) services.audit.note({ ...entryNumber(n), detail })
  await services.audit.written()
  const port = await listen(app)
  const headers = { 'x-auth': await login('admin') }
  const address = `http://127.0.0.1:${port}/api/audit/export?format=ndjson`
  // Not read, so that they wait with what does not fit into the buffers of the connections.
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const open = () => fetch(address, { headers, signal: stop.signal })
  const running = [await open(), await open()]
  t.equal((await open()).status, 429)
  await running[0]?.body?.cancel()
  const isFree = async () => {
    const next = await open()
    return next.status === 200
  }
  t.ok(await until(isFree), 'an ended export makes room')
})

function entryNumber(n: number) {
  const who = { userId: 1, userName: 'admin', session: null, address: '192.0.2.1' }
  return { kind: 'upload', outcome: 'done', who, detail: String(n) } as const
}
