import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import type { MemoryBudget } from '#src/files/space/memory-budget.ts'
import { allowSlowWork } from './idle-timeout.ts'
import { requestSignal } from './request-signal.ts'

/**
 * Room in memory for what is answered whole, held until the answer has been written or the client has left: until then
 * its bytes are in memory.
 *
 * @throws Problem `user.busy`, `server.busy`, from what it answers.
 */
export function memoryBudgetFor(request: FastifyRequest, reply: FastifyReply, person: Person): MemoryBudget {
  const { texts, answers } = request.server.services.limits
  const keep = (turn: Disposable) => {
    const giveBack = () => turn[Symbol.dispose]()
    if (reply.raw.destroyed) giveBack()
    else reply.raw.once('close', giveBack)
  }
  return {
    async text(bytes, paths) {
      allowSlowWork(reply)
      const recheck = () => person.check(paths)
      keep(await texts.acquire(person.payer, { size: bytes, signal: requestSignal(request), recheck }))
    },
    listing(bytes) {
      const turn = answers.tryAcquire(person.payer, bytes)
      if (!turn) throw new Problem('server.busy')
      keep(turn)
    },
  }
}
