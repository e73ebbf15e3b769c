import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { createSemaphore } from './semaphore.ts'

t.test('grants as many permits as the limit, and one more for each release', async (t) => {
  const semaphore = createSemaphore(2)
  const { tryAcquire } = semaphore
  const release = tryAcquire()
  t.ok(release)
  t.equal(semaphore.free, 1)
  t.ok(tryAcquire())
  t.equal(tryAcquire(), undefined)
  release?.()
  t.ok(tryAcquire())
  t.equal(tryAcquire(), undefined)
})

t.test('serves waiting requests in order, before later requests', async (t) => {
  const { acquire, tryAcquire } = createSemaphore(1)
  const first = await acquire()
  const order: number[] = []
  const waiting = [1, 2, 3].map(async (one) => {
    const release = await acquire()
    order.push(one)
    await setImmediate()
    release()
  })
  t.equal(tryAcquire(), undefined)
  first()
  t.equal(tryAcquire(), undefined, 'the released permit belongs to the request that waited')
  await Promise.all(waiting)
  t.strictSame(order, [1, 2, 3])
  t.ok(tryAcquire())
})

t.test('a permit that is released twice counts once', async (t) => {
  const { tryAcquire } = createSemaphore(1)
  const release = tryAcquire()
  release?.()
  release?.()
  t.ok(tryAcquire())
  t.equal(tryAcquire(), undefined)
})
