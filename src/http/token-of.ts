import type { FastifyRequest } from 'fastify'

/** The token in a request's headers (contract W4); undefined: it carries none. */
export function tokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const own = headers['x-auth']
  if (typeof own === 'string' && own) return own
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  return bearer
}
