import type { FastifyRequest } from 'fastify'
import type { Peer } from '#src/auth/vouching.ts'

/**
 * The token in a request's headers (contract W4); undefined: it carries none. What has not three parts in `X-Auth` is none,
 * such as the `null` of an old page that has signed out (reference 2.2).
 */
export function tokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const own = headers['x-auth']
  if (typeof own === 'string' && own.split('.').length === 3) return own
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  return bearer
}

/** The other end of the connection of a request, and all its headers, for a proxy that signs people in. */
export function peerOf({ raw }: Pick<FastifyRequest, 'raw'>): Peer {
  return { peer: raw.socket.remoteAddress, headers: raw.rawHeaders }
}
