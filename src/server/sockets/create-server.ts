import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { createConnections } from './connections.ts'
import type { ServerOptions } from './server.ts'
import { SpelledResponse } from './spelled-response.ts'
import { upgradesWith } from './upgrades.ts'

// An idle connection is kept a little longer than proxies keep theirs, so that they close it and not we.
const keepAliveMs = 72_000
// Nobody needs longer for a handshake, and until then nothing is known of who it is.
const handshakeMs = 20_000

/**
 * Makes the servers that requests come to; the framework asks for one for each address that it listens on. All of them
 * share one count of connections.
 */
export function createServers(
  { baseUrl, tls, limits }: ServerOptions,
  connections: ReturnType<typeof createConnections>,
) {
  const http = {
    headersTimeout: limits.requestTimeoutMs,
    // How often Node looks who has taken too long.
    connectionsCheckingInterval: Math.min(30_000, limits.requestTimeoutMs / 2),
    maxHeaderSize: limits.maxHeader,
    highWaterMark: 1024 * 1024,
    shouldUpgradeCallback: upgradesWith(baseUrl),
    ServerResponse: SpelledResponse,
  }
  const handshakeTimeout = Math.min(handshakeMs, limits.requestTimeoutMs)
  return (handler: RequestListener): Server => {
    const guarded = connections.guard(handler)
    const server = tls
      ? createTlsServer({ ...http, ...tls, handshakeTimeout }, guarded)
      : createServer(http, guarded)
    server.keepAliveTimeout = keepAliveMs
    // The body of an upload may take days as long as it moves.
    server.requestTimeout = 0
    server.setTimeout(limits.idleTimeoutMs)
    connections.limit(server, tls !== undefined)
    return server
  }
}
