import type { FastifyRequest } from 'fastify'
import type { Peer } from '#src/auth/external-auth.ts'
import { isOwnOrigin } from './origin.ts'

/**
 * Returns the token in the headers of a request, or undefined if there is none (contract/README.md#sessions). A value
 * of `X-Auth` without three parts is ignored, such as the `null` that an old page sends after signing out
 * (contract/compatibility.md#tokens).
 */
export function bearerToken({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const xAuth = headers['x-auth']
  if (typeof xAuth === 'string' && xAuth.split('.').length === 3) return xAuth
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  return bearer
}

/**
 * Returns the token in the cookie `auth`, which clients of File Browser since 2.24 set themselves. Accepts it only if
 * the request comes from a page of this site or from no page; otherwise returns undefined
 * (contract/README.md#sessions). Browsers send the cookie also with requests from other sites, but they report where
 * a request comes from (Fetch Metadata §2; RFC 6455 §10.2 for WebSockets).
 */
export function cookieToken(request: FastifyRequest): string | undefined {
  const { method, headers } = request
  const isUpgrade = headers.upgrade !== undefined
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const isSameOrigin = isUpgrade
    ? headers.origin !== undefined && isOwnOrigin(request)
    : ['same-origin', 'none'].includes(String(headers['sec-fetch-site']))
  if (!isSameOrigin) return undefined
  // Another program on the same host may have set a cookie of the same name: cookies do not distinguish ports.
  const tokens = [...(headers.cookie ?? '').matchAll(/(?:^|;)\s*auth=([\w.-]+)(?=\s*(?:;|$))/g)]
  return tokens.map(([, token]) => token).find((token) => token?.split('.').length === 3)
}

/** The address of the peer of a request, and all its headers, for a proxy that authenticates users. */
export function peerOf({ raw }: Pick<FastifyRequest, 'raw'>): Peer {
  return { peer: raw.socket.remoteAddress, headers: raw.rawHeaders }
}
