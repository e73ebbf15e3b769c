import t from 'tap'
import { createRateLimiter } from './rate-limiter.ts'

/** A rate limiter under a clock that the test sets. `passed` counts how many of `many` requests in a row pass. */
function createRate(perSecond: number) {
  let now = 1_700_000_000_000
  const { take } = createRateLimiter(perSecond, () => now)
  const passed = (many: number, who = 'a') => {
    for (let n = 0; n < many; n++) {
      try {
        take(who)
      } catch {
        return n
      }
    }
    return many
  }
  const advance = (ms: number) => {
    now += ms
  }
  return { take, passed, advance }
}

t.test(
  'allows a burst of twenty seconds of requests, and then the configured number per second',
  async (t) => {
    const { passed, advance } = createRate(5)
    t.equal(passed(1000), 100)
    t.equal(passed(1), 0)
    advance(1000)
    t.equal(passed(1000), 5)
    t.equal(passed(1000, 'b'), 100, 'each key has a limit of its own')
    advance(20_000)
    t.equal(passed(1000), 100)
  },
)

t.test(
  'refuses a request over the limit with the seconds to wait, and accepts it after that time',
  async (t) => {
    const { take, passed, advance } = createRate(0.25)
    t.equal(passed(1000), 5)
    t.throws(() => take('a'), { code: 'request.limited', status: 429, details: { seconds: 4 } })
    t.throws(() => take('a'), { code: 'request.limited', details: { seconds: 4 } }) // a refused request does not count
    advance(4000)
    t.equal(passed(2), 1)
  },
)

t.test('a clock that is set back or ahead refuses no request', async (t) => {
  const { passed, advance } = createRate(5)
  t.equal(passed(1000), 100)
  advance(-365 * 24 * 60 * 60_000)
  t.equal(passed(1000), 100)
  advance(2 * 365 * 24 * 60 * 60_000)
  t.equal(passed(1000), 100)
})

t.test('a flood from many networks does not exhaust the memory', async (t) => {
  const { take, passed } = createRate(5)
  for (let n = 0; n < 50_000; n++) take(`network ${n}`)
  t.equal(passed(1000), 100)
})

t.test('an infinite rate refuses no request', async (t) => {
  t.equal(createRate(Number.POSITIVE_INFINITY).passed(100_000), 100_000)
})
