import t from 'tap'
import { freeName } from './free-name.ts'

t.test('puts the number of a copy before the file extension', async (t) => {
  t.equal(freeName('/docs/a.txt', 1), '/docs/a (1).txt')
  t.equal(freeName('/a.b/c', 2), '/a.b/c (2)')
  t.equal(freeName('/.hidden', 1), '/.hidden (1)')
  t.equal(freeName('/x.tar.gz', 3), '/x (3).tar.gz')
  t.equal(freeName('v1.2', 1, true), 'v1.2 (1)')
})
