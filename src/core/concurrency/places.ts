import { Problem } from '#src/core/problem.ts'

/** How many things somebody has under way at once. */
export interface Places {
  /**
   * Takes a place for `who`, until it is disposed of.
   *
   * @throws Problem `user.busy` when they have as many as they may, `server.busy` when all together have.
   */
  enter(who: string): Disposable
}

/**
 * Lets everybody have `each` things under way at once, and all together `all`; infinity is no limit.
 *
 * @param what they are, in the plural, for the refusal
 */
export function createPlaces(what: string, { each, all }: { each: number; all: number }): Places {
  const taken = new Map<string, number>()
  let total = 0
  return {
    enter(who) {
      const own = taken.get(who) ?? 0
      if (own >= each) throw new Problem('user.busy', { what, most: each })
      if (total >= all) throw new Problem('server.busy')
      taken.set(who, own + 1)
      total++
      let isIn = true
      return {
        [Symbol.dispose]() {
          if (!isIn) return
          isIn = false
          total--
          const left = (taken.get(who) ?? 1) - 1
          if (left > 0) taken.set(who, left)
          else taken.delete(who)
        },
      }
    },
  }
}
