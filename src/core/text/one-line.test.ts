import t from 'tap'
import { oneLine } from './one-line.ts'

t.test('a text of a visitor becomes one line without control characters', async (t) => {
  t.equal(oneLine('a\r\nBcc: b@example.com'), 'a Bcc: b@example.com')
  t.equal(oneLine('a\u2028b\u0085c\0d\u001b[31m'), 'a b c d [31m')
  t.equal(oneLine('Grüße 🎉'), 'Grüße 🎉')
})

t.test('a long text is cut, and never inside of a character', async (t) => {
  t.equal(oneLine('abcdef', 4), 'abc…')
  t.equal(oneLine('🎉🎉🎉', 4), '🎉…')
  t.ok(oneLine('x'.repeat(5000)).length <= 200)
})
