import type { FastifyRequest } from 'fastify'
import type { Peer } from '#src/auth/external-auth.ts'
import { isOwnOrigin } from './origin.ts'

/**
 * The token in a request's headers (contract/README.md#sessions); undefined: it carries none. What has not three parts in `X-Auth` is none,
 * such as the `null` of an old page that has signed out (contract/compatibility.md#tokens).
 */
export function bearerToken({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const own = headers['x-auth']
  if (typeof own === 'string' && own.split('.').length === 3) return own
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  return bearer
}

/**
 * The token in the cookie `auth`, which clients of File Browser since 2.24 set themselves, when the request comes from a page
 * of ours or from no page (contract/README.md#sessions); undefined: there is none to believe. Browsers send a cookie with whatever another
 * site makes them ask for, but they also tell where a request comes from (Fetch Metadata §2; RFC 6455 §10.2 for sockets).
 */
export function cookieToken(request: FastifyRequest): string | undefined {
  const { method, headers } = request
  const isUpgrade = headers.upgrade !== undefined
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const isOurs = isUpgrade
    ? headers.origin !== undefined && isOwnOrigin(request)
    : ['same-origin', 'none'].includes(String(headers['sec-fetch-site']))
  if (!isOurs) return undefined
  // Another program on the same host may have set one of the same name: cookies know no ports.
  const given = [...(headers.cookie ?? '').matchAll(/(?:^|;)\s*auth=([\w.-]+)(?=\s*(?:;|$))/g)]
  return given.map(([, token]) => token).find((token) => token?.split('.').length === 3)
}

/** The other end of the connection of a request, and all its headers, for a proxy that signs people in. */
export function peerOf({ raw }: Pick<FastifyRequest, 'raw'>): Peer {
  return { peer: raw.socket.remoteAddress, headers: raw.rawHeaders }
}
