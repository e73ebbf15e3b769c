import t from 'tap'
import { formatClock } from './clock.ts'

t.test('writes times with hours only where there are some', async (t) => {
  t.same(
    [0, 65.9, 3723, Number.NaN].map((seconds) => formatClock(seconds, 'en')),
    ['0:00', '1:05', '1:02:03', '0:00'],
  )
})
