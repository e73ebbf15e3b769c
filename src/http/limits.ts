import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '#src/access/principal.ts'
import type { ScanOwner } from '#src/core/database/scans.ts'
import { Problem, passes, type Recheck, refusalOf } from '#src/core/problem.ts'
import type { MemoryBudget } from '#src/files/space/memory-budget.ts'

/** The number of bytes that the client has announced for the body. Undefined: it has announced none. */
export function announcedBytes({ headers }: FastifyRequest): number | undefined {
  const length = Number(headers['content-length'] ?? Number.NaN)
  return Number.isFinite(length) ? length : undefined
}

/**
 * For work that may take longer than the idle timeout of a client: copying, hashing, searching, flushing. An idle
 * connection is then closed only if the server waits for the client.
 */
export function extendIdleTimeout({ raw: reply, request: { raw } }: FastifyReply): void {
  // With a listener, Node does not close the connection itself (`http.ServerResponse`, event `timeout`).
  reply.on('timeout', (socket: Socket) => {
    const isServerBusy = raw.isPaused() || (raw.complete && socket.writableLength === 0)
    if (!isServerBusy) socket.destroy()
  })
}

// Running responses are aborted within this time after access is revoked, in milliseconds.
const checkIntervalMs = 500

/**
 * Checks repeatedly whether a running response is still allowed, and aborts it when it is not. A response that ends
 * before the first check costs nothing.
 */
export function abortWhenRevoked(out: ServerResponse, isAllowed: () => boolean): void {
  if (out.destroyed) return
  const stop = watchAccess(isAllowed, () => out.destroy())
  out.once('close', stop)
}

/** Calls `onRevoked` once when `isAllowed` returns false. Returns a function that stops checking. */
export function watchAccess(isAllowed: () => boolean, onRevoked: () => void): () => void {
  const timer = setInterval(() => {
    if (isAllowed()) return
    clearInterval(timer)
    onRevoked()
  }, checkIntervalMs).unref()
  return () => clearInterval(timer)
}

/**
 * Aborts when the client of a request disconnects before the response, and when the server stops without waiting for
 * it. Aborts with a Problem when the session ends, the scope of the user changes or the user loses the permission.
 *
 * @param watched.person who sends the request. Missing: the signed-in user. In public endpoints, no access is checked then
 * @param watched.isPermitted whether this person has the permission now
 */
export function requestSignal(request: FastifyRequest, watched: Partial<Watched> = {}): AbortSignal {
  const { raw, server, routeOptions, response } = request
  const { socket } = raw
  const controller = new AbortController()
  if (socket.destroyed || response.destroyed) {
    // No further event would remove what is added below.
    controller.abort()
    return controller.signal
  }
  const isSignedIn = routeOptions.config.endpoint?.access !== 'public'
  const person = watched.person ?? (isSignedIn ? request.actor() : undefined)
  const stop = person && watchPerson({ isPermitted: () => true, ...watched, person }, controller)
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

interface Watched {
  person: Principal
  isPermitted(person: Principal): boolean
}

function watchPerson({ person, isPermitted }: Watched, controller: AbortController): () => void {
  const recheck: Recheck = () => {
    // Rules for the path are checked where they matter; changes of rules for other paths are no reason to abort.
    person.check([])
    if (!isPermitted(person)) throw new Problem('auth.forbidden')
  }
  return watchAccess(
    () => passes(recheck),
    () => controller.abort(refusalOf(recheck)),
  )
}

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
