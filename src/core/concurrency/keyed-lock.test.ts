import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { unconditional } from '#src/core/problem.ts'
import { createKeyedLock } from './keyed-lock.ts'

t.test('runs the tasks of a key one at a time, in the order of the calls', async (t) => {
  const locks = createKeyedLock()
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

t.test('tasks of different keys do not wait for each other', async (t) => {
  const locks = createKeyedLock()
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = locks.run('a', unconditional, () => promise)
  t.equal(await locks.run('b', unconditional, async () => 'done'), 'done')
  resolve()
  await held
})

t.test('a task that fails releases the key', async (t) => {
  const locks = createKeyedLock()
  const failing = locks.run('a', unconditional, async () => {
    throw new Error('no')
  })
  const next = locks.run('a', unconditional, async () => 'in')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'in')
  t.equal(await locks.run('a', unconditional, async () => 'again'), 'again')
})

t.test('does not run a waiting task whose recheck fails', async (t) => {
  const locks = createKeyedLock()
  const open = Promise.withResolvers<void>()
  let isRevoked = false
  const done: string[] = []
  const recheck = () => {
    if (isRevoked) throw new Error('gone')
  }
  const first = locks.run('a', recheck, () => open.promise)
  const waiting = Promise.allSettled(
    [1, 2].map(() => locks.run('a', recheck, async () => void done.push('ran'))),
  )
  await turn()
  isRevoked = true
  open.resolve()
  await first
  for (const one of await waiting) t.match(one, { status: 'rejected', reason: { message: 'gone' } })
  t.strictSame(done, [])
  t.equal(await locks.run('a', unconditional, async () => 'in'), 'in', 'the next task can acquire the key')
})

t.test('a task that takes over a key aborts the holder, and runs when the holder has ended', async (t) => {
  const locks = createKeyedLock()
  const steps: string[] = []
  const holder = locks.run('a', unconditional, async (signal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    await turn()
    steps.push(`holder ended: ${(signal.reason as Error).message}`)
  })
  await turn()
  t.ok(locks.isHeld('a'))
  const why = new Error('taken over')
  t.equal(await locks.takeOver('a', { why, recheck: unconditional }, async () => steps.push('in')), 2)
  await holder
  t.strictSame(steps, ['holder ended: taken over', 'in'])
  t.notOk(locks.isHeld('a'))
  await t.rejects(
    locks.takeOver(
      'a',
      {
        why,
        recheck: () => {
          throw new Error('gone')
        },
      },
      async () => 'in',
    ),
    { message: 'gone' },
  )
  t.notOk(locks.isHeld('a'), 'a refused task does not hold the key')
  const late = locks.run('a', unconditional, async () => 'late')
  const over = locks.takeOver('a', { why, recheck: unconditional }, async () => 'over')
  await t.rejects(late, { message: 'taken over' }, 'a task that has not started does not start')
  t.equal(await over, 'over')
})
