import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import type { MemoryBudget } from '#src/files/space/memory-budget.ts'
import { extendIdleTimeout } from './idle-timeout.ts'
import { requestSignal } from './request-signal.ts'

/**
 * The memory budget for responses that are built completely in memory. A reservation is released when the response has
 * been written or the client has disconnected.
 *
 * @throws Problem `user.busy`, `server.busy`, from the methods of the result.
 */
export function memoryBudgetFor(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Principal,
): MemoryBudget {
  const { textBytes: texts, listingBytes: answers } = request.server.services.limits
  const holdUntilClosed = (permit: Disposable) => {
    const release = () => permit[Symbol.dispose]()
    if (reply.raw.destroyed) release()
    else reply.raw.once('close', release)
  }
  return {
    async text(bytes, paths) {
      extendIdleTimeout(reply)
      const recheck = () => person.check(paths)
      holdUntilClosed(
        await texts.acquire(person.quotaOwner, { size: bytes, signal: requestSignal(request), recheck }),
      )
    },
    listing(bytes) {
      const permit = answers.tryAcquire(person.quotaOwner, bytes)
      if (!permit) throw new Problem('server.busy')
      holdUntilClosed(permit)
    },
  }
}
