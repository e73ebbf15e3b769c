import type { IncomingMessage, Server } from 'node:http'
import { decodePath } from '#src/files/paths/user-path.ts'
import { stripBaseUrl } from './server.ts'

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
