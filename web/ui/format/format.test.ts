import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { formatClock } from './clock.ts'
import { formatDate, formatNumber, formatRelative, formatSize } from './format.ts'
import { inRegion } from './region.ts'

t.test('sizes are in units of 1024 with three digits', async (t) => {
  const sizes: [number, string][] = [
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1023, '1,023 bytes'],
    [1024, '1 KB'],
    [1536, '1.5 KB'],
    [1024 ** 2 - 1, '1 MB'],
    [1_500_000, '1.43 MB'],
    [5 * 1024 ** 3, '5 GB'],
    [3 * 1024 ** 5, '3 PB'],
    [4000 * 1024 ** 5, '4,000 PB'],
  ]
  for (const [bytes, text] of sizes) t.equal(formatSize(bytes, 'en'), text)
})

t.test('times are relative, in natural language', async (t) => {
  const now = Date.parse('2026-06-15T12:00:00Z')
  const ago: [number, string][] = [
    [0, 'now'],
    [59, 'now'],
    [60, '1 minute ago'],
    [3 * 3600, '3 hours ago'],
    [26 * 3600, 'yesterday'],
    [8 * 86_400, 'last week'],
    [95 * 86_400, '3 months ago'],
    [800 * 86_400, '2 years ago'],
    [-2 * 3600, 'in 2 hours'],
  ]
  for (const [seconds, text] of ago) t.equal(formatRelative(now - seconds * 1000, now, 'en'), text)
})

t.test('formats follow the language', async (t) => {
  t.equal(formatNumber(12_345, 'de'), '12.345')
  t.equal(formatSize(1536, 'de'), '1,5 KB')
  t.equal(formatRelative(0, 3 * 3_600_000, 'de'), 'vor 3 Stunden')
  t.match(formatDate(0, 'en'), /19(69|70)/)
})

t.test("numbers and times follow the region of the browser's language", async (t) => {
  const expected = [
    ['en', ['en-GB', 'en-US'], 'en-GB'],
    ['en', ['de-DE', 'en', 'en-IE'], 'en-IE'],
    ['en', ['de-AT'], 'en'],
    ['de', ['de-CH', 'de'], 'de-CH'],
    ['nl-BE', ['nl-NL'], 'nl-NL'],
    ['pt', ['pt-PT'], 'pt-PT'],
    ['zh-TW', ['zh-CN', 'zh-Hant-HK'], 'zh-HK'],
    ['zh-CN', ['zh-Hant-HK'], 'zh-CN'],
    // A language that this browser does not know in that region.
    ['de', ['de-JP'], 'de'],
    ['en', ['en-', '*', 'x', 'not a tag'], 'en'],
    ['en', [], 'en'],
  ] as const
  for (const [tag, browser, regional] of expected)
    t.equal(inRegion(tag, browser), regional, `${tag} ${browser}`)
  const month = new Intl.DateTimeFormat(inRegion('ar', ['ar-SA']), {
    year: 'numeric',
    numberingSystem: 'latn',
  })
  t.match(month.format(0), /19(69|70)/, 'the years are those of the page')
})

t.test('every number and every time of the page follows the region', async (t) => {
  const all = globSync('web/{api,app,features,overlays,shared,ui}/**/*.{ts,tsx}')
  const files = all.filter((file) => !/\.test\.ts$|(own-intl|region)\.ts$/.test(file))
  t.ok(files.length > 300)
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    t.notMatch(text, /\.toLocale(Date|Time)?String\(/, file)
    const formatters = text.matchAll(
      /new Intl\.(?:Number|DateTime|RelativeTime)Format\((?!regionalTag\(|'sv'|\))/g,
    )
    t.same(
      [...formatters].map(([found]) => found),
      [],
      file,
    )
  }
})

t.test('writes times with hours only where there are some', async (t) => {
  t.same(
    [0, 65.9, 3723, Number.NaN].map((seconds) => formatClock(seconds, 'en')),
    ['0:00', '1:05', '1:02:03', '0:00'],
  )
})
