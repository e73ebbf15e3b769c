import type { IncomingMessage, Server } from 'node:http'
import { decodePath } from '#src/files/paths/user-path.ts'
import { plainUrl } from './server.ts'

/**
 * Tells which requests leave HTTP for a WebSocket: those for the one call that is one, when it is switched on. Any other
 * offer of an upgrade, as some clients make for HTTP/2, is passed over and the request answered (RFC 9110 §7.8).
 */
export function upgradesWith(baseUrl: string) {
  return function isUpgraded(this: Server, { method, url = '/', headers }: IncomingMessage): boolean {
    if (this.listenerCount('upgrade') === 0 || method !== 'GET') return false
    const [path = ''] = plainUrl(url, baseUrl).split('?')
    return (
      /^websocket$/i.test(headers.upgrade ?? '') && /^\/api\/command(\/|$)/.test(path) && isReadable(path)
    )
  }
}

/** An address that nobody can read is refused like any other such request. */
function isReadable(path: string): boolean {
  try {
    return decodePath(path) !== undefined
  } catch {
    return false
  }
}
