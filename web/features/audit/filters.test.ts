import t from 'tap'
import { auditAddress, filtersIn, localOf, timeOf } from './filters.ts'

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
