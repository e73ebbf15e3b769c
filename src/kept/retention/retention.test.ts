import t from 'tap'
import { createClockTrust } from './clock-trust.ts'
import { chooseForAge, chooseForSpace } from './retention.ts'

const hour = 60 * 60_000
const day = 24 * hour
// A Thursday at noon, so that all times of the tests are in known weeks since 1970.
const now = Date.UTC(2026, 5, 18, 12)

t.test('space is freed from the oldest on, and no more than needed', async (t) => {
  const rows = [1, 2, 3, 4].map((n) => ({ id: n, time: now - (10 - n) * day, size: 100 }))
  const idsFor = (excess: number) =>
    chooseForSpace(rows, { now, excess, isDiskShort: false }).map(({ id }) => id)
  t.strictSame(idsFor(0), [])
  t.strictSame(idsFor(-5), [])
  t.strictSame(idsFor(1), [1])
  t.strictSame(idsFor(100), [1])
  t.strictSame(idsFor(101), [1, 2])
  t.strictSame(idsFor(1e9), [1, 2, 3, 4])
})

t.test('items of the last hour stay, unless the disk is nearly full', async (t) => {
  const rows = [
    { time: now - 2 * hour, size: 1 },
    { time: now - hour / 2, size: 100 },
  ]
  t.strictSame(chooseForSpace(rows, { now, excess: 50, isDiskShort: false }), rows.slice(0, 1))
  t.strictSame(chooseForSpace(rows, { now, excess: 50, isDiskShort: true }), rows)
})

t.test('versions are thinned: all of a day, one a day for a month, one a week for a year', async (t) => {
  const ages = [
    ...[0, hour, 23 * hour],
    ...[26, 27, 28, 50, 51].map((hours) => hours * hour),
    ...[35, 36, 37, 42, 43, 100].map((days) => days * day),
    ...[364, 366, 4000].map((days) => days * day),
  ]
  const versions = ages.toReversed().map((age) => ({ time: now - age, age }))
  const kept = (list: readonly { time: number; age: number }[], at: number) => {
    const gone = new Set(chooseForAge(list, at))
    return list.filter((version) => !gone.has(version))
  }
  const left = kept(versions, now)
  t.strictSame(left.map(({ age }) => age).reverse(), [
    ...[0, hour, 23 * hour],
    // Noon minus 26 h is 10 o'clock on the day before: the last of that day, and of the day before that.
    ...[26, 50].map((hours) => hours * hour),
    // Weeks since 1970 begin on Thursdays: 35 days ago one has just begun, 36 and 37 are in the week before.
    ...[35, 36, 43, 100].map((days) => days * day),
    364 * day,
  ])
  t.strictSame(kept(left, now), left, 'thinning again deletes nothing')
  let rest: readonly { time: number; age: number }[] = versions
  for (let later = now; later < now + 60 * day; later += 6 * hour) rest = kept(rest, later)
  t.strictSame(kept(versions, now + 60 * day - 6 * hour), rest, 'many runs leave the same as one')
  t.strictSame(chooseForAge(versions, now - 5000 * day), [], 'a clock that was set back deletes nothing')
})

t.test('a jump of the clock, or a long pause, delays deletion by a day', async (t) => {
  const time = { clock: now, elapsed: 0 }
  const pass = (ms: number) => {
    time.clock += ms
    time.elapsed += ms
  }
  const create = (offMs: number | undefined) =>
    createClockTrust({ clock: () => time.clock, elapsed: () => time.elapsed, offMs })
  const trust = create(hour)
  t.ok(trust.isTrusted())
  pass(hour)
  t.ok(trust.isTrusted())
  time.clock += 400 * day
  t.notOk(trust.isTrusted())
  pass(23 * hour)
  t.notOk(trust.isTrusted())
  pass(hour)
  t.ok(trust.isTrusted(), 'after a day with the same clock')
  time.clock -= 400 * day
  t.notOk(trust.isTrusted(), 'nor when it is set back')
  for (const offMs of [undefined, 8 * day, 4000 * day]) {
    const started = create(offMs)
    t.notOk(started.isTrusted(), `${offMs}`)
    pass(day)
    t.ok(started.isTrusted())
  }
})
