import { Problem } from '#src/core/problem.ts'

/** Memory for one body that is still coming. */
export interface BodyHold extends Disposable {
  /** Counts more of it. @throws Problem `server.busy` when this sender has too much that is unfinished. */
  grow(bytes: number): void
}

/** Memory for bodies that have not come whole, of all connections together. */
export interface BodyRoom {
  /**
   * Opens an account for a body.
   *
   * @param who the sender: a user or a network
   * @param giveWay called when this body is the oldest and the room is needed for a newer one
   */
  hold(who: string, giveWay: (problem: Problem) => void): BodyHold
}

/**
 * Lets all unfinished bodies take `all` bytes, and those of one sender `each`. When they take more, the oldest gives way:
 * a body that is sent without pauses is there within moments, so those that stay are the ones that are held back.
 */
export function createBodyRoom({ each, all }: { each: number; all: number }): BodyRoom {
  const taken = new Map<string, number>()
  // In the order in which they began.
  const open = new Set<Open>()
  let total = 0

  function count(who: string, bytes: number): void {
    total += bytes
    const own = (taken.get(who) ?? 0) + bytes
    if (own > 0) taken.set(who, own)
    else taken.delete(who)
  }

  function end(one: Open): void {
    if (open.delete(one)) count(one.who, -one.bytes)
  }

  function grow(one: Open, bytes: number): void {
    if (!open.has(one)) return
    if ((taken.get(one.who) ?? 0) + bytes > each) throw new Problem('server.busy')
    one.bytes += bytes
    count(one.who, bytes)
    for (const oldest of open) {
      if (total <= all) return
      end(oldest)
      oldest.giveWay(new Problem('server.busy'))
    }
  }

  return {
    hold(who, giveWay) {
      const one: Open = { who, bytes: 0, giveWay }
      open.add(one)
      return { grow: (bytes) => grow(one, bytes), [Symbol.dispose]: () => end(one) }
    },
  }
}

interface Open {
  who: string
  bytes: number
  giveWay(problem: Problem): void
}
