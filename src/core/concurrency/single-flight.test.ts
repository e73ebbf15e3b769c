import t from 'tap'
import { createSingleFlight } from './keyed-lock.ts'

const never = new AbortController().signal

t.test('concurrent calls for a key share one run', async (t) => {
  const share = createSingleFlight<number>()
  const { promise, resolve } = Promise.withResolvers<number>()
  let runs = 0
  const make = () => {
    runs++
    return promise
  }
  const both = [share('a', never, make), share('a', never, make)]
  const other = share('b', never, async () => 2)
  resolve(1)
  t.strictSame(await Promise.all(both), [1, 1])
  t.equal(await other, 2)
  t.equal(runs, 1)
  t.equal(await share('a', never, async () => 3), 3, 'a later call runs again')
})

t.test('a caller that aborts does not abort the run of the others, the last one does', async (t) => {
  const share = createSingleFlight<number>()
  const { promise, resolve } = Promise.withResolvers<number>()
  let given: AbortSignal | undefined
  const make = (signal: AbortSignal) => {
    given = signal
    return promise
  }
  const [first, second] = [new AbortController(), new AbortController()]
  const one = share('a', first.signal, make)
  const two = share('a', second.signal, make)
  first.abort(new Error('left'))
  await t.rejects(one, { message: 'left' })
  t.notOk(given?.aborted)
  second.abort(new Error('left, too'))
  await t.rejects(two, { message: 'left, too' })
  t.ok(given?.aborted)
  const again = share('a', never, async () => 5)
  resolve(1)
  t.equal(await again, 5, 'an aborted run is not shared with later callers')
})

t.test('all callers receive the error of a run, and the next call runs again', async (t) => {
  const share = createSingleFlight<number>()
  const fail = async () => {
    throw new Error('no')
  }
  const both = [share('a', never, fail), share('a', never, fail)]
  for (const one of both) await t.rejects(one, { message: 'no' })
  t.equal(await share('a', never, async () => 1), 1)
})
