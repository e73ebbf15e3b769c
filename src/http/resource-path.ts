import type { FastifyRequest } from 'fastify'
import { decodePath, type TypedPath } from '#src/files/paths/user-path.ts'

/**
 * The resource path of a request: what follows `/api/<noun>`, decoded exactly once, by us. The router's own reading of
 * it decides only which route this is.
 *
 * @param segments how many names of the address are the call's own and not the path's
 * @throws Problem `path.invalid`.
 */
export function resourcePath(request: FastifyRequest, segments = 2): TypedPath {
  const [address = ''] = (request.raw.url ?? '').split('?')
  // Cut before it is normalised: no `..` of the path reaches into the name of the call.
  const [, ...names] = address.split('/')
  return decodePath(
    names
      .slice(segments)
      .map((name) => `/${name}`)
      .join(''),
  )
}

/**
 * The resource path of a request by the address of its route: what stands where the route has `*`.
 *
 * @throws Problem `path.invalid`.
 */
export function addressedPath(request: FastifyRequest): TypedPath {
  const names = (request.routeOptions.url ?? '').split('/').filter((name) => name && name !== '*')
  return resourcePath(request, names.length)
}
