import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Memory } from 'lowdb'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { openRecords } from '#src/core/storage/records.ts'
import { until } from '#src/testing/wire.ts'
import { firstUser, newSettings } from './defaults.ts'
import { openDocument } from './document.ts'
import type { ShareRecord, State } from './state.ts'
import { createTimekeeper, isTimeRecord } from './timekeeper.ts'

const day = 24 * 60 * 60_000
const signingKey = 'k'.repeat(88)

function createState(shares: readonly ShareRecord[]): State {
  return {
    version: 6,
    nextUserId: 2,
    users: { 1: { id: 1, username: 'admin', ...firstUser, lockPassword: false, commands: [], rules: [] } },
    credentials: { signingKey, passwords: {} },
    settings: newSettings(),
    shares: Object.fromEntries(shares.map((share) => [share.hash, share])),
  }
}

/**
 * A share that was created `madeDaysAgo` days before `now` and expires `endsInDays` days after it. 0: never expires.
 */
function share(name: string, now: number, [madeDaysAgo, endsInDays]: [number, number]): ShareRecord {
  const at = (days: number) => Math.floor((now + days * day) / 1000)
  const rest = { userID: 1, path: '/', password: '', thing: { dev: 1, ino: 1, birth: 1 } }
  return {
    hash: name.padEnd(22, '-'),
    created: at(-madeDaysAgo),
    expire: endsInDays && at(endsInDays),
    ...rest,
  }
}

const isNote = (value: unknown): value is { id: string } => typeof (value as { id?: unknown }).id === 'string'

/** A computer with a clock that the test sets, and with a store and sessions that persist over restarts. */
async function createComputer(t: Test, shares: (now: number) => readonly ShareRecord[] = () => []) {
  const folder = t.testdir()
  const start = Date.UTC(2030, 0, 1)
  const clock = { time: start, passed: 0 }
  const sources = { wall: () => clock.time, elapsed: () => clock.passed }
  const document = await openDocument(new Memory<State>(), async () => createState(shares(start)))
  const sessions = await openRecords(join(folder, 'sessions'), isNote)
  const logged: { msg: string; level: number }[] = []
  const log = pino({}, { write: (line) => logged.push(JSON.parse(line)) })
  const boot = async () => {
    const records = await openRecords(join(folder, 'clock'), isTimeRecord)
    const time = await createTimekeeper({
      records,
      document,
      sessions: { ...sessions, list: async () => sessions.all() as never },
      log,
      sources,
    })
    t.teardown(() => time.close())
    return time
  }
  const storedTime = async () => JSON.parse(await readFile(join(folder, 'clock/latest.json'), 'utf8')).latest
  return { folder, start, clock, document, sessions, logged, boot, storedTime }
}

t.test(
  'the latest time persists over a restart, so that a clock set back in between has no effect',
  async (t) => {
    const { start, clock, boot, storedTime, logged } = await createComputer(t)
    const first = await boot()
    clock.time += day
    await first.close()
    t.equal(await storedTime(), start + day)
    clock.time -= day / 2
    clock.passed = 0
    const second = await boot()
    t.equal(second.now(), start + day)
    t.strictSame(logged, [], 'half a day is not reported')
  },
)

t.test('the time is stored when the state changes, at most once a minute', async (t) => {
  const { start, clock, document, boot, storedTime } = await createComputer(t)
  const time = await boot()
  await document.update((draft) => draft.nextUserId++)
  t.equal(await until(() => storedTime().catch(() => undefined)), start)
  clock.time += 30_000
  time.now()
  await document.update((draft) => draft.nextUserId++)
  clock.time += 40_000
  t.equal(await storedTime(), start)
  await document.update((draft) => draft.nextUserId++)
  t.equal(await until(async () => (await storedTime()) !== start && (await storedTime())), start + 70_000)
})

t.test(
  'a clock set back by more than a day ends all sessions, replaces the signing key and becomes correct',
  async (t) => {
    const { start, clock, document, sessions, logged, boot, storedTime } = await createComputer(t, (now) => [
      share('permanent', now, [5, 0]),
      share('timed', now, [5, 30]),
      share('ends', now, [5, 2]),
      share('later', now, [-9, 10.5]),
      share('later-for-ever', now, [-9, 0]),
    ])
    const time = await boot()
    await sessions.put({ id: 'one' })
    clock.time += 10 * day
    t.equal(time.now(), start + 10 * day)
    clock.time -= 10 * day
    await time.check()
    t.equal(time.now(), start)
    t.strictSame(sessions.all(), [])
    t.not(document.data.credentials.signingKey, signingKey)
    const { shares } = document.data
    t.strictSame(
      Object.keys(shares).map((hash) => hash.replace(/-+$/, '')),
      ['permanent', 'timed', 'later', 'later-for-ever'],
    )
    const second = start / 1000
    t.match(shares['permanent'.padEnd(22, '-')], { expire: 0, created: second - 5 * 86_400 })
    t.match(shares['timed'.padEnd(22, '-')], { expire: second + 30 * 86_400 })
    t.match(
      shares['later'.padEnd(22, '-')],
      { created: second, expire: second + 43_200 },
      'it keeps its remaining time',
    )
    t.match(shares['later-for-ever'.padEnd(22, '-')], { created: second, expire: 0 })
    t.match(logged, [{ msg: /set back by more than a day: all sessions end/ }])
    t.equal(await storedTime(), start)
    await time.check()
    t.equal(logged.length, 1)
  },
)

t.test('a stored time far in the future is corrected at the next start', async (t) => {
  const { folder, start, document, sessions, boot } = await createComputer(t)
  await (await boot()).close()
  await sessions.put({ id: 'one' })
  await writeFile(
    join(folder, 'clock/latest.json'),
    JSON.stringify({ id: 'latest', latest: start + 9999 * day }),
  )
  const time = await boot()
  t.equal(time.now(), start)
  t.strictSame(sessions.all(), [])
  t.not(document.data.credentials.signingKey, signingKey)
})

t.test(
  'a computer whose clock is not set continues from the latest time, and keeps all sessions',
  async (t) => {
    const { start, clock, document, sessions, logged, boot } = await createComputer(t)
    await (await boot()).close()
    await sessions.put({ id: 'one' })
    clock.time = 5000
    const time = await boot()
    t.equal(time.now(), start)
    await time.check()
    t.match(logged, [{ msg: /clock of this computer is not set/ }], 'logged once')
    clock.time = start + 1000
    t.equal(time.now(), start + 1000)
    t.equal(sessions.all().length, 1)
    t.equal(document.data.credentials.signingKey, signingKey)
  },
)

t.test('a clock set far back continues while the state cannot be written, and follows later', async (t) => {
  const { start, clock, document, sessions, logged, boot } = await createComputer(t)
  const time = await boot()
  await sessions.put({ id: 'one' })
  const { update } = document
  clock.time -= 3 * day
  Object.assign(document, { update: () => Promise.reject(new Error('disk full')) })
  await time.check()
  t.equal(time.now(), start)
  t.equal(sessions.all().length, 1)
  Object.assign(document, { update })
  t.match(logged.at(-1), { msg: /cannot adjust its clock/, level: 50 })
  await time.check()
  t.equal(time.now(), start - 3 * day)
  t.strictSame(sessions.all(), [])
})

t.test('a damaged time record is invalid', async (t) => {
  for (const value of [
    null,
    7,
    {},
    { id: 'latest' },
    { id: 'latest', latest: '7' },
    { id: 'x', latest: 7 },
  ]) {
    t.notOk(isTimeRecord(value))
  }
  t.ok(isTimeRecord({ id: 'latest', latest: 7 }))
})
