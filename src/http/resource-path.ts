import type { FastifyRequest } from 'fastify'
import { decodePath, type TypedPath } from '#src/files/user-path.ts'

/**
 * The resource path of a request: what follows `/api/<noun>`, decoded exactly once, by us. The router's own reading of
 * it decides only which route this is.
 *
 * @throws Problem `path.invalid`.
 */
export function resourcePath(request: FastifyRequest): TypedPath {
  const [address = ''] = (request.raw.url ?? '').split('?')
  return decodePath(/^\/[^/]+\/[^/]+(.*)$/.exec(address)?.[1] ?? '')
}
