import t from 'tap'
import { auditAddress, filtersIn, localOf, periodOfTimes, periods, timeOf, timesOfPeriod } from './filters.ts'

t.test('filters stay the same in an address and back, and unknown parts are ignored', async (t) => {
  const filters = { user: 'a b&c', path: '/ä/#?.txt', outcome: 'done', from: '2026-01-02T03:04:00.000Z' }
  const address = auditAddress(filters)
  t.strictSame(filtersIn(new URL(address, 'http://x').search), filters)
  t.strictSame(filtersIn('?user=&x=1&__proto__=2'), {})
  t.equal(auditAddress({}), '/settings/audit')
})

t.test('a time stays the same in a field of the local time and back', async (t) => {
  t.equal(timeOf(localOf('2026-07-02T03:04:00.000Z')), '2026-07-02T03:04:00.000Z')
  t.strictSame([localOf('yesterday'), localOf(undefined), timeOf('')], ['', '', ''])
})

t.test('periods such as the last week depend on the first day of the week', async (t) => {
  // A Wednesday.
  const now = new Date(2031, 4, 14, 10, 30).getTime()
  const midnight = (day: number) => new Date(2031, 4, day).toISOString()
  t.strictSame(timesOfPeriod('week', now, 1), { from: midnight(12), to: '' })
  t.strictSame(timesOfPeriod('lastWeek', now, 1), { from: midnight(5), to: midnight(12) })
  t.strictSame(timesOfPeriod('lastWeek', now, 0), { from: midnight(4), to: midnight(11) })
  t.strictSame(timesOfPeriod('yesterday', now, 0), { from: midnight(13), to: midnight(14) })
  for (const period of periods) t.equal(periodOfTimes(timesOfPeriod(period, now, 6), now, 6), period)
  t.equal(periodOfTimes({}, now, 1), 'all')
  t.equal(periodOfTimes({ from: midnight(12), to: midnight(13) }, now, 1), 'own')
})
