import t from 'tap'
import { fourAtOnce } from './four-at-once.ts'

t.test('four tasks run at once, and after one has failed no further one begins', async (t) => {
  const begun: number[] = []
  let atOnce = 0
  let most = 0
  const work = fourAtOnce([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], async (one) => {
    begun.push(one)
    most = Math.max(most, ++atOnce)
    await new Promise(setImmediate)
    atOnce--
    if (one === 2) throw new Error('refused')
    return true
  })
  await t.rejects(work, { message: 'refused' })
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  t.equal(most, 4)
  t.strictSame(begun, [1, 2, 3, 4, 5])
})
