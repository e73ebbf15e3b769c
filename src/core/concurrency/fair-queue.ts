/** A request that waits. */
export interface Waiter {
  owner: string
  size: number
  grant(): void
  /** Takes the request out of the queue and fails it with `reason`. */
  leave(reason: unknown): void
}

interface Line {
  waiters: Waiter[]
  /** Virtual time at which the owner's next request is due. */
  due: number
}

/**
 * The requests that wait, by owner, in the order of start-time fair queuing (Goyal, Vin and Cheng 1996): each owner has a
 * virtual time that advances by the size of what was granted, and the owner with the earliest is next. Of two with the same
 * time, the one with less running is next.
 *
 * @param newestFirst whether the newest request of an owner is next, instead of the oldest
 */
export function createFairQueue(newestFirst: boolean) {
  // In the order in which their owners began to wait.
  const lines = new Map<string, Line>()
  // Virtual time at which what was granted to an owner ends.
  const ends = new Map<string, number>()
  let now = 0
  let size = 0

  const headOf = ({ waiters }: Line) => waiters.at(newestFirst ? -1 : 0)

  function remove(waiter: Waiter): boolean {
    const line = lines.get(waiter.owner)
    const at = line?.waiters.indexOf(waiter) ?? -1
    if (!line || at < 0) return false
    line.waiters.splice(at, 1)
    size--
    if (line.waiters.length === 0) lines.delete(waiter.owner)
    if (size === 0) {
      // Nobody waits: all owners are equal again.
      now = 0
      ends.clear()
    }
    return true
  }

  return {
    get size() {
      return size
    },
    countOf: (owner: string) => lines.get(owner)?.waiters.length ?? 0,
    add(waiter: Waiter): void {
      const { owner } = waiter
      const line = lines.get(owner) ?? { waiters: [], due: Math.max(now, ends.get(owner) ?? 0) }
      lines.set(owner, line)
      line.waiters.push(waiter)
      size++
    },
    /** Removes a request that is not granted. Answers whether it was waiting. */
    remove,
    /** Removes a request that is granted. */
    take(waiter: Waiter): void {
      const line = lines.get(waiter.owner)
      if (!line) return
      now = Math.max(now, line.due)
      line.due += waiter.size
      ends.set(waiter.owner, line.due)
      remove(waiter)
    },
    /** The request that is next among those that `isAllowed`; `running` is the size of what an owner has running. */
    next(isAllowed: (waiter: Waiter) => boolean, running: (owner: string) => number): Waiter | undefined {
      let best: { head: Waiter; due: number } | undefined
      for (const line of lines.values()) {
        const head = headOf(line)
        if (!head || !isAllowed(head)) continue
        const isEarlier =
          !best ||
          line.due < best.due ||
          (line.due === best.due && running(head.owner) < running(best.head.owner))
        if (isEarlier) best = { head, due: line.due }
      }
      return best?.head
    },
    /**
     * The requests beyond `each` of `owner` and beyond `all`: the oldest of `owner`, then the oldest of the owner with the
     * most. They stay in the queue.
     */
    surplus(owner: string, each: number, all: number): Waiter[] {
      const own = lines.get(owner)?.waiters ?? []
      const found = own.slice(0, Math.max(0, own.length - each))
      if (size - found.length > all) {
        const most = [...lines.values()].reduce((a, b) => (b.waiters.length > a.waiters.length ? b : a))
        const rest = most.waiters.filter((waiter) => !found.includes(waiter))
        found.push(...rest.slice(0, size - found.length - all))
      }
      return found
    },
  }
}
