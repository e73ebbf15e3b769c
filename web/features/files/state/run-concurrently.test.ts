import t from 'tap'
import { runConcurrently } from './run-concurrently.ts'

t.test('runs four tasks at a time, and starts no further task after a failure', async (t) => {
  const started: number[] = []
  let atOnce = 0
  let most = 0
  const work = runConcurrently([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], async (one) => {
    started.push(one)
    most = Math.max(most, ++atOnce)
    await new Promise(setImmediate)
    atOnce--
    if (one === 2) throw new Error('refused')
    return true
  })
  await t.rejects(work, { message: 'refused' })
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  t.equal(most, 4)
  t.strictSame(started, [1, 2, 3, 4, 5])
})
