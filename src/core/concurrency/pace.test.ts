import t from 'tap'
import { createPace, partBytes } from './pace.ts'

/** A rate limit whose time stands still, and the waits for which it asked, in milliseconds. */
function standing(bytesPerSecond: number) {
  const waits: number[] = []
  const wait = async (delayMs: number) => void waits.push(delayMs)
  return { pace: createPace(bytesPerSecond, { now: () => 0, wait }), waits }
}

t.test('transfers that share a rate take turns, in the order in which they asked', async (t) => {
  const { pace, waits } = standing(1_000_000)
  await Promise.all([pace(20_000), pace(30_000), pace(10_000)])
  t.same(waits, [20, 50, 60])
})

t.test('a large transfer asks for small parts, so that others get their turn in between', async (t) => {
  const { pace, waits } = standing(100_000)
  await Promise.all([pace(30_000), pace(10_000)])
  t.same(
    waits.map((wait) => Math.round(wait)),
    [100, 200, 300, 400],
  )
  t.same([16_384, 1_000_000_000].map(partBytes), [1638, 65_536])
})

t.test('a transfer that is aborted does not wait any longer', async (t) => {
  const pace = createPace(1024)
  const controller = new AbortController()
  const waiting = pace(1_000_000, controller.signal)
  controller.abort(new Error('gone'))
  await t.rejects(waiting)
})

t.test('transfers that are aborted while they wait cost the others no time', async (t) => {
  const { pace, waits } = standing(1_000_000)
  const controller = new AbortController()
  const first = pace(20_000)
  const aborted = Array.from({ length: 100 }, () => pace(60_000, controller.signal))
  const lastOne = pace(10_000)
  controller.abort(new Error('gone'))
  await Promise.all([first, lastOne, ...aborted.map((one) => t.rejects(one))])
  t.same(waits, [20, 30])
})
