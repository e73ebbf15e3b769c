import t from 'tap'
import { periodOf } from './days.ts'

t.test('recent files are grouped by calendar days and weeks', async (t) => {
  // A Wednesday.
  const now = new Date(2031, 4, 14, 10, 30).getTime()
  const [sunday, monday, saturday] = [0, 1, 6]
  const cases = [
    [new Date(2031, 4, 14, 0, 0), monday, 'today'],
    [new Date(2031, 4, 14, 11, 0), monday, 'today'],
    [new Date(2031, 4, 13, 23, 59), monday, 'yesterday'],
    [new Date(2031, 4, 13, 0, 0), monday, 'yesterday'],
    [new Date(2031, 4, 12, 23, 59), monday, 'week'],
    [new Date(2031, 4, 12, 0, 0), monday, 'week'],
    [new Date(2031, 4, 11, 23, 59), monday, 'lastWeek'],
    [new Date(2031, 4, 11, 23, 59), sunday, 'week'],
    [new Date(2031, 4, 10, 0, 0), sunday, 'lastWeek'],
    [new Date(2031, 4, 10, 0, 0), saturday, 'week'],
    [new Date(2031, 4, 5, 0, 0), monday, 'lastWeek'],
    [new Date(2031, 4, 4, 23, 59), monday, 'earlier'],
    [new Date(2031, 4, 4, 0, 0), sunday, 'lastWeek'],
    [new Date(1999, 0, 1), saturday, 'earlier'],
  ] as const
  for (const [time, firstDay, period] of cases)
    t.equal(periodOf(time.getTime(), now, firstDay), period, `${time}, first day ${firstDay}`)
})

t.test('on the first day of a week, yesterday is still called yesterday', async (t) => {
  const monday = new Date(2031, 4, 12, 10, 30).getTime()
  t.equal(periodOf(new Date(2031, 4, 11, 9, 0).getTime(), monday, 1), 'yesterday')
  t.equal(periodOf(new Date(2031, 4, 10, 9, 0).getTime(), monday, 1), 'lastWeek')
})
