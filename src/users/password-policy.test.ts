import t from 'tap'
import { checkPassword } from './password-policy.ts'

t.test('a password is as long as the instance asks, in characters', async (t) => {
  t.throws(() => checkPassword('', 1, 'ann'), { code: 'password.weak' })
  t.throws(() => checkPassword('elevenchars', 12, 'ann'), { code: 'password.weak', details: { minimum: 12 } })
  t.throws(() => checkPassword('😀😀😀😀😀😀', 12, 'ann'), { code: 'password.weak' }, 'not in units')
  t.doesNotThrow(() => checkPassword('twelve chars', 12, 'ann'))
  t.doesNotThrow(() => checkPassword('žluťoučký kůň', 12, 'ann'))
  t.doesNotThrow(() => checkPassword('x'.repeat(73).replace(/^./, 'y'), 12, 'ann'))
})

t.test('what everybody tries first is refused, however long', async (t) => {
  for (const password of [
    'aaaaaaaaaaaaaaaa',
    'abababababab',
    'abcabcabcabc',
    '123412341234',
    '123456789012',
    '098765432109',
    'abcdefghijklm',
    'qwertyuiopas',
    '9'.repeat(1000),
    '0123456789'.repeat(50),
    'ABCDEFGHIJKLM',
    'password12345',
    'Password2026!!!',
    'passw0rd-1234',
    'letmein123456',
    'Administrator',
    'welcome2026!',
    'ann.of.green.gables',
    'Ann.of.Green.Gables!1',
    'ann.of.green.gables2026',
  ]) {
    t.throws(() => checkPassword(password, 12, 'ann.of.green.gables'), { code: 'password.common' }, password)
  }
})

t.test('a sentence that only holds a plain word is fine', async (t) => {
  for (const password of ['my password is long', 'correct horse battery', 'ann.of.green.gables reads']) {
    t.doesNotThrow(() => checkPassword(password, 12, 'ann.of.green.gables'), password)
  }
})
