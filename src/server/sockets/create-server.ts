import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { createConnections } from './connections.ts'
import type { ServerOptions } from './server.ts'
import { CasedHeadersResponse } from './spelled-response.ts'
import { createUpgradeFilter } from './upgrades.ts'

// Idle connections stay open a little longer than those of usual proxies, so that the proxy closes them first.
const keepAliveMs = 72_000
// No client needs longer for a TLS handshake, and before it the client is unknown.
const handshakeMs = 20_000

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
    highWaterMark: 1024 * 1024,
    shouldUpgradeCallback: createUpgradeFilter(baseUrl),
    ServerResponse: CasedHeadersResponse,
  }
  const handshakeTimeout = Math.min(handshakeMs, limits.requestTimeoutMs)
  return (handler: RequestListener): Server => {
    const guarded = connections.guard(handler)
    const server = tls
      ? createTlsServer({ ...http, ...tls, handshakeTimeout }, guarded)
      : createServer(http, guarded)
    server.keepAliveTimeout = keepAliveMs
    // Uploading a body may take days, as long as it makes progress.
    server.requestTimeout = 0
    server.setTimeout(limits.idleTimeoutMs)
    connections.limit(server, tls !== undefined)
    return server
  }
}
