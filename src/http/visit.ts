import type { FastifyRequest } from 'fastify'
import type { Sorting } from '#contract/users.ts'
import type { OpenShare } from '#src/shares/share-access.ts'

/**
 * Opens the share that the address of a public call names: the id stands where the route has `*`, and the path inside the
 * share follows it. Checks the share, its password and its owner's rights at every call.
 *
 * @throws Problem as `visits.open` does.
 */
export function openVisit(request: FastifyRequest): Promise<OpenShare> {
  const [address = ''] = (request.raw.url ?? '').split('?')
  const own = (request.routeOptions.url ?? '').split('/').filter((name) => name && name !== '*')
  // Cut before it is normalized: no `..` of the path reaches the id or the name of the call.
  const rest = address.split('/').slice(own.length + 1)
  const [, hash = '', inside = ''] = /^([^/%]*)(.*)$/s.exec(rest.join('/')) ?? []
  const { token } = request.query as { token?: string }
  return request.server.services.visits.open(hash, inside, {
    address: request.ip,
    password: passwordOf(request),
    token,
    sorting: sortingOf(request),
  })
}

/** The header is percent-encoded, because headers carry no other alphabet (contract/compatibility.md#share-links). */
function passwordOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-share-password']
  if (typeof given !== 'string' || given === '') return undefined
  try {
    return decodeURIComponent(given)
  } catch {
    return given // not encoded: taken as it is
  }
}

/** The order that the query asks for; undefined: by name. */
function sortingOf({ query }: FastifyRequest): Sorting | undefined {
  const { by, asc } = query as { by?: Sorting['by']; asc?: string }
  return by && { by, asc: asc === 'true' }
}
