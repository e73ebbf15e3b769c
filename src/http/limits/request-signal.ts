import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '#src/access/principal.ts'
import type { ScanOwner } from '#src/core/database/scans.ts'
import { Problem } from '#src/core/problem.ts'
import { passes, type Recheck, refusalOf } from '#src/core/recheck.ts'
import { extendIdleTimeout } from './idle-timeout.ts'
import { watchAccess } from './revocation.ts'

/**
 * Aborts when the client of a request disconnects before the response, and when the server stops without waiting for
 * it. Aborts with a Problem when the session ends, the scope of the user changes or the user loses the permission.
 *
 * @param isPermitted whether the user has the permission now
 */
export function requestSignal(
  request: FastifyRequest,
  isPermitted: (actor: Actor) => boolean = () => true,
): AbortSignal {
  const { raw, server, routeOptions, response } = request
  const { socket } = raw
  const controller = new AbortController()
  if (socket.destroyed || response.destroyed) {
    // No further event would remove what is added below.
    controller.abort()
    return controller.signal
  }
  const isSignedIn = routeOptions.config.endpoint?.access !== 'public'
  const stop = isSignedIn ? watchActor(request.actor(), isPermitted, controller) : undefined
  const release = () => {
    stop?.()
    server.runningRequests.delete(controller)
    socket.off('close', onClose)
  }
  const onClose = () => {
    controller.abort()
    release()
  }
  server.runningRequests.add(controller)
  // A keep-alive connection serves many requests: each removes its listener.
  socket.once('close', onClose)
  // Not the end of the request, which comes before the response, as soon as the body was read.
  response.once('close', release)
  return controller.signal
}

/** Returns the signal for a request that has to wait. Also prevents the idle timeout while it waits. */
export function queueSignal(request: FastifyRequest, reply: FastifyReply): () => AbortSignal {
  return () => {
    extendIdleTimeout(reply)
    return requestSignal(request)
  }
}

/** For whom a request scans the history. The scan stops with the request, and delays its idle timeout. */
export function scanOwner(request: FastifyRequest, reply: FastifyReply): ScanOwner {
  extendIdleTimeout(reply)
  const actor = request.actor()
  return {
    owner: actor.quotaOwner.key,
    // The rules for each entry are checked where it is found.
    recheck: () => actor.check([]),
    signal: requestSignal(request),
  }
}

function watchActor(
  actor: Actor,
  isPermitted: (actor: Actor) => boolean,
  controller: AbortController,
): () => void {
  const recheck: Recheck = () => {
    // Rules for the path are checked where they matter; changes of rules for other paths are no reason to abort.
    actor.check([])
    if (!isPermitted(actor)) throw new Problem('auth.forbidden')
  }
  return watchAccess(
    () => passes(recheck),
    () => controller.abort(refusalOf(recheck)),
  )
}
