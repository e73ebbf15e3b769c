import type { Limits } from '#src/config/config.ts'
import type { Certificate } from './tls.ts'

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
