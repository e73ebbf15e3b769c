import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { holds, type Recheck, refusalOf } from '#src/core/recheck.ts'
import { allowSlowWork } from './idle-timeout.ts'
import { watchAccess } from './revocation.ts'

/**
 * Aborts when the client of a request leaves before it is answered, and when the server stops without waiting for it;
 * with a Problem when its session ends, or its user is given another folder or loses the right to go on.
 *
 * @param may whether they have that right at this moment
 */
export function requestSignal(
  request: FastifyRequest,
  may: (actor: Actor) => boolean = () => true,
): AbortSignal {
  const { raw, server, routeOptions } = request
  const controller = new AbortController()
  if (raw.socket.destroyed) controller.abort()
  const { socket } = raw
  const leave = () => controller.abort()
  const isSignedIn = routeOptions.config.endpoint?.access !== 'public'
  const stop = isSignedIn ? watchActor(request.actor(), may, controller) : undefined
  server.underWay.add(controller)
  socket.once('close', leave)
  // A kept-alive connection serves many requests: each takes its listener away again.
  raw.once('close', () => {
    stop?.()
    server.underWay.delete(controller)
    if (!socket.destroyed) socket.off('close', leave)
  })
  return controller.signal
}

/** For a call that may have to wait: called when it does, so that it is not cut for its silence, and given up with it. */
export function waitSignal(request: FastifyRequest, reply: FastifyReply): () => AbortSignal {
  return () => {
    allowSlowWork(reply)
    return requestSignal(request)
  }
}

function watchActor(actor: Actor, may: (actor: Actor) => boolean, controller: AbortController): () => void {
  const recheck: Recheck = () => {
    // Rules about the path are checked again where it counts; those about others are no reason.
    actor.check([])
    if (!may(actor)) throw new Problem('auth.forbidden')
  }
  return watchAccess(
    () => holds(recheck),
    () => controller.abort(refusalOf(recheck)),
  )
}
