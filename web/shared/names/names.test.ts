import t from 'tap'
import { folderNames } from './folder-names.ts'
import { freeName } from './free-name.ts'
import { fileExtension, nameError } from './name-rule.ts'
import { stemLength } from './stem.ts'

t.test('puts the number of a copy before the file extension', async (t) => {
  t.equal(freeName('/docs/a.txt', 1), '/docs/a (1).txt')
  t.equal(freeName('/a.b/c', 2), '/a.b/c (2)')
  t.equal(freeName('/.hidden', 1), '/.hidden (1)')
  t.equal(freeName('/x.tar.gz', 3), '/x (3).tar.gz')
  t.equal(freeName('v1.2', 1, true), 'v1.2 (1)')
})

t.test('rejects only names that file systems cannot store', async (t) => {
  const fine = ['a b#?%.txt', '🎉 <b>', 'مرحبا', '...', '.hidden', 'x'.repeat(255), '']
  for (const name of fine) t.equal(nameError(name), undefined, JSON.stringify(name))
  const wrong = ['.', '..', 'a/b', 'a\\b', 'tab\there', 'x'.repeat(256), '🎉'.repeat(64)]
  for (const name of wrong) t.ok(nameError(name), JSON.stringify(name.slice(0, 20)))
})

t.test('finds the file extension that programs use', async (t) => {
  t.equal(fileExtension('a.TXT'), '.txt')
  t.equal(fileExtension('.bashrc'), '')
  t.equal(fileExtension('dot.'), '')
  t.equal(fileExtension('README'), '')
})

t.test('the stem of a name ends before the file extension', async (t) => {
  const selected = (name: string, isDir = false) => name.slice(0, stemLength(name, isDir))
  t.equal(selected('holiday.jpg'), 'holiday')
  t.equal(selected('back.up.tar.gz'), 'back.up')
  t.equal(selected('.bashrc'), '.bashrc')
  t.equal(selected('README'), 'README')
  t.equal(selected('v1.2', true), 'v1.2')
})

t.test('the folders of a listing are sorted by name, even if the listing has another order', async (t) => {
  const items = ['a', 'b', 'c 2', 'c 10'].map((name) => ({ name, isDir: true, type: '' as const }))
  const names = items.map(({ name }) => name)
  const file = { name: 'a.txt', isDir: false, type: 'text' as const }
  const link = { name: 'broken', isDir: true, type: 'invalid_link' as const }
  const listed = (by: string, asc: boolean, order = items) =>
    folderNames({ items: [...order, file, link], sorting: { by, asc } }, 'en')
  t.same(listed('name', false), names)
  t.same(listed('name', true, items.toReversed()), names)
  t.same(listed('size', true), names)
  for (const by of ['modified', 'taken']) t.same(listed(by, true, items.toReversed()), names, by)
})
