import t from 'tap'
import { unconditional } from '#src/core/recheck.ts'
import { createTurns } from './semaphore.ts'

/** Asks for a turn and tells whether it has come. */
function ask(turns: ReturnType<typeof createTurns>, who: string, size?: number, signal?: AbortSignal) {
  const state = { isIn: false, end: () => {}, failed: undefined as unknown }
  const come = turns
    .enter(who, { recheck: unconditional, ...(size !== undefined && { size }), ...(signal && { signal }) })
    .then((turn) => Object.assign(state, { isIn: true, end: () => turn[Symbol.dispose]() }))
    .catch((error: unknown) => Object.assign(state, { failed: error }))
  return Object.assign(state, { come })
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

t.test('whoever has as many as they may waits, and keeps nobody else waiting', async (t) => {
  const turns = createTurns('walks', { each: 2, all: 3, waiting: 10 })
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
  const turns = createTurns('texts', { each: 10, all: 10, waiting: 10 })
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
  const turns = createTurns('texts', { each: 5, all: 5, waiting: 1, patienceMs: 20 })
  const first = ask(turns, 'a', 5)
  const impatient = ask(turns, 'a', 5)
  await settle()
  await t.rejects(turns.enter('a', { recheck: unconditional }), { code: 'user.busy', status: 429 })
  await impatient.come
  t.match(impatient.failed, { code: 'server.busy', status: 503 })
  const gone = new AbortController()
  const left = ask(turns, 'b', 5, gone.signal)
  gone.abort(new Error('left'))
  await left.come
  t.match(left.failed, { message: 'left' })
  await t.rejects(turns.enter('b', { recheck: unconditional, signal: gone.signal }), { message: 'left' })
  first.end()
  const next = ask(turns, 'b', 5)
  await settle()
  t.ok(next.isIn, 'nothing of those who left is counted')
})

t.test('whatever one person queues, the first request of another comes next', async (t) => {
  const turns = createTurns('walks', { each: 1, all: 1, waiting: 100 })
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
  const turns = createTurns('walks', { each: 1, all: 1, waiting: 10 })
  const running = ask(turns, 'a')
  let isGone = false
  const recheck = () => {
    if (isGone) throw new Error('the account has gone')
  }
  const queued = [1, 2, 3].map(() => turns.enter('b', { recheck }))
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
  await t.rejects(turns.enter('b', { recheck }), { message: 'the account has gone' }, 'also without a wait')
  t.ok(turns.tryEnter('d'), 'nothing of what was refused is counted')
  t.notOk(turns.tryEnter('d'))
})
