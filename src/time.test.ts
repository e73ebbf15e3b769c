import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { signToken, toTokenUser } from '#src/auth/sessions.ts'
import { signTicket } from '#src/auth/ticket.ts'
import type { UserRecord } from '#src/state/state.ts'
import { password, serve, signIn } from '#src/testing/program.ts'
import { start } from '#src/testing/start.ts'
import { exchange, until } from '#src/testing/wire.ts'

const tree = { 'a.txt': 'a', docs: { 'b.txt': 'b' } }
const minute = 60_000

async function startApp(t: Test) {
  const started = await start(t, { tree, people: { alice: {} } })
  const { call, login, document, services, base } = started
  const get = async (url: string, token?: string) =>
    (await call('GET', url, token ? { headers: { 'x-auth': token } } : {})).statusCode
  const share = async (query: string, payload: object = {}): Promise<string> => {
    const token = await login('alice')
    const reply = await call('POST', `/api/share/a.txt${query}`, { headers: { 'x-auth': token }, payload })
    return reply.json().hash
  }
  /** The only session. */
  const session = async () => {
    const [only] = await services.sessions.ofUser(2)
    if (!only) throw new Error('no session')
    return only
  }
  const key = () => Buffer.from(document.data.credentials.signingKey, 'base64')
  const recordFiles = () => readdirSync(join(base, 'state.d/sessions'))
  return { ...started, get, share, session, key, recordFiles }
}

t.test('expired tokens, tickets and shares stay expired when the clock is set back', async (t) => {
  const { call, login, get, share, clock, document } = await startApp(t)
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
  await until(() => !(link in document.data.shares))
  t.ok(locked in document.data.shares, 'only expired shares are removed')
})

t.test('the record of an expired session is deleted', async (t) => {
  for (const [days, unused] of [
    [31, true],
    [91, false],
  ] as const) {
    const { login, get, clock, recordFiles, services } = await startApp(t)
    await login('alice')
    t.equal(recordFiles().length, 1)
    if (unused) clock.advance({ days })
    else {
      // A session that is used every day expires too.
      for (let day = 0; day < days; day++) {
        clock.advance({ days: 1 })
        const lastUse = clock.now()
        for (const { id } of await services.sessions.ofUser(2)) services.sessions.note(id, { lastUse })
      }
    }
    t.equal((await services.sessions.ofUser(2)).length, 0)
    await until(() => recordFiles().length === 0)
    clock.advance({ days: -1 })
    t.equal((await services.sessions.ofUser(2)).length, 0)
    t.equal(await get('/api/sessions', await login('alice')), 200, 'users can sign in again')
  }
})

t.test('refuses tokens, tickets and sessions more than a minute in the future', async (t) => {
  const { login, get, session, key, clock, document, services, recordFiles } = await startApp(t)
  await login('alice')
  clock.stop()
  const now = clock.now()
  const { id: sid } = await session()
  const user = toTokenUser(document.data.users[2] as UserRecord)
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
  services.sessions.note(sid, { lastUse: now + minute })
  t.equal(await get('/api/sessions', tokenAt(now)), 200)
  for (const field of ['lastUse', 'created', 'proven'] as const) {
    const token = await login('alice')
    for (const { id } of await services.sessions.ofUser(2))
      services.sessions.note(id, { [field]: now + minute + 1 })
    t.equal(await get('/api/sessions', token), 401, field)
    t.strictSame(await services.sessions.ofUser(2), [])
    await until(() => recordFiles().length === 0)
  }
})

t.test('after a clock was far ahead for a while, users can sign in and shares work', async (t) => {
  const { login, get, share, clock, time, document } = await startApp(t)
  const permanent = await share('')
  clock.advance({ days: 3650 })
  const token = await login('alice')
  const timed = await share('?expires=2&unit=hours')
  const { signingKey } = document.data.credentials
  clock.advance({ days: -3650 })
  await time.check()
  t.equal(await get('/api/sessions', token), 401)
  t.not(document.data.credentials.signingKey, signingKey)
  const again = await login('alice')
  t.equal(await get('/api/sessions', again), 200)
  for (const link of [permanent, timed]) t.equal(await get(`/api/public/share/${link}`), 200)
  clock.advance({ hours: 3 })
  t.equal(await get(`/api/public/share/${timed}`), 404, 'the share keeps only its remaining time')
})

t.test('an upload started while the clock was ahead expires after one day', async (t) => {
  const { as, login, call, clock, time, services, root } = await startApp(t)
  clock.advance({ days: 365 })
  const alice = await as('alice')
  const begun = await alice('POST', '/api/tus/new.txt', { headers: { 'upload-length': '9' } })
  t.equal(begun.statusCode, 201)
  clock.advance({ days: -365 })
  await time.check()
  await services.uploads.sweep()
  const find = async () => {
    const headers = { 'x-auth': await login('alice'), 'upload-id': String(begun.headers['upload-id']) }
    return (await call('GET', '/api/tus/new.txt', { headers })).statusCode
  }
  t.equal(await find(), 200)
  clock.advance({ days: 2 })
  await services.uploads.sweep()
  t.equal(await find(), 404)
  t.strictSame(readdirSync(root).sort(), ['a.txt', 'docs'])
})

t.test('the program stores the time on exit, and logs that the clock was set far back', async (t) => {
  const base = t.testdir({ root: {} })
  const root = join(base, 'root')
  const timeFile = `${root}.coffer.d/clock/latest.json`
  const log = join(base, 'log')
  const first = await serve(t, root, '--password', password, '--log', log)
  const token = await signIn(first.port)
  const before = Date.now()
  first.child.kill('SIGTERM')
  t.equal(await first.ended, 0)
  t.ok(existsSync(timeFile))
  t.ok(JSON.parse(readFileSync(timeFile, 'utf8')).latest >= before)
  // As after a start with the clock ten years ahead.
  writeFileSync(timeFile, JSON.stringify({ id: 'latest', latest: before + 3650 * 24 * 60 * minute }))
  const second = await serve(t, root, '--log', log)
  t.match(readFileSync(log, 'utf8'), /the clock was set back by more than a day: all sessions end/)
  const statusWith = async (token: string) =>
    (await exchange(second.port, 'GET', '/api/sessions', { headers: { 'x-auth': token } })).status
  t.equal(await statusWith(token), 401)
  t.equal(await statusWith(await signIn(second.port)), 200)
})
