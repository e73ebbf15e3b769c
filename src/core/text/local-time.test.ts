import t from 'tap'
import { fromLocalTime } from './local-time.ts'

t.test('a time without a zone is in the time zone of the server', async (t) => {
  const zone = process.env.TZ
  t.teardown(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  process.env.TZ = 'Europe/Berlin'
  t.equal(fromLocalTime('2026-12-01T08:30'), '2026-12-01T07:30:00.000Z')
  t.equal(fromLocalTime('2026-07-01T08:30'), '2026-07-01T06:30:00.000Z')
  t.equal(fromLocalTime('2026-03-29T02:30'), '2026-03-29T01:30:00.000Z', 'clocks are put forward at 2')
})

t.test('refuses a text that is not a time', async (t) => {
  for (const text of [
    '',
    'tomorrow',
    '2026-13-01T08:30',
    '2026-12-01T25:30',
    '2026-12-01',
    '2026-12-01T08:30Z',
  ])
    t.throws(() => fromLocalTime(text), { code: 'request.invalid' }, text)
})
