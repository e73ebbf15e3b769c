import t from 'tap'
import { textOf } from './text-of.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

t.test('only UTF-8 without null characters counts as text', async (t) => {
  t.equal(textOf(bytes('größe\n'), true), 'größe\n')
  t.equal(textOf(new Uint8Array(), true), '')
  t.equal(textOf(bytes('a\0b'), true), undefined)
  t.equal(textOf(new Uint8Array([0x66, 0xff, 0x66]), true), undefined)
})

t.test('a character that the limit cuts in two is left out', async (t) => {
  const cut = bytes('größe').subarray(0, 3)
  t.equal(textOf(cut, false), 'gr')
  t.equal(textOf(cut, true), undefined, 'at the end of a whole file it is an error')
})
