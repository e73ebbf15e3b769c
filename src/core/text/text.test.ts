import t from 'tap'
import { foldName, foldPath } from './fold.ts'
import { fromLocalTime } from './local-time.ts'

t.test('fold returns one text for all spellings that a disk treats as the same name', async (t) => {
  for (const [first = '', ...others] of [
    ['Secret.txt', 'SECRET.TXT', 'secret.txt', 'ſecret.txt', 'se\u00adcret.txt', 'ｓｅｃｒｅｔ．ｔｘｔ'],
    ['caf\u00e9', 'cafe\u0301', 'CAF\u00c9', 'CAFE\u0301'],
    ['straße', 'STRASSE', 'strasse', 'STRAẞE'],
    ['istanbul', 'ISTANBUL', 'İstanbul', 'ıstanbul', 'i\u0307stanbul'],
    ['kelvin', '\u212aelvin'],
    ['\u00c5', '\u212b', 'a\u030a'],
    ['ΟΔΟΣ', 'οδος', 'οδοσ'],
    ['\ufb01le', 'file', 'FILE'],
    ['ｱ', 'ア'],
  ]) {
    for (const other of others) t.equal(foldName(other), foldName(first), `${other} and ${first}`)
    t.equal(foldName(foldName(first)), foldName(first), first)
  }
})

t.test('fold keeps names apart that differ on every disk', async (t) => {
  const names = ['a', 'b', 'ä', 'a.txt', 'a.txt.', 'a b', 'ab', '日本', '日木', 'е', 'e', '0', 'o', '.a', '']
  t.equal(new Set(names.map(foldName)).size, names.length)
})

t.test('foldPath ignores the characters that Windows ignores in names', async (t) => {
  for (const other of [
    '/A/B.TXT',
    '/a./b.txt',
    '/a /b.txt...',
    '/a/b.txt:stream',
    '/a/b.txt::$DATA',
    '/a:x/b.txt',
  ]) {
    t.equal(foldPath(other), '/a/b.txt', other)
  }
  t.strictSame(['/', '/...', '/. .', '/:a'].map(foldPath), ['/', '/...', '/. .', '/:a'])
})

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
