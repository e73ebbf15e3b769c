import fc from 'fast-check'
import t from 'tap'
import { checkName, homeName, nameKey } from './user-names.ts'

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
    t.equal(nameKey(left), nameKey(right), `${left} and ${right}`)
  }
  t.not(nameKey('anna'), nameKey('änna'))
  t.not(nameKey('anna b'), nameKey('annab'))
})

t.test('nameKey is idempotent', async () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => nameKey(nameKey(name)) === nameKey(name)))
})

t.test('stores a user name as written, composed and without surrounding spaces', async (t) => {
  t.equal(checkName(' Jürgen O’Brien '), 'Jürgen O’Brien')
  t.equal(checkName('a\u0308'), 'ä')
  t.equal(checkName('a-b-'), 'a-b-')
  t.equal(checkName('日本語'), '日本語')
  t.equal(checkName('Иван 2'), 'Иван 2')
  t.equal(checkName('Anna 田中'), 'Anna 田中')
  t.equal(checkName('x'.repeat(64)), 'x'.repeat(64))
  t.equal(checkName('😀'.repeat(64)).length, 128, 'counts characters, not code units')
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
    t.throws(() => checkName(name), { code: 'user.name' }, encodeURIComponent(name))
  }
  t.throws(() => checkName('x'.repeat(65)), { code: 'user.name' })
  t.throws(() => checkName('lone\ud800'), { code: 'user.name' })
})

t.test("the home folder of a user has the user's name in plain characters", async (t) => {
  for (const [name, home] of [
    ['bob smith..', 'bob-smith'],
    ['anna@example.org', 'anna@example.org'],
    ['../../etc', '-etc'],
    ['a/b\\c', 'a-b-c'],
    ['ä--ö', '-'],
  ] as const) {
    if (home === '-') t.throws(() => homeName(name), { code: 'user.name' })
    else t.equal(homeName(name), home)
  }
})

t.test('no hostile user name leads to a home folder outside its parent', async () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('.', '/', '\\', ' ', 'a', '-', '\0', 'ä') }), (name) => {
      try {
        const home = homeName(name)
        return /^[0-9A-Za-z@_.-]+$/.test(home) && !home.includes('..') && home !== '.'
      } catch {
        return true // refused, which is safe too
      }
    }),
  )
})
