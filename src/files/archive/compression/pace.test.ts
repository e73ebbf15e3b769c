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
  const levels = await levelsOf(repeat(20, 100, 1))
  t.strictSame([...new Set(levels)], [6, 3, 1])
  t.ok(levels.indexOf(1) <= 10, 'within a second')
})

t.test('an archive for a slow client is as small as possible', async (t) => {
  t.strictSame(await levelsOf(repeat(20, 1, 300)), Array(20).fill(6))
})

t.test('the level returns to the best one when the network becomes slow', async (t) => {
  const levels = await levelsOf([...repeat(20, 100, 1), ...repeat(20, 10, 100)])
  t.strictSame([...new Set(levels.slice(20))], [1, 3, 6])
  t.equal(levels.at(-1), 6)
})

t.test('the level does not follow the bursts of a slow network', async (t) => {
  const burst = [...repeat(3, 40, 1), ...repeat(1, 40, 400)]
  t.strictSame(new Set(await levelsOf(Array.from({ length: 20 }, () => burst).flat())), new Set([6]))
})

t.test('the level stays where compression and network take about the same time', async (t) => {
  const levels = await levelsOf([...repeat(6, 100, 1), ...repeat(30, 120, 80)])
  t.strictSame([...new Set(levels.slice(6))], [3])
})

t.test('a short archive is sent with the best level', async (t) => {
  t.strictSame(await levelsOf(repeat(10, 15, 1)), Array(10).fill(6))
})
