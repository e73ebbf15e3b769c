import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'

/** How many connections there may be. */
export interface ConnectionLimits {
  /** All together. */
  all: number
  /** Whether the headers of a peer are believed: a trusted proxy brings connections of many clients. */
  trusts: (peer: string | undefined) => boolean
}

// Browsers send one request at a time on a connection, and programs a few; whoever sends more wants to fill the memory.
const mostPipelined = 32
// How often idle connections are closed to make room.
const makeRoomEveryMs = 1000

/** The share of one network. */
function shareOf(all: number): number {
  return Math.max(16, Math.ceil(all / 4))
}

/**
 * Counts the connections of all servers that are made with it, until they close: also while they shake hands, while they
 * are idle, and as WebSockets. What is over the limit is answered with 503 where that can be read, and closed.
 */
export function createConnections({ all, trusts }: ConnectionLimits) {
  const each = shareOf(all)
  const networks = createSemaphore('connections', { each, all: Number.POSITIVE_INFINITY })
  const total = createSemaphore('connections', { all })
  let madeRoomAt = Number.NEGATIVE_INFINITY

  function makeRoom(server: Server): void {
    if (performance.now() - madeRoomAt < makeRoomEveryMs) return
    madeRoomAt = performance.now()
    server.closeIdleConnections()
  }

  /** Counts a connection; undefined when there are too many. */
  function admit(server: Server, { remoteAddress }: Socket): Disposable | undefined {
    const permits = new DisposableStack()
    if (!trusts(remoteAddress)) {
      const own = networks.tryAcquire(networkOf(remoteAddress ?? ''))
      if (!own) return undefined
      permits.use(own)
    }
    const permit = total.tryAcquire('all')
    if (!permit) {
      permits.dispose()
      makeRoom(server)
      return undefined
    }
    permits.use(permit)
    return permits
  }

  return {
    /** Wraps the handler of a server's requests: too many unanswered ones on one connection close it. */
    guard(handler: RequestListener): RequestListener {
      const unanswered = new WeakMap<Socket, number>()
      const count = (socket: Socket, by: number) => {
        const now = (unanswered.get(socket) ?? 0) + by
        unanswered.set(socket, now)
        return now
      }
      return (request: IncomingMessage, reply: ServerResponse) => {
        const { socket } = request
        if (socket.destroyed) return
        if (count(socket, 1) > mostPipelined) return void socket.destroy()
        reply.once('close', () => count(socket, -1))
        handler(request, reply)
      }
    },

    /** Counts the connections of a server from now on. @param isTls they begin with a handshake */
    limit(server: Server, isTls: boolean): void {
      const serve = server.listeners('connection')
      server.removeAllListeners('connection')
      server.on('connection', (socket: Socket) => {
        const permit = admit(server, socket)
        if (!permit) return refuse(socket, isTls)
        socket.once('close', () => permit[Symbol.dispose]())
        for (const listener of serve) listener.call(server, socket)
      })
    },
  }
}

/**
 * Behind a trusted proxy a client has no connection of its own to count: there its requests under way are counted, as
 * many as it might have connections.
 */
export function limitClients(app: App, { all, trusts }: ConnectionLimits): void {
  const requests = createSemaphore('requests', { each: shareOf(all), all: Number.POSITIVE_INFINITY })
  app.addHook('onRequest', (request, reply, next) => {
    const { ip, raw } = request
    const { remoteAddress } = raw.socket
    // The proxy itself, and a unix socket without a client that anybody named.
    if (!ip || ip === remoteAddress || !trusts(remoteAddress)) return next()
    const permit = requests.tryAcquire(networkOf(ip))
    if (!permit) return next(new Problem('request.limited', { seconds: 1 }))
    reply.raw.once('close', () => permit[Symbol.dispose]())
    next()
  })
}

function refuse(socket: Socket, isTls: boolean): void {
  socket.on('error', () => {}) // it may be gone before it reads the answer
  if (isTls) return void socket.destroy() // nothing can be said before the handshake
  const body = '503 Service Unavailable (too much at once; try again)\n'
  socket.end(
    'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n' +
      `Retry-After: 1\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
  socket.destroySoon()
}
