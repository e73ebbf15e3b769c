import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createGate, createLocks } from './lock.ts'

t.test('the holder of a key is alone, and those who wait come in the order they asked', async (t) => {
  const locks = createLocks()
  const steps: string[] = []
  const work = (name: string) =>
    locks.run('a', async () => {
      steps.push(`${name} in`)
      await turn()
      await turn()
      steps.push(`${name} out`)
      return name
    })
  t.strictSame(await Promise.all([work('1'), work('2'), work('3')]), ['1', '2', '3'])
  t.strictSame(steps, ['1 in', '1 out', '2 in', '2 out', '3 in', '3 out'])
})

t.test('different keys do not wait for each other', async (t) => {
  const locks = createLocks()
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = locks.run('a', () => promise)
  t.equal(await locks.run('b', async () => 'done'), 'done')
  resolve()
  await held
})

t.test('a holder that fails lets the next one in', async (t) => {
  const locks = createLocks()
  const failing = locks.run('a', async () => {
    throw new Error('no')
  })
  const next = locks.run('a', async () => 'in')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'in')
  t.equal(await locks.run('a', async () => 'again'), 'again')
})

t.test('a gate lets a few in, makes a few wait and turns the rest away at once', async (t) => {
  const enter = createGate(2, 3)
  let inside = 0
  let most = 0
  const open = Promise.withResolvers<void>()
  const visits = Array.from({ length: 8 }, (_, n) =>
    enter(async () => {
      most = Math.max(most, ++inside)
      await open.promise
      inside--
      return n
    }),
  )
  t.strictSame(await Promise.all(visits.slice(5)), [undefined, undefined, undefined])
  open.resolve()
  t.strictSame(await Promise.all(visits), [0, 1, 2, 3, 4, undefined, undefined, undefined])
  t.equal(most, 2)
})

t.test('a failure inside a gate frees its place', async (t) => {
  const enter = createGate(1, 1)
  const failing = enter(async () => {
    throw new Error('no')
  })
  const next = enter(async () => 'in')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'in')
  t.equal(await enter(async () => 'again'), 'again')
})
