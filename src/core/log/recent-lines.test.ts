import t from 'tap'
import { createRecentLines } from './recent-lines.ts'

t.test('keeps the last lines, up to a number of lines and of characters', async (t) => {
  const few = createRecentLines({ lines: 3, chars: 1000 })
  for (const line of ['a', 'b', 'c', 'd']) few.add(line)
  t.strictSame(few.all(), ['b', 'c', 'd'])
  const short = createRecentLines({ lines: 100, chars: 40 })
  for (const line of ['x'.repeat(1000), 'first', 'second', 'y'.repeat(9), 'z'.repeat(9)]) short.add(line)
  t.strictSame(
    short.all(),
    ['x'.repeat(10), 'first', 'second', 'y'.repeat(9), 'z'.repeat(9)],
    'a long line is truncated',
  )
  short.add('last')
  t.equal(short.all()[0], 'first', 'the oldest line is dropped')
})
