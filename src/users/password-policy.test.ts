import fc from 'fast-check'
import t from 'tap'
import { checkPassword } from './password-policy.ts'

t.test('a password needs the minimum length in characters', async (t) => {
  t.throws(() => checkPassword('', 1, 'ann'), { code: 'password.weak' })
  t.throws(() => checkPassword('elevenchars', 12, 'ann'), { code: 'password.weak', details: { minimum: 12 } })
  t.throws(() => checkPassword('😀😀😀😀😀😀', 12, 'ann'), { code: 'password.weak' }, 'not in UTF-16 units')
  t.doesNotThrow(() => checkPassword('twelve chars', 12, 'ann'))
  t.doesNotThrow(() => checkPassword('žluťoučký kůň', 12, 'ann'))
  t.doesNotThrow(() => checkPassword('a long sentence, and on it goes '.repeat(30), 12, 'ann'))
})

t.test('rejects common passwords of any length', async (t) => {
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
    'gables-green-1985',
    'qwerty123456',
    'QWERTZ!"§$%&',
    '1q2w3e4r5t6y',
    '1qaz2wsx3edc',
    'zaq1xsw2cde3',
    'admin1234567',
    'P@ssw0rd1234',
    'p455w0rd!!!!',
    '$un5h1ne2026',
    'we1come2026!',
    'monkey123456',
    'football1234',
    'abc123abc123',
    'password1password',
    'Passwort-Passwort',
    '2026-Sommer-2026',
    'Contraseña2026',
    'coffer-admin-1',
    'CofferPassword',
    'horse horse horse',
    '1111111111111112',
    'aaaaaaaaaaab',
    '112233445566',
    '123456-abcdef',
    'asdfghjkl;12',
    '   letmein   ',
    'ｐａｓｓｗｏｒｄ２０２６',
    '            ',
  ]) {
    t.throws(() => checkPassword(password, 12, 'ann.of.green.gables'), { code: 'password.common' }, password)
  }
})

t.test('accepts phrases that contain common words', async (t) => {
  for (const password of [
    'my password is long',
    'correct horse battery',
    'ann.of.green.gables reads',
    'correcthorsebatterystaple',
    'four winters in the office',
    'i love my red bicycle',
    'monkey dragon banana summer',
    'the quick brown fox',
    'x7Kq-92mv-Lp4z',
    'Tr0ub4dor&3 x',
    '738201946523',
    '#9$2!8%4&1*7^3',
    'žluťoučký kůň',
    'парольный замок',
    '正しい馬の電池のホチキス',
    '🔑🐎🔋📎🌲🏔🎻🧭🪁🍋🥨🧩',
  ]) {
    t.doesNotThrow(() => checkPassword(password, 12, 'ann.of.green.gables'), password)
  }
})

t.test('accepts random passwords', async (t) => {
  // So many different bytes do not form known pieces by chance.
  const random = fc.uniqueArray(fc.nat(255), { minLength: 12, maxLength: 12 })
  fc.assert(
    fc.property(random, (bytes) => {
      t.doesNotThrow(() => checkPassword(Buffer.from(bytes).toString('base64url'), 12, 'ann'))
    }),
    { examples: [[[200, 17, 4, 99, 180, 33, 251, 7, 142, 60, 81, 229]]] },
  )
})

t.test('checks very long passwords without delay', async (t) => {
  for (const piece of ['a', 'ab', '1q', 'password', 'passwor', 'x7Kq', '-', 'é', '🔑'])
    t.doesNotThrow(() => checkPassword(`Zw${piece.repeat(1020 / piece.length)}vG unlike`, 12, 'ann'))
})
