import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { signTicket } from '#src/auth/ticket.ts'
import { signToken, tokenUser } from '#src/auth/token.ts'
import type { UserRecord } from '#src/core/state/state.ts'
import { password, serve, signIn } from '#src/testing/program.ts'
import { start } from '#src/testing/start.ts'
import { exchange, until } from '#src/testing/wire.ts'

const tree = { 'a.txt': 'a', docs: { 'b.txt': 'b' } }
const minute = 60_000

async function world(t: Test) {
  const made = await start(t, { tree, people: { alice: {} } })
  const { call, login, store, services, base } = made
  const get = async (url: string, token?: string) =>
    (await call('GET', url, token ? { headers: { 'x-auth': token } } : {})).statusCode
  const share = async (query: string, payload: object = {}): Promise<string> => {
    const token = await login('alice')
    const reply = await call('POST', `/api/share/a.txt${query}`, { headers: { 'x-auth': token }, payload })
    return reply.json().hash
  }
  /** The one session that there is, and a way to sign for it. */
  const session = () => {
    const [only] = services.sessions.ofUser(2)
    if (!only) throw new Error('no session')
    return only
  }
  const key = () => Buffer.from(store.data.credentials.signingKey, 'base64')
  const recordFiles = () => readdirSync(join(base, 'state.d/sessions'))
  return { ...made, get, share, session, key, recordFiles }
}

t.test('a token, a ticket and a link that have ended stay ended when the clock is set back', async (t) => {
  const { call, login, get, share, clock, store } = await world(t)
  const token = await login('alice')
  const payload = { action: 'raw', path: '/a.txt' }
  const { ticket } = (await call('POST', '/api/ticket', { headers: { 'x-auth': token }, payload })).json()
  const link = await share('?expires=30&unit=minutes')
  const locked = await share('?expires=5&unit=hours', { password: 'pass' })
  const unlocked = await call('GET', `/api/public/share/${locked}`, {
    headers: { 'x-share-password': 'pass' },
  })
  const opened = `/api/public/dl/${locked}?token=${unlocked.json().token}`
  for (const url of [`/api/raw/a.txt?auth=${ticket}`, `/api/public/share/${link}`, opened]) {
    t.equal(await get(url), 200, url)
  }
  clock.advance({ hours: 3 })
  t.equal(await get(`/api/public/share/${link}`), 404)
  t.equal(await get('/api/sessions', token), 401)
  clock.advance({ hours: -3 })
  t.equal(await get('/api/sessions', token), 401)
  t.equal(await get(`/api/raw/a.txt?auth=${ticket}`), 401)
  t.equal(await get(`/api/public/share/${link}`), 404)
  t.equal(await get(opened), 401)
  await until(() => !(link in store.data.shares))
  t.ok(locked in store.data.shares, 'only what has ended is removed')
})

t.test('a session that has ended is removed by its record', async (t) => {
  for (const [days, unused] of [
    [31, true],
    [91, false],
  ] as const) {
    const { login, get, clock, recordFiles, services } = await world(t)
    await login('alice')
    t.equal(recordFiles().length, 1)
    if (unused) clock.advance({ days })
    else {
      // Used each day, it ends all the same.
      for (let day = 0; day < days; day++) {
        clock.advance({ days: 1 })
        for (const session of services.sessions.ofUser(2)) session.lastUse = clock.now()
      }
    }
    t.equal(services.sessions.ofUser(2).length, 0)
    await until(() => recordFiles().length === 0)
    clock.advance({ days: -1 })
    t.equal(services.sessions.ofUser(2).length, 0)
    t.equal(await get('/api/sessions', await login('alice')), 200, 'and people sign in again')
  }
})

