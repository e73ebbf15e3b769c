import t from 'tap'
import { Problem } from '#src/core/problem.ts'
import { createQueue } from './queue.ts'

const never = new AbortController().signal

/** A queue, what was begun in it in order, and how to let the work of one go on to its end. */
function watched(most: { width: number; each: number; all: number }) {
  const run = createQueue(most, () => new Problem('server.busy'))
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  /** The first letter of a name says who asks. */
  const ask = (name: string, { signal = never, size = 1 } = {}) => {
    const done = run({ who: name.slice(0, 1), size, signal }, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
    done.catch(() => undefined) // looked at later
    return done
  }
  /** Lets the work of one end, and waits until the next one has begun. */
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise(setImmediate)
  }
  return { ask, begun, end }
}

t.test("no more run at once than there are places, and a person's latest request goes first", async (t) => {
  const { ask, begun, end } = watched({ width: 2, each: 10, all: 10 })
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name))
  await new Promise(setImmediate)
  t.strictSame(begun, ['a1', 'a2'])
  await end('a1')
  t.strictSame(begun, ['a1', 'a2', 'a4'])
  for (const name of ['a2', 'a4', 'a3']) await end(name)
  t.strictSame(await Promise.all(all), ['a1', 'a2', 'a3', 'a4'])
})

t.test('people take turns, however many requests each of them has', async (t) => {
  const { ask, begun, end } = watched({ width: 2, each: 10, all: 30 })
  for (let n = 0; n < 9; n++) void ask(`a${n}`)
  for (const name of ['b0', 'b1', 'c0']) void ask(name)
  await new Promise(setImmediate)
  t.strictSame(begun, ['a0', 'a1'])
  await end('a0')
  t.equal(begun.at(-1), 'b1', 'b has nothing under way yet')
  await end('a1')
  t.equal(begun.at(-1), 'a8', 'neither has c, but a has waited longer')
  await end('b1')
  t.equal(begun.at(-1), 'c0')
  await end('c0')
  t.equal(begun.at(-1), 'b0')
})

t.test('work that takes all places is done alone and keeps its turn', async (t) => {
  const { ask, begun, end } = watched({ width: 2, each: 10, all: 10 })
  void ask('a1')
  void ask('b1', { size: 2 })
  void ask('c1')
  await new Promise(setImmediate)
  t.strictSame(begun, ['a1'], 'small work does not overtake it for ever')
  await end('a1')
  t.strictSame(begun, ['a1', 'b1'])
  await end('b1')
  t.strictSame(begun, ['a1', 'b1', 'c1'])
})

t.test('large work that leaves keeps nobody waiting', async (t) => {
  const { ask, begun } = watched({ width: 2, each: 10, all: 10 })
  const leaver = new AbortController()
  void ask('a1')
  const large = ask('b1', { size: 2, signal: leaver.signal })
  void ask('c1')
  leaver.abort(new Error('left'))
  await t.rejects(large, { message: 'left' })
  t.strictSame(begun, ['a1', 'c1'])
})

t.test('the oldest request of the person with the most is refused when too many wait', async (t) => {
  const { ask, begun, end } = watched({ width: 1, each: 3, all: 4 })
  const [, a2, a3] = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => ask(name))
  await t.rejects(a2 ?? ask('a'), { code: 'server.busy' }, 'a has three already')
  void ask('b1')
  const b2 = ask('b2')
  await t.rejects(a3 ?? ask('a'), { code: 'server.busy' }, 'b is not refused for what a has')
  for (const name of ['a1', 'a5', 'b2']) await end(name)
  t.equal(await b2, 'b2')
  t.strictSame(begun.slice(0, 3), ['a1', 'a5', 'b2'])
})

t.test('whoever leaves while waiting leaves no work behind', async (t) => {
  const { ask, begun, end } = watched({ width: 1, each: 2, all: 2 })
  const leaver = new AbortController()
  const a = ask('a')
  const b = ask('b', { signal: leaver.signal })
  const c = ask('c')
  leaver.abort(new Error('left'))
  await t.rejects(b, { message: 'left' })
  await t.rejects(ask('d', { signal: leaver.signal }), { message: 'left' })
  await end('a')
  await a
  await end('c')
  t.equal(await c, 'c')
  t.strictSame(begun, ['a', 'c'])
})

t.test('work that fails makes room like any other', async (t) => {
  const run = createQueue({ width: 1, each: 1, all: 1 }, () => new Problem('server.busy'))
  const turn = { who: 'a', size: 1, signal: never }
  await t.rejects(
    run(turn, async () => {
      throw new Error('no')
    }),
    { message: 'no' },
  )
  t.equal(await run(turn, async () => 'next'), 'next')
})
