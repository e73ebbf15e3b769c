import t from 'tap'
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
