import t from 'tap'
import { unconditional } from '#src/core/problem.ts'
import { createSemaphore } from './semaphore.ts'

/** Requests a permit and records whether it is granted. */
function request(
  semaphore: ReturnType<typeof createSemaphore>,
  owner: string,
  size?: number,
  signal?: AbortSignal,
) {
  const state = { isGranted: false, end: () => {}, failed: undefined as unknown }
  const settled = semaphore
    .acquire(owner, {
      recheck: unconditional,
      ...(size !== undefined && { size }),
      ...(signal && { signal }),
    })
    .then((permit) => Object.assign(state, { isGranted: true, end: () => permit[Symbol.dispose]() }))
    .catch((error: unknown) => Object.assign(state, { failed: error }))
  return Object.assign(state, { settled })
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

t.test('an owner at the limit waits, without blocking other owners', async (t) => {
  const semaphore = createSemaphore('walks', { each: 2, all: 3, waitingEach: 10 })
  const mine = [1, 2, 3, 4].map(() => request(semaphore, 'a'))
  const other = request(semaphore, 'b')
  await settle()
  t.strictSame(
    mine.map(({ isGranted }) => isGranted),
    [true, true, false, false],
  )
  t.ok(other.isGranted)
  const third = request(semaphore, 'c')
  await settle()
  t.notOk(third.isGranted, 'three permits are granted in all')
  mine[0]?.end()
  mine[0]?.end()
  await settle()
  t.ok(third.isGranted, 'of two owners that wait, the one with less running is next')
  t.notOk(mine[2]?.isGranted, 'a second dispose has no effect')
  third.end()
  await settle()
  t.ok(mine[2]?.isGranted, 'the oldest request of an owner is next')
  t.notOk(mine[3]?.isGranted)
  mine[1]?.end()
  await settle()
  t.ok(mine[3]?.isGranted)
})

t.test(
  'small requests do not overtake a large one, and one larger than the limit takes all permits',
  async (t) => {
    const semaphore = createSemaphore('texts', { each: 10, all: 10, waitingEach: 10 })
    const small = request(semaphore, 'a', 4)
    const large = request(semaphore, 'b', 50)
    const late = request(semaphore, 'c', 1)
    await settle()
    t.strictSame([small.isGranted, large.isGranted, late.isGranted], [true, false, false])
    small.end()
    await settle()
    t.strictSame([large.isGranted, late.isGranted], [true, false])
    large.end()
    await settle()
    t.ok(late.isGranted)
  },
)

t.test('a request that aborts, times out or exceeds the queue leaves no trace', async (t) => {
  const semaphore = createSemaphore('texts', { each: 5, all: 5, waitingEach: 1, maxWaitMs: 20 })
  const first = request(semaphore, 'a', 5)
  const timedOut = request(semaphore, 'a', 5)
  await settle()
  await t.rejects(semaphore.acquire('a', { recheck: unconditional }), { code: 'user.busy', status: 429 })
  await timedOut.settled
  t.match(timedOut.failed, { code: 'server.busy', status: 503 })
  const gone = new AbortController()
  const left = request(semaphore, 'b', 5, gone.signal)
  gone.abort(new Error('left'))
  await left.settled
  t.match(left.failed, { message: 'left' })
  await t.rejects(semaphore.acquire('b', { recheck: unconditional, signal: gone.signal }), {
    message: 'left',
  })
  first.end()
  const next = request(semaphore, 'b', 5)
  await settle()
  t.ok(next.isGranted, 'requests that left are not counted')
})

t.test('the first request of an owner is served before the second of another', async (t) => {
  const semaphore = createSemaphore('walks', { each: 1, all: 1, waitingEach: 100 })
  const running = request(semaphore, 'a')
  const many = Array.from({ length: 20 }, () => request(semaphore, 'a'))
  const other = request(semaphore, 'b')
  await settle()
  running.end()
  await settle()
  t.ok(many[0]?.isGranted, 'the first request in the queue starts')
  many[0]?.end()
  await settle()
  t.ok(other.isGranted, 'the second request of the same owner waits')
  t.notOk(many[1]?.isGranted)
})

t.test('refuses a queued request whose recheck fails, and grants the permit to the next one', async (t) => {
  const semaphore = createSemaphore('walks', { each: 1, all: 1, waitingEach: 10 })
  const running = request(semaphore, 'a')
  let isRevoked = false
  const recheck = () => {
    if (isRevoked) throw new Error('the account has gone')
  }
  const queued = [1, 2, 3].map(() => semaphore.acquire('b', { recheck }))
  const refused = Promise.allSettled(queued)
  const last = request(semaphore, 'c')
  await settle()
  isRevoked = true
  running.end()
  await settle()
  t.ok(last.isGranted)
  last.end()
  for (const one of await refused) {
    t.match(one, { status: 'rejected', reason: { message: 'the account has gone' } })
  }
  await t.rejects(
    semaphore.acquire('b', { recheck }),
    { message: 'the account has gone' },
    'also without a wait',
  )
  t.ok(semaphore.tryAcquire('d'), 'refused requests are not counted')
  t.notOk(semaphore.tryAcquire('d'))
})

t.test('acquireNow refuses an owner at the limit until a permit is disposed of', async (t) => {
  const semaphore = createSemaphore('uploads', { each: 2, all: Number.POSITIVE_INFINITY })
  const first = semaphore.acquireNow('a')
  semaphore.acquireNow('a')
  t.throws(() => semaphore.acquireNow('a'), {
    code: 'user.busy',
    status: 429,
    message: '2 uploads are already in progress; try again when one has finished',
  })
  semaphore.acquireNow('b')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  semaphore.acquireNow('a')
  t.throws(() => semaphore.acquireNow('a'), { code: 'user.busy' }, 'a second dispose has no effect')
})

t.test('acquireNow refuses every owner when no permit is left', async (t) => {
  const semaphore = createSemaphore('archives', { each: 2, all: 3 })
  const some = ['a', 'b', 'c'].map((owner) => semaphore.acquireNow(owner))
  t.throws(() => semaphore.acquireNow('d'), { code: 'server.busy', status: 503 })
  for (const one of some) one[Symbol.dispose]()
  for (const owner of ['d', 'd', 'e']) semaphore.acquireNow(owner)
})

const never = new AbortController().signal

/** Runs work with permits of a newest-first semaphore. */
function runner({ width, each, all }: { width: number; each: number; all: number }) {
  const semaphore = createSemaphore('pictures', {
    ...{ all: width, waitingEach: each, waitingAll: all, newestFirst: true },
  })
  return async <T>(
    { owner, size, signal }: { owner: string; size: number; signal: AbortSignal },
    work: () => Promise<T>,
  ): Promise<T> => {
    using _permit = await semaphore.acquire(owner, { size, signal, recheck: unconditional })
    return await work()
  }
}

/** A newest-first semaphore, the names of started work in order, and a function that ends one piece of work. */
function observedRunner(most: { width: number; each: number; all: number }) {
  const run = runner(most)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  /** The first letter of a name is the owner. */
  const request = (name: string, { signal = never, size = 1 } = {}) => {
    const done = run({ owner: name.slice(0, 1), size, signal }, async () => {
      started.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
    done.catch(() => undefined) // the test awaits it later
    return done
  }
  /** Ends one piece of work, and waits until the next one has started. */
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise(setImmediate)
  }
  return { request, started, end }
}

t.test('with newestFirst, the newest request of an owner is served first', async (t) => {
  const { request, started, end } = observedRunner({ width: 2, each: 10, all: 10 })
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => request(name))
  await new Promise(setImmediate)
  t.strictSame(started, ['a1', 'a2'])
  await end('a1')
  t.strictSame(started, ['a1', 'a2', 'a4'])
  for (const name of ['a2', 'a4', 'a3']) await end(name)
  t.strictSame(await Promise.all(all), ['a1', 'a2', 'a3', 'a4'])
})

t.test('with newestFirst, owners are served in turn, however many requests each of them has', async (t) => {
  const { request, started, end } = observedRunner({ width: 2, each: 10, all: 30 })
  for (let n = 0; n < 9; n++) void request(`a${n}`)
  for (const name of ['b0', 'b1', 'c0']) void request(name)
  await new Promise(setImmediate)
  t.strictSame(started, ['a0', 'a1'])
  await end('a0')
  t.equal(started.at(-1), 'b1', 'b has nothing running yet')
  await end('a1')
  t.equal(started.at(-1), 'a8', 'neither has c, but a has waited longer')
  await end('b1')
  t.equal(started.at(-1), 'c0')
  await end('c0')
  t.equal(started.at(-1), 'b0')
})

t.test('a request for all permits runs alone and is not overtaken', async (t) => {
  const { request, started, end } = observedRunner({ width: 2, each: 10, all: 10 })
  void request('a1')
  void request('b1', { size: 2 })
  void request('c1')
  await new Promise(setImmediate)
  t.strictSame(started, ['a1'], 'small work does not overtake it')
  await end('a1')
  t.strictSame(started, ['a1', 'b1'])
  await end('b1')
  t.strictSame(started, ['a1', 'b1', 'c1'])
})

t.test('a large request that leaves the queue no longer blocks others', async (t) => {
  const { request, started } = observedRunner({ width: 2, each: 10, all: 10 })
  const controller = new AbortController()
  void request('a1')
  const large = request('b1', { size: 2, signal: controller.signal })
  void request('c1')
  controller.abort(new Error('left'))
  await t.rejects(large, { message: 'left' })
  t.strictSame(started, ['a1', 'c1'])
})

t.test(
  'with newestFirst, refuses the oldest request of the owner with the most when too many wait',
  async (t) => {
    const { request, started, end } = observedRunner({ width: 1, each: 3, all: 4 })
    const [, a2, a3] = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => request(name))
    await t.rejects(a2 ?? request('a'), { code: 'server.busy' }, 'a has three already')
    void request('b1')
    const b2 = request('b2')
    await t.rejects(
      a3 ?? request('a'),
      { code: 'server.busy' },
      'b is not refused because of the requests of a',
    )
    for (const name of ['a1', 'a5', 'b2']) await end(name)
    t.equal(await b2, 'b2')
    t.strictSame(started.slice(0, 3), ['a1', 'a5', 'b2'])
  },
)

t.test('a newest-first request that aborts does not run', async (t) => {
  const { request, started, end } = observedRunner({ width: 1, each: 2, all: 2 })
  const controller = new AbortController()
  const a = request('a')
  const b = request('b', { signal: controller.signal })
  const c = request('c')
  controller.abort(new Error('left'))
  await t.rejects(b, { message: 'left' })
  await t.rejects(request('d', { signal: controller.signal }), { message: 'left' })
  await end('a')
  await a
  await end('c')
  t.equal(await c, 'c')
  t.strictSame(started, ['a', 'c'])
})

t.test('work that fails releases its permit', async (t) => {
  const run = runner({ width: 1, each: 1, all: 1 })
  const permit = { owner: 'a', size: 1, signal: never }
  await t.rejects(
    run(permit, async () => {
      throw new Error('no')
    }),
    { message: 'no' },
  )
  t.equal(await run(permit, async () => 'next'), 'next')
})

t.test(
  'a semaphore without owners refuses when the queue is full, and a limit of 0 grants nothing',
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
