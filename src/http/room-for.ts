import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '#src/auth/actor.ts'
import type { Room } from '#src/files/room.ts'
import { countedFor, isVisitor } from './counted-for.ts'
import { leaving } from './leaving.ts'
import { mayTakeLong } from './our-turn.ts'

/**
 * Room in memory for a file that is answered whole: waited for a while, then held until the answer has been written or
 * the client has left, for until then its bytes are in memory.
 *
 * @throws Problem `user.busy`, `server.busy`, from what it answers.
 */
export function roomFor(request: FastifyRequest, reply: FastifyReply, person: Person): Room {
  return async (bytes, paths) => {
    const { texts } = request.server.services.limits
    const turns = isVisitor(person) ? texts.visitors : texts.users
    mayTakeLong(reply)
    const turn = await turns.enter(countedFor(request, person), {
      size: bytes,
      signal: leaving(request),
      recheck: () => person.check(paths),
    })
    const giveBack = () => turn[Symbol.dispose]()
    if (reply.raw.destroyed) giveBack()
    else reply.raw.once('close', giveBack)
  }
}
