import type { Problem } from '#src/core/problem.ts'

/** Whose turn it is, and how much of the room it takes. */
export interface Turn {
  /** Everybody with the same word shares one turn with all others. */
  who: string
  /** Places that the work takes; one that takes all is done alone. */
  size: number
  /** Leaves the queue. Work that has begun goes on to its end. */
  signal: AbortSignal
}

interface Waiting extends Turn {
  begin(): void
  fail(reason: unknown): void
}

/**
 * Runs work in at most `width` places at once. People take turns: whoever has a thousand pictures to show gets the next
 * place as often as somebody with one. Of one person's requests the latest goes first, for it is what they look at now.
 *
 * At most `each` requests of one person and `all` together wait; beyond that the oldest one of the person with the most
 * is refused with `refusal`.
 */
export function createQueue(
  { width, each, all }: { width: number; each: number; all: number },
  refusal: () => Problem,
) {
  const waiting = createWaitingList({ each, all })
  const running = new Map<string, number>()
  let taken = 0

  /** Gives free places to those who wait. Large work is not overtaken for ever by small work: it keeps its turn. */
  function letIn(): void {
    for (;;) {
      const next = waiting.next((who) => running.get(who) ?? 0)
      if (!next || taken + next.size > width) return
      waiting.take(next)
      count(next, 1)
      next.begin()
    }
  }

  /** Counts work that begins, or with -1 work that has ended. */
  function count({ who, size }: Pick<Turn, 'who' | 'size'>, sign: 1 | -1): void {
    taken += sign * size
    const own = (running.get(who) ?? 0) + sign
    if (own > 0) running.set(who, own)
    else running.delete(who)
  }

  function enter(turn: Turn): Promise<void> {
    const { signal } = turn
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.remove(one)
        reject(signal.reason)
        letIn() // large work that has left keeps nobody waiting
      }
      const settled = (settle: () => void) => {
        signal.removeEventListener('abort', leave)
        settle()
      }
      const one: Waiting = {
        ...turn,
        begin: () => settled(resolve),
        fail: (reason) => settled(() => reject(reason)),
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.add(one)
      letIn()
      for (const dropped of waiting.dropSurplus(turn.who)) dropped.fail(refusal())
    })
  }

  /** Runs `work` when it is its turn. @throws the signal's reason when it aborts before that, or the refusal. */
  return async function run<T>(asked: Turn, work: () => Promise<T>): Promise<T> {
    const turn = { ...asked, size: Math.min(asked.size, width) }
    turn.signal.throwIfAborted()
    await enter(turn)
    try {
      return await work()
    } finally {
      count(turn, -1)
      letIn()
    }
  }
}

/** Those who wait, by person. */
function createWaitingList({ each, all }: { each: number; all: number }) {
  // In the order of their turns: the first person has waited longest since their last one.
  const people = new Map<string, Waiting[]>()
  let total = 0

  function remove(one: Waiting): void {
    const own = people.get(one.who)
    const at = own?.indexOf(one) ?? -1
    if (!own || at < 0) return
    own.splice(at, 1)
    total--
    if (own.length === 0) people.delete(one.who)
  }

  return {
    add(one: Waiting): void {
      const own = people.get(one.who)
      if (own) own.push(one)
      else people.set(one.who, [one])
      total++
    },
    remove,
    /** Takes out the one whose turn it is; the next turn of that person comes after those of all others. */
    take(one: Waiting): void {
      remove(one)
      const own = people.get(one.who)
      people.delete(one.who)
      if (own) people.set(one.who, own)
    },
    /** Whose turn is next: of those with the least work under way, the one whose last turn was longest ago. */
    next(workOf: (who: string) => number): Waiting | undefined {
      const least = Math.min(...[...people.keys()].map(workOf))
      const [, own] = [...people].find(([who]) => workOf(who) === least) ?? []
      return own?.at(-1)
    },
    /** Takes away what is too much: first of `who`, then of the person with the most; their oldest goes. */
    dropSurplus(who: string): Waiting[] {
      const own = people.get(who) ?? []
      const dropped = own.splice(0, Math.max(0, own.length - each))
      total -= dropped.length
      while (total > all) {
        const most = [...people.values()].reduce((a, b) => (b.length > a.length ? b : a))
        dropped.push(...most.splice(0, 1))
        total--
      }
      return dropped
    },
  }
}
