import type { FastifyRequest } from 'fastify'
import { Problem } from '#src/core/problem.ts'
import { decodePath, type NormalizedPath } from '#src/files/paths/user-path.ts'

/**
 * The resource path of a request: the part after `/api/<noun>`, decoded exactly once, here. The router decodes it
 * only to choose the route.
 *
 * @param segments the number of names in the URL that belong to the endpoint and not to the path
 * @throws Problem `path.invalid`.
 */
export function resourcePath(request: FastifyRequest, segments = 2): NormalizedPath {
  const [url = ''] = (request.raw.url ?? '').split('?')
  // Cut before it is normalized: no `..` of the path can remove a name of the endpoint.
  const [, ...names] = url.split('/')
  return decodePath(
    names
      .slice(segments)
      .map((name) => `/${name}`)
      .join(''),
  )
}

/**
 * The resource path of a request, from the URL of its route: the part at the `*` of the route.
 *
 * @throws Problem `path.invalid`.
 */
export function routeResourcePath(request: FastifyRequest): NormalizedPath {
  const names = (request.routeOptions.url ?? '').split('/').filter((name) => name && name !== '*')
  return resourcePath(request, names.length)
}

/**
 * A path in the query, decoded once; undefined: the query has none. A raw `+` is a space, as in every form encoding. The
 * framework takes what is not UTF-8 as it is written, so the URL is read here.
 *
 * @throws Problem `path.invalid`.
 */
export function pathInQuery({ raw }: FastifyRequest, name: string): string | undefined {
  const start = `${name}=`
  // Only the first `?` begins the query.
  const [, ...query] = (raw.url ?? '').split('?')
  const fields = query.join('?').split('&')
  const written = fields.find((one) => one.startsWith(start))?.slice(start.length)
  try {
    return written && decodeURIComponent(written.replaceAll('+', ' '))
  } catch (error) {
    throw new Problem('path.invalid', { reason: 'it is not percent-encoded UTF-8' }, { cause: error })
  }
}
