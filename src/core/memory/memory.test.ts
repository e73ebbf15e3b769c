import t from 'tap'
import { setBounded } from './bounded-map.ts'
import { cut, free } from './free.ts'

t.test('a bounded map keeps its newest entries', async (t) => {
  const map = new Map<string, number>()
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    setBounded(map, key, value, 2)
  t.same(
    [...map],
    [
      ['a', 3],
      ['c', 4],
    ],
    'an entry that is set again is the newest',
  )
})

t.test('the memory of freed arrays is gone at once', async (t) => {
  const arrays = [new Uint8Array(1000), new Uint8Array(10)]
  free(...arrays)
  t.strictSame(
    arrays.map(({ buffer }) => [buffer.byteLength, buffer.detached]),
    [
      [0, true],
      [0, true],
    ],
  )
})

t.test('an array is cut to its first bytes, and the old one has no memory any more', async (t) => {
  const whole = Uint8Array.from({ length: 1000 }, (_, at) => at)
  const begin = cut(whole, 3)
  t.strictSame([...begin], [0, 1, 2])
  t.equal(begin.buffer.byteLength, 3)
  t.ok(whole.buffer.detached)
})
