import fc from 'fast-check'
import t from 'tap'
import { locales } from '#contract/users.ts'
import { naturalKey, naturalOrder } from './natural-order.ts'

const order = (language: string) => {
  const compare = naturalOrder(language)
  return (a: string, b: string) => compare(a, b, { a: naturalKey(a), b: naturalKey(b) })
}

t.test('names are in the order of a dictionary, and numbers in them count', async (t) => {
  const wanted = ['2.txt', '10.txt', 'a', 'A1', 'a02', 'a2', 'a10', 'b', 'é', 'z']
  t.strictSame(wanted.toReversed().toSorted(order('en')), [
    '2.txt',
    '10.txt',
    'a',
    'A1',
    'a02',
    'a2',
    'a10',
    'b',
    'é',
    'z',
  ])
})

t.test('names of plain characters are ordered as the collator orders them, without asking it', async (t) => {
  const plain = fc.string({
    unit: fc.constantFrom(..." _-,.()[]&+#~$%!@'0123456789001aAbBzZfile"),
    maxLength: 12,
  })
  const any = fc.oneof(
    { weight: 6, arbitrary: plain },
    fc.string({ unit: 'binary-ascii', maxLength: 6 }),
    fc.string({ maxLength: 6 }),
  )
  for (const language of locales) {
    const collator = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
    const wanted = (a: string, b: string) => collator.compare(a, b) || (a < b ? -1 : Number(a !== b))
    const ours = order(language)
    fc.assert(
      fc.property(any, any, (a, b) => Math.sign(ours(a, b)) === Math.sign(wanted(a, b))),
      { numRuns: 3000 },
    )
  }
  t.type(naturalKey('file 1.txt'), 'string')
  t.equal(naturalKey('é'), undefined)
  t.equal(naturalKey('1'.repeat(300)), undefined)
})

t.test('letters are where the language has them', async (t) => {
  t.strictSame(['ö', 'z', 'a'].toSorted(order('de')), ['a', 'ö', 'z'])
  t.strictSame(['ö', 'z', 'a'].toSorted(order('sv-se')), ['a', 'z', 'ö'])
  t.strictSame(['li', 'łan', 'lz'].toSorted(order('pl')), ['li', 'lz', 'łan'])
})
