import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { unconditional } from '#src/core/recheck.ts'
import { createGate, createLocks } from './keyed-lock.ts'

t.test('the holder of a key is alone, and those who wait come in the order they asked', async (t) => {
  const locks = createLocks()
  const steps: string[] = []
  const work = (name: string) =>
    locks.run('a', unconditional, async () => {
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
  const held = locks.run('a', unconditional, () => promise)
  t.equal(await locks.run('b', unconditional, async () => 'done'), 'done')
  resolve()
  await held
})

t.test('a holder that fails lets the next one in', async (t) => {
  const locks = createLocks()
  const failing = locks.run('a', unconditional, async () => {
    throw new Error('no')
  })
  const next = locks.run('a', unconditional, async () => 'in')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'in')
  t.equal(await locks.run('a', unconditional, async () => 'again'), 'again')
})

t.test('a gate lets a few in, makes a few wait and turns the rest away at once', async (t) => {
  const enter = createGate(2, 3)
  let inside = 0
  let most = 0
  const open = Promise.withResolvers<void>()
  const visits = Array.from({ length: 8 }, (_, n) =>
    enter(unconditional, async () => {
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
  const failing = enter(unconditional, async () => {
    throw new Error('no')
  })
  const next = enter(unconditional, async () => 'in')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'in')
  t.equal(await enter(unconditional, async () => 'again'), 'again')
})

t.test('what waits for a lock or a gate is not done when its right has gone meanwhile', async (t) => {
  const locks = createLocks()
  const enter = createGate(1, 9)
  const open = Promise.withResolvers<void>()
  let isGone = false
  const done: string[] = []
  const recheck = () => {
    if (isGone) throw new Error('gone')
  }
  const first = [locks.run('a', recheck, () => open.promise), enter(recheck, () => open.promise)]
  const waiting = Promise.allSettled([
    ...[1, 2].map(() => locks.run('a', recheck, async () => void done.push('lock'))),
    ...[1, 2].map(() => enter(recheck, async () => void done.push('gate'))),
  ])
  await turn()
  isGone = true
  open.resolve()
  await Promise.all(first)
  for (const one of await waiting) t.match(one, { status: 'rejected', reason: { message: 'gone' } })
  t.strictSame(done, [])
  t.equal(
    await locks.run('a', unconditional, async () => 'in'),
    'in',
    'the next one is not in the way of the refused',
  )
  t.equal(await enter(unconditional, async () => 'in'), 'in')
})
