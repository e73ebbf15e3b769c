import t from 'tap'
import { unconditional } from '#src/core/recheck.ts'
import { createSemaphore } from './semaphore.ts'

/** Asks for a turn and tells whether it has come. */
function ask(turns: ReturnType<typeof createSemaphore>, who: string, size?: number, signal?: AbortSignal) {
  const state = { isIn: false, end: () => {}, failed: undefined as unknown }
  const come = turns
    .acquire(who, { recheck: unconditional, ...(size !== undefined && { size }), ...(signal && { signal }) })
    .then((turn) => Object.assign(state, { isIn: true, end: () => turn[Symbol.dispose]() }))
    .catch((error: unknown) => Object.assign(state, { failed: error }))
  return Object.assign(state, { come })
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

t.test('whoever has as many as they may waits, and keeps nobody else waiting', async (t) => {
  const turns = createSemaphore('walks', { each: 2, all: 3, waitingEach: 10 })
  const mine = [1, 2, 3, 4].map(() => ask(turns, 'a'))
  const other = ask(turns, 'b')
  await settle()
  t.strictSame(
    mine.map(({ isIn }) => isIn),
    [true, true, false, false],
  )
  t.ok(other.isIn)
  const third = ask(turns, 'c')
  await settle()
  t.notOk(third.isIn, 'all together have three')
  mine[0]?.end()
  mine[0]?.end()
  await settle()
  t.ok(mine[2]?.isIn, 'who asked first goes first, and what ends twice has ended once')
  t.notOk(third.isIn)
  mine[1]?.end()
  mine[2]?.end()
  await settle()
  t.ok(mine[3]?.isIn && third.isIn)
})

t.test('a large one is not overtaken by small ones, and one larger than all takes all', async (t) => {
  const turns = createSemaphore('texts', { each: 10, all: 10, waitingEach: 10 })
  const small = ask(turns, 'a', 4)
  const large = ask(turns, 'b', 50)
  const late = ask(turns, 'c', 1)
  await settle()
  t.strictSame([small.isIn, large.isIn, late.isIn], [true, false, false])
  small.end()
  await settle()
  t.strictSame([large.isIn, late.isIn], [true, false])
  large.end()
  await settle()
  t.ok(late.isIn)
})

t.test('one who leaves, waits too long or asks too often is out of the way', async (t) => {
  const turns = createSemaphore('texts', { each: 5, all: 5, waitingEach: 1, maxWaitMs: 20 })
  const first = ask(turns, 'a', 5)
  const impatient = ask(turns, 'a', 5)
  await settle()
  await t.rejects(turns.acquire('a', { recheck: unconditional }), { code: 'user.busy', status: 429 })
  await impatient.come
  t.match(impatient.failed, { code: 'server.busy', status: 503 })
  const gone = new AbortController()
  const left = ask(turns, 'b', 5, gone.signal)
  gone.abort(new Error('left'))
  await left.come
  t.match(left.failed, { message: 'left' })
  await t.rejects(turns.acquire('b', { recheck: unconditional, signal: gone.signal }), { message: 'left' })
  first.end()
  const next = ask(turns, 'b', 5)
  await settle()
  t.ok(next.isIn, 'nothing of those who left is counted')
})

t.test('whatever one person queues, the first request of another comes next', async (t) => {
  const turns = createSemaphore('walks', { each: 1, all: 1, waitingEach: 100 })
  const running = ask(turns, 'a')
  const many = Array.from({ length: 20 }, () => ask(turns, 'a'))
  const other = ask(turns, 'b')
  await settle()
  running.end()
  await settle()
  t.ok(many[0]?.isIn, 'the first in the queue begins')
  many[0]?.end()
  await settle()
  t.ok(other.isIn, 'the second request of the same person waits behind')
  t.notOk(many[1]?.isIn)
})

t.test('queued work is refused when the right to it has gone, and the turn goes to the next', async (t) => {
  const turns = createSemaphore('walks', { each: 1, all: 1, waitingEach: 10 })
  const running = ask(turns, 'a')
  let isGone = false
  const recheck = () => {
    if (isGone) throw new Error('the account has gone')
  }
  const queued = [1, 2, 3].map(() => turns.acquire('b', { recheck }))
  const refused = Promise.allSettled(queued)
  const last = ask(turns, 'c')
  await settle()
  isGone = true
  running.end()
  await settle()
  t.ok(last.isIn)
  last.end()
  for (const one of await refused) {
    t.match(one, { status: 'rejected', reason: { message: 'the account has gone' } })
  }
  await t.rejects(turns.acquire('b', { recheck }), { message: 'the account has gone' }, 'also without a wait')
  t.ok(turns.tryAcquire('d'), 'nothing of what was refused is counted')
  t.notOk(turns.tryAcquire('d'))
})

t.test('acquireNow refuses an owner that has all its permits, until one is disposed of', async (t) => {
  const semaphore = createSemaphore('uploads', { each: 2, all: Number.POSITIVE_INFINITY })
  const first = semaphore.acquireNow('a')
  semaphore.acquireNow('a')
  t.throws(() => semaphore.acquireNow('a'), {
    code: 'user.busy',
    status: 429,
    message: '2 uploads are under way already; try again when one has ended',
  })
  semaphore.acquireNow('b')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  semaphore.acquireNow('a')
  t.throws(() => semaphore.acquireNow('a'), { code: 'user.busy' }, 'what ends twice has ended once')
})

t.test('acquireNow refuses everybody when no permit is left', async (t) => {
  const semaphore = createSemaphore('archives', { each: 2, all: 3 })
  const some = ['a', 'b', 'c'].map((who) => semaphore.acquireNow(who))
  t.throws(() => semaphore.acquireNow('d'), { code: 'server.busy', status: 503 })
  for (const one of some) one[Symbol.dispose]()
  for (const who of ['d', 'd', 'e']) semaphore.acquireNow(who)
})

const never = new AbortController().signal

/** Runs work with permits of a newest-first semaphore. */
function runner({ width, each, all }: { width: number; each: number; all: number }) {
  const semaphore = createSemaphore('pictures', {
    ...{ all: width, waitingEach: each, waitingAll: all, newestFirst: true },
  })
  return async <T>(
    { who, size, signal }: { who: string; size: number; signal: AbortSignal },
    work: () => Promise<T>,
  ): Promise<T> => {
    using _permit = await semaphore.acquire(who, { size, signal, recheck: unconditional })
    return await work()
  }
}

/** A semaphore, what was begun with it in order, and how to let the work of one go on to its end. */
function watched(most: { width: number; each: number; all: number }) {
  const run = runner(most)
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

t.test('with newestFirst, the newest request of an owner is served first', async (t) => {
  const { ask, begun, end } = watched({ width: 2, each: 10, all: 10 })
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name))
  await new Promise(setImmediate)
  t.strictSame(begun, ['a1', 'a2'])
  await end('a1')
  t.strictSame(begun, ['a1', 'a2', 'a4'])
  for (const name of ['a2', 'a4', 'a3']) await end(name)
  t.strictSame(await Promise.all(all), ['a1', 'a2', 'a3', 'a4'])
})

