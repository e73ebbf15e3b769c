import t from 'tap'
import { createRateLimiter } from './rate-limiter.ts'

/** A rate under a clock that the test moves, and how many of some requests in a row it lets through. */
function rate(perSecond: number) {
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
  'the requests of twenty seconds may come at once, and then as many a second as are allowed',
  async (t) => {
    const { passed, advance } = rate(5)
    t.equal(passed(1000), 100)
    t.equal(passed(1), 0)
    advance(1000)
    t.equal(passed(1000), 5)
    t.equal(passed(1000, 'b'), 100, 'everybody is counted on their own')
    advance(20_000)
    t.equal(passed(1000), 100)
  },
)

t.test('who has asked too often is told when to come again, and may then', async (t) => {
  const { take, passed, advance } = rate(0.25)
  t.equal(passed(1000), 5)
  t.throws(() => take('a'), { code: 'request.limited', status: 429, details: { seconds: 4 } })
  t.throws(() => take('a'), { code: 'request.limited', details: { seconds: 4 } }) // what is refused is not counted
  advance(4000)
  t.equal(passed(2), 1)
})

t.test('a clock that is set back or ahead locks nobody out', async (t) => {
  const { passed, advance } = rate(5)
  t.equal(passed(1000), 100)
  advance(-365 * 24 * 60 * 60_000)
  t.equal(passed(1000), 100)
  advance(2 * 365 * 24 * 60 * 60_000)
  t.equal(passed(1000), 100)
})

t.test('a flood from many networks does not fill the memory', async (t) => {
  const { take, passed } = rate(5)
  for (let n = 0; n < 50_000; n++) take(`network ${n}`)
  t.equal(passed(1000), 100)
})

t.test('without a limit nobody is counted', async (t) => {
  t.equal(rate(Number.POSITIVE_INFINITY).passed(100_000), 100_000)
})