t.test('tokens, tickets and sessions from the future are refused beyond a minute', async (t) => {
  const { login, get, session, key, clock, store, services, recordFiles } = await world(t)
  await login('alice')
  clock.stop()
  const now = clock.now()
  const { id: sid } = session()
  const user = tokenUser(store.data.users[2] as UserRecord)
  const tokenAt = (ms: number) => {
    const iat = Math.floor(ms / 1000)
    return signToken({ iat, exp: iat + 7200, sid, user }, key())
  }
  const ticketAt = (ms: number) =>
    signTicket({ action: 'raw', path: '/a.txt', sid, until: ms + minute }, key())
  t.equal(await get('/api/sessions', tokenAt(now + minute)), 200)
  t.equal(await get('/api/sessions', tokenAt(now + 2 * minute)), 401)
  t.equal(await get(`/api/raw/a.txt?auth=${ticketAt(now + minute)}`), 200)
  t.equal(await get(`/api/raw/a.txt?auth=${ticketAt(now + minute + 1)}`), 401)
  session().lastUse = now + minute
  t.equal(await get('/api/sessions', tokenAt(now)), 200)
  for (const field of ['lastUse', 'created', 'proven'] as const) {
    const token = await login('alice')
    for (const one of services.sessions.ofUser(2)) one[field] = now + minute + 1
    t.equal(await get('/api/sessions', token), 401, field)
    t.strictSame(services.sessions.ofUser(2), [])
    await until(() => recordFiles().length === 0)
  }
})

t.test('after a clock that was far ahead for a while, people sign in and links work', async (t) => {
  const { login, get, share, clock, time, store } = await world(t)
  const permanent = await share('')
  clock.advance({ days: 3650 })
  const token = await login('alice')
  const timed = await share('?expires=2&unit=hours')
  const { signingKey } = store.data.credentials
  clock.advance({ days: -3650 })
  await time.check()
  t.equal(await get('/api/sessions', token), 401)
  t.not(store.data.credentials.signingKey, signingKey)
  const again = await login('alice')
  t.equal(await get('/api/sessions', again), 200)
  for (const link of [permanent, timed]) t.equal(await get(`/api/public/share/${link}`), 200)
  clock.advance({ hours: 3 })
  t.equal(await get(`/api/public/share/${timed}`), 404, 'the link lives no longer than it had left')
})

t.test('an upload that was begun while the clock was ahead has its day, and no more', async (t) => {
  const { as, login, call, clock, time, services, root } = await world(t)
  clock.advance({ days: 365 })
  const alice = await as('alice')
  t.equal((await alice('POST', '/api/tus/new.txt', { headers: { 'upload-length': '9' } })).statusCode, 201)
  clock.advance({ days: -365 })
  await time.check()
  await services.uploads.sweep()
  const find = async () =>
    (await call('GET', '/api/tus/new.txt', { headers: { 'x-auth': await login('alice') } })).statusCode
  t.equal(await find(), 200)
  clock.advance({ days: 2 })
  await services.uploads.sweep()
  t.equal(await find(), 404)
  t.strictSame(readdirSync(root).sort(), ['a.txt', 'docs'])
})

t.test('the program notes the time when it ends, and says when the clock was set far back', async (t) => {
  const base = t.testdir({ root: {} })
  const root = join(base, 'root')
  const note = `${root}.coffer.d/clock/latest.json`
  const log = join(base, 'log')
  const first = await serve(t, root, '--password', password, '--log', log)
  const token = await signIn(first.port)
  const before = Date.now()
  first.child.kill('SIGTERM')
  t.equal(await first.ended, 0)
  t.ok(existsSync(note))
  t.ok(JSON.parse(readFileSync(note, 'utf8')).latest >= before)
  // As after a time in which the clock was ten years ahead.
  writeFileSync(note, JSON.stringify({ id: 'latest', latest: before + 3650 * 24 * 60 * minute }))
  const second = await serve(t, root, '--log', log)
  t.match(readFileSync(log, 'utf8'), /the clock was set back by more than a day: all sessions end/)
  const look = async (token: string) =>
    (await exchange(second.port, 'GET', '/api/sessions', { headers: { 'x-auth': token } })).status
  t.equal(await look(token), 401)
  t.equal(await look(await signIn(second.port)), 200)
})
