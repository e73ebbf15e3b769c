import t from 'tap'
import { createSteadyClock, isFuture } from './clock.ts'

const hour = 60 * 60_000

/** The two clocks of a computer, set by the test. */
function createComputer(at = 1_800_000_000_000) {
  let [time, passed] = [at, 5]
  return {
    sources: { wall: () => time, elapsed: () => passed },
    /** Advances both clocks. */
    wait(ms: number) {
      time += ms
      passed += ms
    },
    /** Changes the time of day. */
    set(by: number) {
      time += by
    },
  }
}

t.test('follows the time of day when it is set ahead', async (t) => {
  const { sources, wait, set } = createComputer()
  const clock = createSteadyClock(sources)
  t.equal(clock.now(), sources.wall())
  wait(1500)
  t.equal(clock.now(), sources.wall())
  set(1000 * hour)
  t.equal(clock.now(), sources.wall())
  t.equal(clock.behind(), 0)
})

t.test(
  'when the time of day is set back, the clock runs at half speed until the time of day has caught up',
  async (t) => {
    const { sources, wait, set } = createComputer()
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
  },
)

t.test('frequent calls do not stop the clock at half speed', async (t) => {
  const { sources, wait, set } = createComputer()
  const clock = createSteadyClock(sources)
  const start = clock.now()
  set(-hour)
  for (let n = 0; n < 1000; n++) {
    wait(1)
    clock.now()
  }
  t.equal(clock.now(), start + 500)
})

t.test('the clock never goes back, however the time of day is set', async (t) => {
  const { sources, wait, set } = createComputer()
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

t.test('a time more than a minute ahead is in the future', async (t) => {
  t.notOk(isFuture(1000 + 60_000, 1000))
  t.ok(isFuture(1001 + 60_000, 1000))
  t.notOk(isFuture(0, 1000))
})
