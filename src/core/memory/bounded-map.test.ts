import t from 'tap'
import { setBounded } from './bounded-map.ts'

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
