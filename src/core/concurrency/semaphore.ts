import { Problem } from '#src/core/problem.ts'
import type { Recheck } from '#src/core/recheck.ts'

/** Limits how much of something runs at once, and queues the rest. */
export interface Turns {
  /**
   * Waits until `who` may begin and returns the turn, which lasts until it is disposed of.
   *
   * @throws Problem `user.busy` when too many of theirs wait, `server.busy` when waiting takes too long; the signal's
   * reason; what `recheck` throws.
   */
  enter(who: string, how: Entry): Promise<Disposable>
  /** A turn for work that may begin at once; undefined when it would have to wait. */
  tryEnter(who: string, size?: number): Disposable | undefined
  /** How many wait at the moment. */
  readonly waiting: number
}

/** How a turn is asked for. */
export interface Entry {
  /** Called when the turn begins, however long it was waited for. */
  recheck: Recheck
  /** How much of it this takes, at least 1. More than one person may have counts as all that they may have. */
  size?: number
  /** Leaves the queue. A function is called only when there is a queue to wait in. */
  signal?: AbortSignal | (() => AbortSignal) | undefined
}

interface Waiting {
  who: string
  size: number
  /** Virtual time at which it would begin if all took turns. */
  start: number
  begin(): void
}

/** Who asks for how much. */
type Asked = Pick<Waiting, 'who' | 'size'>

/**
 * Lets everybody have `each` at once, and all together `all`; the rest waits in a fair queue (start-time fair queuing,
 * Goyal 1996): however many one person queues, somebody else's first request goes before their second.
 *
 * @param what they are, in the plural, for the refusal
 * @param options.waiting how many of one person's may wait
 * @param options.patienceMs how long one waits at most; undefined: as long as it takes
 */
export function createTurns(
  what: string,
  options: { each: number; all: number; waiting: number; patienceMs?: number },
): Turns {
  const tally = createTally(options)
  const queue: Waiting[] = []
  const clock = createFairClock()

  /** Begins what may begin, in order; small ones never overtake a large one that only waits for the total. */
  function letIn(): void {
    for (let at = 0; at < queue.length; ) {
      const next = queue[at]
      if (next && !tally.hasOwnRoom(next)) at++
      else if (!next || !tally.hasRoom(next)) break
      else {
        queue.splice(at, 1)
        tally.count(next, next.size)
        clock.began(next)
        next.begin()
      }
    }
    if (queue.length === 0) clock.reset()
  }

  function turnOf(asked: Asked): Disposable {
    let isIn = true
    return {
      [Symbol.dispose]() {
        if (!isIn) return
        isIn = false
        tally.count(asked, -asked.size)
        letIn()
      },
    }
  }

  async function wait(asked: Asked, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const own = queue.filter(({ who }) => who === asked.who).length
    if (own >= options.waiting) throw new Problem('user.busy', { what, most: own })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { ...asked, start: clock.startOf(asked), begin: resolve }
    const leave = (reason: unknown) => {
      const at = queue.indexOf(waiting)
      if (at < 0) return
      queue.splice(at, 1)
      reject(reason)
      letIn() // if it was too large to begin, it no longer blocks others
    }
    const behind = queue.findIndex(({ start }) => start > waiting.start)
    queue.splice(behind < 0 ? queue.length : behind, 0, waiting)
    await withPatience(promise, { leave, signal, patienceMs: options.patienceMs })
  }

  function tryEnter(who: string, size = 1): Disposable | undefined {
    const asked = tally.bounded(who, size)
    if (!tally.hasRoom(asked) || queue.some(tally.hasOwnRoom)) return undefined
    tally.count(asked, asked.size)
    return turnOf(asked)
  }

  return {
    tryEnter,
    get waiting() {
      return queue.length
    },
    async enter(who, { recheck, size = 1, signal }) {
      let turn = tryEnter(who, size)
      if (!turn) {
        const asked = tally.bounded(who, size)
        await wait(asked, typeof signal === 'function' ? signal() : signal)
        turn = turnOf(asked)
      }
      try {
        recheck()
        return turn
      } catch (error) {
        turn[Symbol.dispose]()
        throw error
      }
    },
  }
}

/** Who has how much at the moment. */
function createTally({ each, all }: { each: number; all: number }) {
  const taken = new Map<string, number>()
  let total = 0
  const hasOwnRoom = ({ who, size }: Asked) => (taken.get(who) ?? 0) + size <= each
  return {
    bounded: (who: string, size: number): Asked => ({ who, size: Math.min(size, each, all) }),
    hasOwnRoom,
    hasRoom: (asked: Asked) => hasOwnRoom(asked) && total + asked.size <= all,
    count({ who }: Asked, size: number): void {
      total += size
      const own = (taken.get(who) ?? 0) + size
      if (own > 0) taken.set(who, own)
      else taken.delete(who)
    },
  }
}

/** Waits for `promise`, and calls `leave` with the reason when the signal aborts or patience ends before. */
async function withPatience(
  promise: Promise<void>,
  how: { leave(reason: unknown): void; signal: AbortSignal | undefined; patienceMs: number | undefined },
): Promise<void> {
  const { leave, signal, patienceMs } = how
  const onAbort = () => leave(signal?.reason)
  const timer =
    patienceMs === undefined ? undefined : setTimeout(leave, patienceMs, new Problem('server.busy'))
  signal?.addEventListener('abort', onAbort)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** The virtual time of a fair queue: it stands at the start of what began last. */
function createFairClock() {
  let now = 0
  const ends = new Map<string, number>()
  return {
    /** When a new request of `who` is due: after those that they have queued already. */
    startOf({ who, size }: Asked): number {
      const start = Math.max(now, ends.get(who) ?? 0)
      ends.set(who, start + size)
      return start
    },
    began({ start }: Waiting): void {
      now = Math.max(now, start)
    },
    /** Nothing waits: everybody is equal again. */
    reset(): void {
      now = 0
      ends.clear()
    },
  }
}
