import t from 'tap'
import { periodOf } from './days.ts'

t.test('recent files are grouped by calendar days', async (t) => {
  const now = new Date(2031, 4, 14, 10, 30).getTime()
  const cases = [
    [new Date(2031, 4, 14, 0, 0), 'today'],
    [new Date(2031, 4, 14, 11, 0), 'today'],
    [new Date(2031, 4, 13, 23, 59), 'yesterday'],
    [new Date(2031, 4, 13, 0, 0), 'yesterday'],
    [new Date(2031, 4, 12, 23, 59), 'week'],
    [new Date(2031, 4, 8, 0, 0), 'week'],
    [new Date(2031, 4, 7, 23, 59), 'earlier'],
    [new Date(1999, 0, 1), 'earlier'],
  ] as const
  for (const [time, period] of cases) t.equal(periodOf(time.getTime(), now), period, time.toString())
})
