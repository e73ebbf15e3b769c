import t from 'tap'
import { createRunAgain } from './keyed-lock.ts'

t.test('calls during a run share one more run that begins after it', async (t) => {
  const runAgain = createRunAgain<number>()
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let runs = 0
  const work = async () => {
    const run = ++runs
    await gates[run - 1]?.promise
    return run
  }
  const first = runAgain('a', work)
  await new Promise(setImmediate)
  const [second, third] = [runAgain('a', work), runAgain('a', work)]
  await new Promise(setImmediate)
  t.equal(runs, 1)
  for (const gate of gates) gate.resolve()
  t.strictSame(await Promise.all([first, second, third]), [1, 2, 2])
})

t.test('a failed run fails only for its own callers', async (t) => {
  const runAgain = createRunAgain<string>()
  const failing = async () => {
    throw new Error('no')
  }
  await t.rejects(runAgain('a', failing), /no/)
  t.equal(await runAgain('a', async () => 'yes'), 'yes')
})

t.test('runs for different keys do not wait for each other', async (t) => {
  const runAgain = createRunAgain<string>()
  const gate = Promise.withResolvers<string>()
  const slow = runAgain('a', () => gate.promise)
  t.equal(await runAgain('b', async () => 'b'), 'b')
  gate.resolve('a')
  t.equal(await slow, 'a')
})
