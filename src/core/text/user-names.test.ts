import fc from 'fast-check'
import t from 'tap'
import { checkUserName, homeFolderName, userNameKey } from './user-names.ts'

t.test('user names are compared without case, Unicode form and surrounding spaces', async (t) => {
  for (const [left, right] of [
    ['Admin', 'aDMIN'],
    [' admin ', 'admin'],
    ['ädmin', 'a\u0308dmin'],
    ['ａｄｍｉｎ', 'admin'],
    ['ﬁle', 'FILE'],
    ['STRASSE', 'straße'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ΟΔΟΣ', 'οδος'],
    ['K', '\u212a'],
  ] as const) {
    t.equal(userNameKey(left), userNameKey(right), `${left} and ${right}`)
  }
  t.not(userNameKey('anna'), userNameKey('änna'))
  t.not(userNameKey('anna b'), userNameKey('annab'))
})

t.test('nameKey is idempotent', async () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (name) => userNameKey(userNameKey(name)) === userNameKey(name),
    ),
  )
})

t.test('stores a user name as written, composed and without surrounding spaces', async (t) => {
  t.equal(checkUserName(' Jürgen O’Brien '), 'Jürgen O’Brien')
  t.equal(checkUserName('a\u0308'), 'ä')
  t.equal(checkUserName('a-b-'), 'a-b-')
  t.equal(checkUserName('日本語'), '日本語')
  t.equal(checkUserName('Иван 2'), 'Иван 2')
  t.equal(checkUserName('Anna 田中'), 'Anna 田中')
  t.equal(checkUserName('x'.repeat(64)), 'x'.repeat(64))
  t.equal(checkUserName('😀'.repeat(64)).length, 128, 'counts characters, not code units')
})

t.test('refuses a user name that is invisible or looks like another', async (t) => {
  for (const name of [
    '',
    '  ',
    '.',
    '..',
    'a\u0000b',
    'a\nb',
    'zero\u200bwidth',
    'rtl\u202egpj',
    '\ufeff',
    'a\u2028b',
    '\u0430dmin',
    'admin\u03bf',
    '-',
    '-rf',
    ' --help',
    '\u00a0-x',
  ]) {
    t.throws(() => checkUserName(name), { code: 'user.name' }, encodeURIComponent(name))
  }
  t.throws(() => checkUserName('x'.repeat(65)), { code: 'user.name' })
  t.throws(() => checkUserName('lone\ud800'), { code: 'user.name' })
})

t.test("the home folder of a user has the user's name in plain characters", async (t) => {
  for (const [name, home] of [
    ['bob smith..', 'bob-smith'],
    ['anna@example.org', 'anna@example.org'],
    ['../../etc', '-etc'],
    ['a/b\\c', 'a-b-c'],
    ['ä--ö', '-'],
  ] as const) {
    if (home === '-') t.throws(() => homeFolderName(name), { code: 'user.name' })
    else t.equal(homeFolderName(name), home)
  }
})

t.test('no hostile user name leads to a home folder outside its parent', async () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('.', '/', '\\', ' ', 'a', '-', '\0', 'ä') }), (name) => {
      try {
        const home = homeFolderName(name)
        return /^[0-9A-Za-z@_.-]+$/.test(home) && !home.includes('..') && home !== '.'
      } catch {
        return true // refused, which is safe too
      }
    }),
  )
})
