import t from 'tap'
import { createPace } from './pace.ts'

/** Sends pieces to a client that takes `waitMs` for each, after `workMs` of compression. Returns the levels. */
async function levelsOf(pieces: readonly { workMs: number; waitMs: number }[]): Promise<number[]> {
  let time = 0
  const pace = createPace(() => time)
  const levels: number[] = []
  for (const { workMs, waitMs } of pieces) {
    levels.push(pace.level())
    time += workMs
    await pace.timed(async () => {
      time += waitMs
    })
  }
  return levels
}

const repeat = (count: number, workMs: number, waitMs: number) =>
  Array.from({ length: count }, () => ({ workMs, waitMs }))

t.test('an archive is compressed faster for a client that is faster than the compression', async (t) => {
  t.strictSame(await levelsOf(repeat(5, 200, 1)), [6, 3, 1, 1, 1])
})

t.test('an archive for a slow client is as small as possible', async (t) => {
  t.strictSame(await levelsOf(repeat(4, 1, 300)), [6, 6, 6, 6])
})

t.test('the level follows a network that becomes slow, and keeps while both take time', async (t) => {
  t.strictSame(
    await levelsOf([...repeat(3, 200, 1), ...repeat(3, 10, 500), ...repeat(3, 150, 150)]),
    [6, 3, 1, 1, 3, 6, 6, 6, 6],
  )
  t.strictSame(await levelsOf([...repeat(1, 200, 1), ...repeat(3, 150, 150)]), [6, 3, 3, 3])
})

t.test('a short archive is sent with the best level', async (t) => {
  t.strictSame(await levelsOf(repeat(10, 15, 1)), Array(10).fill(6))
})
