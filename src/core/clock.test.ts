import t from 'tap'
import { createSteadyClock, isFuture } from './clock.ts'

const hour = 60 * 60_000

/** The two clocks of a computer, moved by hand. */
function computer(at = 1_800_000_000_000) {
  let [time, passed] = [at, 5]
  return {
    sources: { wall: () => time, elapsed: () => passed },
    /** Time passes. */
    wait(ms: number) {
      time += ms
      passed += ms
    },
    /** Somebody sets the clock. */
    set(by: number) {
      time += by
    },
  }
}

t.test('the clock is the time of day, and follows it ahead', async (t) => {
  const { sources, wait, set } = computer()
  const clock = createSteadyClock(sources)
  t.equal(clock.now(), sources.wall())
  wait(1500)
  t.equal(clock.now(), sources.wall())
  set(1000 * hour)
  t.equal(clock.now(), sources.wall())
  t.equal(clock.behind(), 0)
})

t.test('set back, the clock goes on at half the speed until the time of day has caught up', async (t) => {
  const { sources, wait, set } = computer()
  const clock = createSteadyClock(sources)
  const start = clock.now()
  set(-hour)
  t.equal(clock.now(), start)
  t.equal(clock.behind(), hour)
  wait(hour)
  t.equal(clock.now(), start + hour / 2)
  t.equal(clock.behind(), hour / 2)
  wait(hour)
  t.equal(clock.now(), start + hour)
  t.equal(clock.now(), sources.wall())
  wait(hour)
  t.equal(clock.now(), sources.wall())
})

t.test('asked often, the clock that waits still goes on', async (t) => {
  const { sources, wait, set } = computer()
  const clock = createSteadyClock(sources)
  const start = clock.now()
  set(-hour)
  for (let n = 0; n < 1000; n++) {
    wait(1)
    clock.now()
  }
  t.equal(clock.now(), start + 500)
})

t.test('the clock never goes back, whatever is set', async (t) => {
  const { sources, wait, set } = computer()
  const clock = createSteadyClock(sources, sources.wall() + hour)
  let last = clock.now()
  for (const by of [-1, 5000, -3 * hour, hour, -hour / 3, 10 * hour, -9 * hour, Number.NaN, 0, -1]) {
    if (Number.isNaN(by)) wait(7 * hour)
    else set(by)
    const now = clock.now()
    t.ok(now >= last, `${by}`)
    last = now
  }
  clock.jump()
  t.equal(clock.now(), sources.wall())
})

t.test('a time is of the future when it lies more than a minute ahead', async (t) => {
  t.notOk(isFuture(1000 + 60_000, 1000))
  t.ok(isFuture(1001 + 60_000, 1000))
  t.notOk(isFuture(0, 1000))
})
