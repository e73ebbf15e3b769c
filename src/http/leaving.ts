import type { FastifyRequest } from 'fastify'
import type { Actor } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { watch } from './while-allowed.ts'

/**
 * Aborts when the client of a request leaves before it is answered, and when the server stops without waiting for it;
 * with a Problem when its session ends, or its user is given another folder or loses the right to go on.
 *
 * @param may whether they have that right at this moment
 */
export function leaving(request: FastifyRequest, may: (actor: Actor) => boolean = () => true): AbortSignal {
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

function watchActor(actor: Actor, may: (actor: Actor) => boolean, controller: AbortController): () => void {
  // Rules about the path are asked again where it counts; those about others are no reason.
  const isAllowed = () => actor.stands([]) && may(actor)
  return watch(isAllowed, () =>
    controller.abort(new Problem(isIn(actor) ? 'auth.forbidden' : 'auth.required')),
  )
}

function isIn(actor: Actor): boolean {
  try {
    return actor.user !== undefined
  } catch {
    return false
  }
}
