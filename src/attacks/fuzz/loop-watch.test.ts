import t from 'tap'
import { createLoopWatch } from './loop-watch.ts'

t.test('a turn of the event loop that takes too much processor time is a fault', async (t) => {
  let ms = 0
  const watch = createLoopWatch(() => ms)
  t.teardown(watch.close)
  watch.begin()
  for (let turn = 0; turn < 5; turn++) {
    ms += 150
    watch.sample()
  }
  t.equal(watch.fault(), undefined, 'many short turns are none')
  ms += 201
  t.match(watch.fault(), /blocks the event loop for 201 ms/)
  watch.begin()
  t.equal(watch.fault(), undefined)
})
