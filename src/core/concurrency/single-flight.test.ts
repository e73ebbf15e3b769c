import t from 'tap'
import { createSingleFlight } from './single-flight.ts'

const never = new AbortController().signal

t.test('who wants the same at the same time shares one making of it', async (t) => {
  const together = createSingleFlight<number>()
  const { promise, resolve } = Promise.withResolvers<number>()
  let made = 0
  const make = () => {
    made++
    return promise
  }
  const both = [together('a', never, make), together('a', never, make)]
  const other = together('b', never, async () => 2)
  resolve(1)
  t.strictSame(await Promise.all(both), [1, 1])
  t.equal(await other, 2)
  t.equal(made, 1)
  t.equal(await together('a', never, async () => 3), 3, 'later it is made anew')
})

t.test('one who leaves does not take it away from the others; the last one does', async (t) => {
  const together = createSingleFlight<number>()
  const { promise, resolve } = Promise.withResolvers<number>()
  let given: AbortSignal | undefined
  const make = (signal: AbortSignal) => {
    given = signal
    return promise
  }
  const [first, second] = [new AbortController(), new AbortController()]
  const one = together('a', first.signal, make)
  const two = together('a', second.signal, make)
  first.abort(new Error('left'))
  await t.rejects(one, { message: 'left' })
  t.notOk(given?.aborted)
  second.abort(new Error('left, too'))
  await t.rejects(two, { message: 'left, too' })
  t.ok(given?.aborted)
  const again = together('a', never, async () => 5)
  resolve(1)
  t.equal(await again, 5, 'what nobody waited for is nobody else’s answer')
})

t.test('a failure is the answer to all, and is not remembered', async (t) => {
  const together = createSingleFlight<number>()
  const fail = async () => {
    throw new Error('no')
  }
  const both = [together('a', never, fail), together('a', never, fail)]
  for (const one of both) await t.rejects(one, { message: 'no' })
  t.equal(await together('a', never, async () => 1), 1)
})
