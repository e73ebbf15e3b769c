import t from 'tap'
import { parseTime } from './rfc3339.ts'

t.test('reads times with any offset, and days, and nothing else', async (t) => {
  const noon = Date.UTC(2026, 0, 2, 12)
  for (const text of [
    '2026-01-02T12:00:00Z',
    '2026-01-02t12:00z',
    '2026-01-02 12:00:00.000Z',
    '2026-01-02T14:00:00+02:00',
    '2026-01-02T14:00:00 02:00',
  ])
    t.equal(parseTime(text), noon, text)
  t.equal(parseTime('2026-01-02'), Date.UTC(2026, 0, 2))
  for (const text of [
    '',
    'soon',
    '2026',
    '2026-13-01',
    '2026-01-02T25:00Z',
    '2026-01-02T12:00',
    '1767355200',
  ])
    t.equal(parseTime(text), undefined, text)
})
