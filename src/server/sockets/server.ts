import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Limits } from '#src/config/config.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { entryOf } from '#src/core/lookup.ts'
import { networkOf } from '#src/core/network.ts'
import { decodePath } from '#src/files/paths/user-path.ts'
import type { Certificate } from './tls.ts'

// Idle connections stay open a little longer than those of usual proxies, so that the proxy closes them first.
const keepAliveMs = 72_000
// No client needs longer for a TLS handshake, and before it the client is unknown.
const handshakeMs = 20_000

// Older versions are insecure (RFC 8996). Written here because the environment can lower the default of Node.
const tlsVersions = { minVersion: 'TLSv1.2' } as const

/** The options of every listener. Those of Node's HTTP server, with larger reads. */
export const socketOptions = { allowHalfOpen: true, noDelay: true, highWaterMark: 1024 * 1024 }

/**
 * Creates the HTTP servers; the framework requests one for each address that it listens on. All of them share one
 * count of connections.
 */
export function createServers(
  { baseUrl, tls, limits }: ServerOptions,
  connections: ReturnType<typeof createConnections>,
) {
  const http = {
    headersTimeout: limits.requestTimeoutMs,
    // How often Node checks for requests that have timed out.
    connectionsCheckingInterval: Math.min(30_000, limits.requestTimeoutMs / 2),
    maxHeaderSize: limits.maxHeader,
    ...socketOptions,
    shouldUpgradeCallback: createUpgradeFilter(baseUrl),
    ServerResponse: CasedHeadersResponse,
  }
  const handshakeTimeout = Math.min(handshakeMs, limits.requestTimeoutMs)
  const tlsServers: TlsServer[] = []

  function create(handler: RequestListener): Server {
    const guarded = connections.guard(handler)
    const server = tls
      ? createTlsServer({ ...http, ...tlsVersions, ...tls, handshakeTimeout }, guarded)
      : createServer(http, guarded)
    if (server instanceof TlsServer) tlsServers.push(server)
    server.keepAliveTimeout = keepAliveMs
    // Uploading a body may take days, as long as it makes progress.
    server.requestTimeout = 0
    server.setTimeout(limits.idleTimeoutMs)
    connections.limit(server, tls !== undefined)
    return server
  }

  return {
    create,
    /** Uses this certificate for new connections. Present ones keep theirs. @throws Error when it is not valid. */
    setCertificate(pair: Certificate): void {
      for (const server of tlsServers) server.setSecureContext({ ...tlsVersions, ...pair })
    },
  }
}

/** The options of the HTTP application for its servers. */
export interface ServerOptions {
  /** Starts with a slash; empty at the root. */
  baseUrl: string
  /** Addresses or ranges of proxies whose forwarding headers are trusted. */
  trustedProxy: readonly string[]
  /** Undefined: without TLS. */
  tls: Certificate | undefined
  /** The responses that are logged. `errors`: those with a status of 400 and higher. */
  logRequests: 'all' | 'errors'
  limits: Pick<Limits, 'maxBody' | 'maxHeader' | 'requestTimeoutMs' | 'idleTimeoutMs'>
}

/**
 * Returns the URL as the routes expect it: without scheme and host, which proxies may send (RFC 9112 §3.2.2), and
 * without the base path, whether a proxy has stripped it or not.
 */
export function stripBaseUrl(url: string, baseUrl: string): string {
  const path = url.startsWith('/') ? url : `/${/^[a-z]+:\/\/[^/?]*\/?(.*)$/i.exec(url)?.[1] ?? url}`
  if (!baseUrl || !path.startsWith(baseUrl)) return path
  const rest = path.slice(baseUrl.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : path
}

// Header names are case-insensitive (RFC 9110 §5.1), and the framework writes them in lower case. Some clients of File
// Browser compare them case-sensitively.
const spelled = ['Upload-Offset', 'Upload-Length', 'X-Renew-Token', 'X-Share-Password'].map(
  (name) => [name.toLowerCase(), name] as const,
)

/** A response that writes the names of these headers with the capitals of File Browser. */
export class CasedHeadersResponse extends ServerResponse<IncomingMessage> {
  override writeHead(status: number, ...rest: unknown[]): this {
    const last = rest.at(-1)
    const isTable = typeof last === 'object' && last !== null && !Array.isArray(last)
    const headers = isTable ? (last as OutgoingHttpHeaders) : undefined
    for (const [lower, name] of spelled) {
      const value: OutgoingHttpHeader | undefined = entryOf(headers ?? {}, lower) ?? this.getHeader(lower)
      if (value === undefined) continue
      if (headers) Reflect.deleteProperty(headers, lower)
      this.removeHeader(lower)
      this.setHeader(name, value)
    }
    return super.writeHead(status, ...(rest as [OutgoingHttpHeaders]))
  }
}

/**
 * Decides which requests are upgraded to a WebSocket: those for the WebSocket endpoint, when it is switched on. Any
 * other offer of an upgrade, as some clients make for HTTP/2, is ignored and the request gets a normal response
 * (RFC 9110 §7.8).
 */
export function createUpgradeFilter(baseUrl: string) {
  return function isUpgraded(this: Server, { method, url = '/', headers }: IncomingMessage): boolean {
    if (this.listenerCount('upgrade') === 0 || method !== 'GET') return false
    const [path = ''] = stripBaseUrl(url, baseUrl).split('?')
    return (
      /^websocket$/i.test(headers.upgrade ?? '') && /^\/api\/command(\/|$)/.test(path) && isReadable(path)
    )
  }
}

/** A path that cannot be decoded is refused like in any other request. */
function isReadable(path: string): boolean {
  try {
    return decodePath(path) !== undefined
  } catch {
    return false
  }
}

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
export function limitPerNetwork(all: number): number {
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
