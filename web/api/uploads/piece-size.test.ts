import t from 'tap'
import { createPieceSizes, halvePieces, proxyLimit } from './piece-size.ts'

const mega = 1024 * 1024
const standard = 10 * mega

t.test('a piece is as large as five seconds carry at the rate of the last piece', async (t) => {
  const sizes = createPieceSizes(standard)
  t.equal(sizes.next(), 16 * mega, 'the rate of the first piece is unknown')
  sizes.record(16 * mega, 200)
  t.equal(sizes.next(), 400 * mega)
  sizes.record(400 * mega, 200_000)
  t.equal(sizes.next(), 10 * mega)
  sizes.record(10, 1000)
  t.equal(sizes.next(), 10 * mega, 'a very short piece says nothing about the rate')
  sizes.record(mega, 100_000)
  t.equal(sizes.next(), mega / 4, 'the smallest piece')
  t.equal(createPieceSizes(standard).next(), mega / 4, 'the next file begins at this rate')
  sizes.record(100 * mega, 100)
  t.equal(createPieceSizes(standard).next(), 16 * mega, 'but with at most 16 MiB')
})

t.test('a changed setting and the limit of a proxy limit every piece', async (t) => {
  const found: number[] = []
  proxyLimit.onChange = (bytes) => found.push(bytes)
  const sizes = createPieceSizes(mega)
  t.equal(sizes.next(), mega)
  sizes.record(400 * mega, 1000)
  t.equal(sizes.next(), mega)
  t.ok(halvePieces(3 * mega))
  t.equal(sizes.next(), mega)
  t.ok(halvePieces(mega))
  t.equal(sizes.next(), mega / 2)
  t.ok(halvePieces(100 * mega), 'a piece that was begun before')
  t.equal(sizes.next(), mega / 2)
  t.ok(halvePieces(mega / 2))
  t.notOk(halvePieces(mega / 4))
  t.equal(createPieceSizes(standard).next(), mega / 4)
  t.same(found, [1.5 * mega, mega / 2, mega / 2, mega / 4])
})
