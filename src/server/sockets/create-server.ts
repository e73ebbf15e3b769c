import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { createConnections } from './connections.ts'
import type { ServerOptions } from './server.ts'
import { CasedHeadersResponse } from './spelled-response.ts'
import type { Certificate } from './tls.ts'
import { createUpgradeFilter } from './upgrades.ts'

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
