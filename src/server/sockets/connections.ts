import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'

/** The limits for connections. */
export interface ConnectionLimits {
  /** The maximum for all clients together. */
  all: number
  /** Whether a peer is a trusted proxy, which opens connections for many clients and whose headers are trusted. */
  isTrustedProxy: (peer: string | undefined) => boolean
}

// Browsers send one request at a time on a connection, and programs a few. More than this would only fill the memory.
const maxPipelined = 32
// The minimum time between two attempts to close idle connections when the limit is reached.
const closeIdleEveryMs = 1000

/** The maximum for one network. */
function limitPerNetwork(all: number): number {
  return Math.max(16, Math.ceil(all / 4))
}

/**
 * Counts the connections of all servers that are created with it, until they close: also during the TLS handshake,
 * while they are idle, and as WebSockets. Connections over the limit get a 503 response where it can be read, and are
 * closed.
 */
export function createConnections({ all, isTrustedProxy }: ConnectionLimits) {
  const each = limitPerNetwork(all)
  const networks = createSemaphore('connections', { each, all: Number.POSITIVE_INFINITY })
  const total = createSemaphore('connections', { all })
  let closedIdleAt = Number.NEGATIVE_INFINITY

  function closeIdle(server: Server): void {
    if (performance.now() - closedIdleAt < closeIdleEveryMs) return
    closedIdleAt = performance.now()
    server.closeIdleConnections()
  }

  /** Counts a connection; undefined when the limit is reached. */
  function admit(server: Server, { remoteAddress }: Socket): Disposable | undefined {
    const permits = new DisposableStack()
    if (!isTrustedProxy(remoteAddress)) {
      const own = networks.tryAcquire(networkOf(remoteAddress ?? ''))
      if (!own) return undefined
      permits.use(own)
    }
    const permit = total.tryAcquire('all')
    if (!permit) {
      permits.dispose()
      closeIdle(server)
      return undefined
    }
    permits.use(permit)
    return permits
  }

  return {
    /** Wraps the request handler of a server: closes a connection with too many pending requests. */
    guard(handler: RequestListener): RequestListener {
      const pending = new WeakMap<Socket, number>()
      const count = (socket: Socket, by: number) => {
        const now = (pending.get(socket) ?? 0) + by
        pending.set(socket, now)
        return now
      }
      return (request: IncomingMessage, reply: ServerResponse) => {
        const { socket } = request
        if (socket.destroyed) return
        if (count(socket, 1) > maxPipelined) return void socket.destroy()
        reply.once('close', () => count(socket, -1))
        handler(request, reply)
      }
    },

    /** Counts the connections of a server from now on. @param isTls whether they begin with a handshake */
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
 * Limits the running requests of each client behind a trusted proxy, because such a client has no connection of its
 * own to count. The limit is the number of connections that a client without a proxy may have.
 */
export function limitClients(app: App, { all, isTrustedProxy }: ConnectionLimits): void {
  const requests = createSemaphore('requests', { each: limitPerNetwork(all), all: Number.POSITIVE_INFINITY })
  app.addHook('onRequest', (request, reply, next) => {
    const { ip, raw } = request
    const { remoteAddress } = raw.socket
    // The proxy itself, or a Unix socket without the address of a client.
    if (!ip || ip === remoteAddress || !isTrustedProxy(remoteAddress)) return next()
    const permit = requests.tryAcquire(networkOf(ip))
    if (!permit) return next(new Problem('request.limited', { seconds: 1 }))
    reply.raw.once('close', () => permit[Symbol.dispose]())
    next()
  })
}

function refuse(socket: Socket, isTls: boolean): void {
  socket.on('error', () => {}) // the client may disconnect before it reads the response
  if (isTls) return void socket.destroy() // no response is possible before the handshake
  const body = '503 Service Unavailable (the server is busy; try again in a moment)\n'
  socket.end(
    'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n' +
      `Retry-After: 1\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
  socket.destroySoon()
}
