import { Problem } from './problem.ts'

/** How much of something is under way at once, and who waits. */
export interface Turns {
  /**
   * Waits until `who` may begin, whoever asked first going first, and holds the turn until it is disposed of.
   *
   * @param size how much of it this takes; one at least. More than anybody may have counts as all that they may
   * @param signal leaves the queue
   * @throws Problem `user.busy` when too many of theirs wait, `server.busy` when it takes too long; the signal's reason.
   */
  enter(who: string, how?: { size?: number; signal?: AbortSignal }): Promise<Disposable>
}

interface Waiting {
  who: string
  size: number
  begin(): void
}

/**
 * Lets everybody have `each` under way at once, and all together `all`. Whoever asks for more waits, and keeps nobody
 * else waiting who has less.
 *
 * @param what they are, in the plural, for the refusal
 * @param options.waiting how many of one person's may wait
 * @param options.patienceMs how long one waits at most; undefined: as long as it takes
 */
export function createTurns(
  what: string,
  options: { each: number; all: number; waiting: number; patienceMs?: number },
): Turns {
  const { each, all, patienceMs } = options
  const taken = new Map<string, number>()
  const queue: Waiting[] = []
  let total = 0

  const ownOf = (who: string) => taken.get(who) ?? 0
  const hasOwnRoom = ({ who, size }: Pick<Waiting, 'who' | 'size'>) => ownOf(who) + size <= each

  function count(who: string, size: number): void {
    total += size
    const own = ownOf(who) + size
    if (own > 0) taken.set(who, own)
    else taken.delete(who)
  }

  /** Lets in who waits, in order; a large one is not overtaken for ever by small ones of others. */
  function letIn(): void {
    for (let at = 0; at < queue.length; ) {
      const next = queue[at]
      if (next && !hasOwnRoom(next)) at++
      else if (!next || total + next.size > all) return
      else {
        queue.splice(at, 1)
        count(next.who, next.size)
        next.begin()
      }
    }
  }

  function turnOf({ who, size }: Pick<Waiting, 'who' | 'size'>): Disposable {
    let isIn = true
    return {
      [Symbol.dispose]() {
        if (!isIn) return
        isIn = false
        count(who, -size)
        letIn()
      },
    }
  }

  function wait(one: Pick<Waiting, 'who' | 'size'>, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        queue.splice(queue.indexOf(waiting), 1)
        stop()
        reject(reason)
        letIn() // who was too large no longer stands before others
      }
      const onAbort = () => leave(signal?.reason)
      const timer =
        patienceMs === undefined ? undefined : setTimeout(leave, patienceMs, new Problem('server.busy'))
      const stop = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const waiting: Waiting = {
        ...one,
        begin() {
          stop()
          resolve()
        },
      }
      signal?.addEventListener('abort', onAbort)
      queue.push(waiting)
    })
  }

  return {
    async enter(who, { size: asked = 1, signal } = {}) {
      signal?.throwIfAborted()
      const one = { who, size: Math.min(asked, each, all) }
      const isFree = hasOwnRoom(one) && total + one.size <= all && !queue.some(hasOwnRoom)
      if (isFree) count(who, one.size)
      else {
        const own = queue.filter((waiting) => waiting.who === who).length
        if (own >= options.waiting) throw new Problem('user.busy', { what, most: own })
        await wait(one, signal)
      }
      return turnOf(one)
    },
  }
}
