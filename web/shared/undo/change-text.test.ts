import t from 'tap'
import { quoted } from './change-text.ts'

t.test('a name in a sentence cannot change the order of the words around it', async (t) => {
  t.equal(quoted('a.txt'), '\u2068a.txt\u2069')
  t.equal(quoted('a\u2069b\u2066c'), '\u2068a␦b␦c\u2069')
})

t.test('the middle of a long name in a sentence is left out', async (t) => {
  const text = quoted(`${'a'.repeat(30)}${'😀'.repeat(30)}`)
  t.equal(text, `\u2068${'a'.repeat(20)}…${'😀'.repeat(20)}\u2069`)
})
