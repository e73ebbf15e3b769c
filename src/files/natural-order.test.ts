import fc from 'fast-check'
import t from 'tap'
import { compareNatural, naturalKey } from './natural-order.ts'

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const byCollator = (a: string, b: string) => collator.compare(a, b) || (a < b ? -1 : Number(a !== b))
const byKeys = (a: string, b: string) => compareNatural(a, b, { a: naturalKey(a), b: naturalKey(b) })

t.test('names are in the order of a dictionary, and numbers in them count', async (t) => {
  const wanted = ['2.txt', '10.txt', 'a', 'A1', 'a02', 'a2', 'a10', 'b', 'é', 'z']
  t.strictSame(wanted.toReversed().toSorted(byKeys), [
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
  fc.assert(
    fc.property(any, any, (a, b) => Math.sign(byKeys(a, b)) === Math.sign(byCollator(a, b))),
    { numRuns: 20_000 },
  )
  t.type(naturalKey('file 1.txt'), 'string')
  t.equal(naturalKey('é'), undefined)
  t.equal(naturalKey('1'.repeat(300)), undefined)
})
