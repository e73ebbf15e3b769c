import t from 'tap'
import { createQueue } from './queue.ts'

const never = new AbortController().signal

/** A queue, what was begun in it in order, and how to let the work of one go on to its end. */
function watched(width: number, depth: number) {
  const run = createQueue(width, depth, () => new Error('too many'))
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, signal = never) =>
    run(async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    }, signal)
  return { ask, begun, end: (name: string) => ends.get(name)?.() }
}

t.test(
  'no more are made at once than there is room for, and the last that was asked for comes next',
  async (t) => {
    const { ask, begun, end } = watched(2, 10)
    const all = ['a', 'b', 'c', 'd'].map((name) => ask(name))
    t.strictSame(begun, ['a', 'b'])
    end('a')
    t.equal(await all[0], 'a')
    t.strictSame(begun, ['a', 'b', 'd'])
    for (const name of ['b', 'd']) end(name)
    await all[1]
    end('c')
    t.strictSame(await Promise.all(all), ['a', 'b', 'c', 'd'])
  },
)

t.test('when too many wait, the one that waited longest is turned away', async (t) => {
  const { ask, begun, end } = watched(1, 2)
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => ask(name))
  await t.rejects(b ?? ask('b'), { message: 'too many' })
  end('a')
  await a
  end('d')
  await d
  end('c')
  await c
  t.strictSame(begun, ['a', 'd', 'c'])
})

t.test('whoever leaves while waiting leaves no work behind', async (t) => {
  const { ask, begun, end } = watched(1, 2)
  const leaver = new AbortController()
  const a = ask('a')
  const b = ask('b', leaver.signal)
  const c = ask('c')
  leaver.abort(new Error('left'))
  await t.rejects(b, { message: 'left' })
  await t.rejects(ask('d', leaver.signal), { message: 'left' })
  end('a')
  await a
  end('c')
  t.equal(await c, 'c')
  t.strictSame(begun, ['a', 'c'])
})

t.test('work that fails makes room like any other', async (t) => {
  const run = createQueue(1, 1, () => new Error('too many'))
  await t.rejects(
    run(async () => {
      throw new Error('no')
    }, never),
    { message: 'no' },
  )
  t.equal(await run(async () => 'next', never), 'next')
})
