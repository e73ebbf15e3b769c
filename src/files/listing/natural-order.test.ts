import fc from 'fast-check'
import t from 'tap'
import { locales } from '#contract/schema/locales.ts'
import { naturalKey, naturalOrder } from './natural-order.ts'

const order = (language: string) => {
  const compare = naturalOrder(language)
  return (a: string, b: string) => compare(a, b, { a: naturalKey(a), b: naturalKey(b) })
}

t.test('sorts names alphabetically, and numbers in them by value', async (t) => {
  const expected = ['2.txt', '10.txt', 'a', 'A1', 'a02', 'a2', 'a10', 'b', 'é', 'z']
  t.strictSame(expected.toReversed().toSorted(order('en')), [
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

t.test('sorts ASCII names by their keys in the same order as the collator', async (t) => {
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
    const expected = (a: string, b: string) => collator.compare(a, b) || (a < b ? -1 : Number(a !== b))
    const actual = order(language)
    fc.assert(
      fc.property(any, any, (a, b) => Math.sign(actual(a, b)) === Math.sign(expected(a, b))),
      { numRuns: 3000 },
    )
  }
  t.type(naturalKey('file 1.txt'), 'string')
  t.equal(naturalKey('é'), undefined)
  t.equal(naturalKey('1'.repeat(300)), undefined)
})

t.test('sorts letters in the order of the language', async (t) => {
  t.strictSame(['ö', 'z', 'a'].toSorted(order('de')), ['a', 'ö', 'z'])
  t.strictSame(['ö', 'z', 'a'].toSorted(order('sv-se')), ['a', 'z', 'ö'])
  t.strictSame(['li', 'łan', 'lz'].toSorted(order('pl')), ['li', 'lz', 'łan'])
})
