import t from 'tap'
import { dayOf, expiryOf } from './form/lifetime.ts'
import { sortShares } from './share-state.ts'

t.test('sorts shares: permanent ones first, then by their end', async (t) => {
  const link = (hash: string, expire: number) => ({
    ...{ hash, expire, path: '/a', userID: 1, created: 1, hasPassword: false, rights: 'download' as const },
    used: { downloads: 0, visitors: 0, visits: 0, files: 0, bytes: 0 },
  })
  const sorted = sortShares([link('late', 300), link('ever', 0), link('soon', 200)])
  t.same(
    sorted.map(({ hash }) => hash),
    ['ever', 'soon', 'late'],
  )
})

t.test('a last day ends at midnight on this device, also when the clock changes', async (t) => {
  const zone = process.env.TZ
  t.teardown(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  process.env.TZ = 'Europe/Berlin'
  const last = (lastDay: string) => ({ lastDay, length: '', lengthUnit: 'days' as const })
  const morning = Date.parse('2026-03-29T00:30:00+01:00')
  t.equal(dayOf(morning), '2026-03-29')
  t.same(expiryOf('date', last('2026-03-29'), morning), { expires: String(22.5 * 3600), unit: 'seconds' })
  t.same(expiryOf('date', last('2026-03-28'), morning), undefined)
  t.same(expiryOf('date', last(''), morning), undefined)
  t.same(expiryOf('never', last('')), {})
  t.same(expiryOf('week', last('')), { expires: '7', unit: 'days' })
})

t.test('a typed time has a whole number of minutes, hours or days, of at most fifty years', async (t) => {
  const typed = (length: string, lengthUnit: 'minutes' | 'days' = 'days') =>
    expiryOf('time', { lastDay: '', length, lengthUnit })
  t.same(typed('90', 'minutes'), { expires: '90', unit: 'minutes' })
  t.same(typed('18250'), { expires: '18250', unit: 'days' })
  for (const length of ['', '0', '-1', '1.5', '18251']) t.equal(typed(length), undefined, length)
})
