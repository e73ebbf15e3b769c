import t from 'tap'
import { formats } from '../../../locales/formats.ts'
import { extendIntl } from './own-intl.ts'

const sizes = [
  0,
  1,
  2,
  5,
  21,
  101,
  1000,
  1023,
  1024,
  1536,
  1_500_000,
  12 ** 9,
  5 * 1024 ** 4,
  4000 * 1024 ** 5,
]
const counts = [0, 1, 2, 3, 5, 11, 21, 101, 999, 1234, 12_345, 123_456, 1_234_567, -1234, 0.5, 1234.56]
const now = Date.parse('2026-06-15T12:00:00Z')
const minute = 60
const spans = [1, 2, 5, 11, 21, 31].flatMap((n) => [n * minute, n * 60 * minute, n * 86_400, n * 7 * 86_400])
const times = [0, 59, ...spans, 40 * 86_400, 100 * 86_400, 400 * 86_400, 8000 * 86_400]
const dates = [0, 1, 11, 12, 13, 23].map((hour) => Date.UTC(2026, hour % 12, 1 + hour, hour, 7))

t.test('numbers, sizes and times are correct in a language that the browser does not know', async (t) => {
  t.equal(formats.size, 18)
  for (const tag of formats.keys()) {
    const known = await all(tag, 'before')
    extendIntl(tag)
    t.ok(Object.hasOwn(new Intl.NumberFormat(tag), 'format'), 'the replacement is used')
    t.strictSame(await all(tag, `after ${tag}`), known, tag)
  }
})

t.test('other languages and unused options are left to the browser', async (t) => {
  const before = new Intl.NumberFormat('cs').format(12_345.6)
  const currency = { style: 'currency', currency: 'EUR' } as const
  const money = new Intl.NumberFormat('is', currency).format(5)
  extendIntl('is')
  extendIntl('tlh')
  t.equal(new Intl.NumberFormat('cs').format(12_345.6), before)
  t.equal(new Intl.NumberFormat('is', currency).format(5), money)
  const long = new Intl.DateTimeFormat('is', { dateStyle: 'full' })
  t.notOk(Object.hasOwn(long, 'format'))
})

/** Everything that the page formats in one language. `turn` loads new module instances, which have new formatters. */
async function all(tag: string, turn: string): Promise<string[]> {
  const [format, duration] = await Promise.all([
    import(`./format.ts?${turn}`) as Promise<typeof import('./format.ts')>,
    import(`./duration.ts?${turn}`) as Promise<typeof import('./duration.ts')>,
  ])
  return [
    ...counts.map((count) => format.formatNumber(count, tag)),
    ...sizes.map((size) => format.formatSize(size, tag)),
    ...times.flatMap((ago) =>
      [now - ago * 1000, now + ago * 1000].map((at) => format.formatRelative(at, now, tag)),
    ),
    ...dates.map((date) => format.formatDate(date, tag)),
    ...[1, 2, 30, 61, 3600, 7300].map((length) => duration.formatDuration(length, tag)),
    ...['de', 'pt-BR', 'is', 'tlh'].map(
      (code) => new Intl.DisplayNames(tag, { type: 'language' }).of(code) ?? '',
    ),
    ...[0, 0.07, 1].map((share) => new Intl.NumberFormat(tag, { style: 'percent' }).format(share)),
  ]
}
