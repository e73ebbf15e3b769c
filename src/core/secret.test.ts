import t from 'tap'
import { decodeJson, encodeJson, equalsInConstantTime, hmac, randomId, timedId } from './secret.ts'

t.test('ids are unguessable, unique and safe in URLs and file names', async (t) => {
  const ids = Array.from({ length: 10_000 }, () => randomId())
  t.equal(new Set(ids).size, ids.length)
  t.ok(ids.every((id) => /^[\w-]{22}$/.test(id)))
  t.equal(Buffer.from(randomId(32), 'base64url').length, 32)
  // The ids contain no counter and no time: every position takes many values.
  for (let at = 0; at < 21; at++) t.ok(new Set(ids.map((id) => id[at])).size > 50, `position ${at}`)
})

t.test(
  'ids with a time begin alike when they are made together, and their ends are unguessable',
  async (t) => {
    const now = Date.UTC(2026, 10, 25)
    const ids = Array.from({ length: 10_000 }, () => timedId(now))
    t.equal(new Set(ids).size, ids.length)
    t.ok(ids.every((id) => /^[\w-]{22}$/.test(id)))
    t.equal(new Set(ids.map((id) => id.slice(0, 8))).size, 1)
    t.equal(timedId(now + 60).slice(0, 7), ids[0]?.slice(0, 7))
    t.not(timedId(now + 86_400_000).slice(0, 8), ids[0]?.slice(0, 8))
    for (let at = 8; at < 21; at++) t.ok(new Set(ids.map((id) => id[at])).size > 50, `position ${at}`)
    // A clock that is wrong makes other ids, not errors.
    for (const wrong of [-1, 2 ** 53, 0.5]) t.match(timedId(wrong), /^[\w-]{22}$/)
  },
)

t.test('sameText compares texts of any length and alphabet', async (t) => {
  t.ok(equalsInConstantTime('', ''))
  t.ok(equalsInConstantTime('ä日', 'ä日'))
  for (const [left, right] of [
    ['a', 'b'],
    ['a', 'ab'],
    ['', 'a'],
    ['a', 'A'],
    ['ä', 'a\u0308'],
    ['é', 'Ã©'],
  ] as const) {
    t.notOk(equalsInConstantTime(left, right), `${left} and ${right}`)
  }
})

t.test('a signature depends on the text and on the key (RFC 4231)', async (t) => {
  const expected = Buffer.from(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    'hex',
  ).toString('base64url')
  t.equal(hmac('what do ya want for nothing?', Buffer.from('Jefe')), expected)
  t.not(hmac('what do ya want for nothing!', Buffer.from('Jefe')), expected)
  t.not(hmac('what do ya want for nothing?', Buffer.from('jefe')), expected)
})

t.test('decodeJson reads what encodeJson wrote', async (t) => {
  for (const value of [{ a: 'ä"\\' }, [1, null], 'text', 7])
    t.strictSame(decodeJson(encodeJson(value)), value)
  t.match(encodeJson({ a: '>>>???' }), /^[\w-]+$/)
})

t.test('decodeJson returns undefined for invalid text and does not throw', async (t) => {
  for (const text of ['', '%', '!!!!', 'e30', 'bm8', '\u0000', 'ä'.repeat(1000)]) {
    t.doesNotThrow(() => decodeJson(text))
  }
  t.equal(decodeJson('bm8'), undefined)
})
