import { Problem } from '#src/core/problem.ts'

/** The memory account of one body that is still being received. */
export interface BodyMemoryAccount extends Disposable {
  /** Counts more bytes. @throws Problem `server.busy` when the incomplete bodies of this sender are too large. */
  grow(bytes: number): void
}

/** The memory limit for incomplete bodies of all connections together. */
export interface BodyMemory {
  /**
   * Opens an account for a body.
   *
   * @param sender a user or a network
   * @param abort called when this body is the oldest one and its memory is needed for a newer one
   */
  openAccount(sender: string, abort: (problem: Problem) => void): BodyMemoryAccount
}

/**
 * Limits the memory of all incomplete bodies to `all` bytes, and of one sender to `each` bytes. Over the limit, the
 * oldest body is aborted: a body that is sent without pauses is complete within moments, so the oldest ones are held
 * back.
 */
export function createBodyMemory({ each, all }: { each: number; all: number }): BodyMemory {
  const bytesOfSender = new Map<string, number>()
  // In the order in which they were opened.
  const open = new Set<OpenBody>()
  let total = 0

  function count(sender: string, bytes: number): void {
    total += bytes
    const own = (bytesOfSender.get(sender) ?? 0) + bytes
    if (own > 0) bytesOfSender.set(sender, own)
    else bytesOfSender.delete(sender)
  }

  function end(body: OpenBody): void {
    if (open.delete(body)) count(body.sender, -body.bytes)
  }

  function grow(body: OpenBody, bytes: number): void {
    if (!open.has(body)) return
    if ((bytesOfSender.get(body.sender) ?? 0) + bytes > each) throw new Problem('server.busy')
    body.bytes += bytes
    count(body.sender, bytes)
    for (const oldest of open) {
      if (total <= all) return
      end(oldest)
      oldest.abort(new Problem('server.busy'))
    }
  }

  return {
    openAccount(sender, abort) {
      const body: OpenBody = { sender, bytes: 0, abort }
      open.add(body)
      return { grow: (bytes) => grow(body, bytes), [Symbol.dispose]: () => end(body) }
    },
  }
}

interface OpenBody {
  sender: string
  bytes: number
  abort(problem: Problem): void
}
