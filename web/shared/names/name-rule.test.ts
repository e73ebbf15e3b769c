import t from 'tap'
import { fileExtension, nameError } from './name-rule.ts'

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