t.test('with newestFirst, owners are served in turn, however many requests each of them has', async (t) => {
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

t.test('work that needs all permits runs alone and is not overtaken', async (t) => {
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

t.test('large work that leaves the queue no longer blocks others', async (t) => {
  const { ask, begun } = watched({ width: 2, each: 10, all: 10 })
  const leaver = new AbortController()
  void ask('a1')
  const large = ask('b1', { size: 2, signal: leaver.signal })
  void ask('c1')
  leaver.abort(new Error('left'))
  await t.rejects(large, { message: 'left' })
  t.strictSame(begun, ['a1', 'c1'])
})

t.test(
  'with newestFirst, the oldest request of the owner with the most is refused when too many wait',
  async (t) => {
    const { ask, begun, end } = watched({ width: 1, each: 3, all: 4 })
    const [, a2, a3] = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => ask(name))
    await t.rejects(a2 ?? ask('a'), { code: 'server.busy' }, 'a has three already')
    void ask('b1')
    const b2 = ask('b2')
    await t.rejects(a3 ?? ask('a'), { code: 'server.busy' }, 'b is not refused for what a has')
    for (const name of ['a1', 'a5', 'b2']) await end(name)
    t.equal(await b2, 'b2')
    t.strictSame(begun.slice(0, 3), ['a1', 'a5', 'b2'])
  },
)

t.test('a newest-first request that leaves is not run', async (t) => {
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

t.test('work that fails frees its permit', async (t) => {
  const run = runner({ width: 1, each: 1, all: 1 })
  const turn = { who: 'a', size: 1, signal: never }
  await t.rejects(
    run(turn, async () => {
      throw new Error('no')
    }),
    { message: 'no' },
  )
  t.equal(await run(turn, async () => 'next'), 'next')
})

t.test(
  'a semaphore without owners refuses at once when too many wait, and a limit of 0 grants nothing',
  async (t) => {
    const semaphore = createSemaphore('sign-ins', { all: 2, waitingAll: 3 })
    const acquire = () => semaphore.acquire('all', { recheck: unconditional })
    const held = await Promise.all([acquire(), acquire()])
    const waiting = [acquire(), acquire(), acquire()]
    await t.rejects(acquire(), { code: 'server.busy' })
    for (const permit of held) permit[Symbol.dispose]()
    for (const permit of waiting) (await permit)[Symbol.dispose]()
    t.equal(semaphore.waiting, 0)
    t.throws(() => createSemaphore('archives', { each: 0, all: 9 }).acquireNow('a'), { code: 'user.busy' })
  },
)
