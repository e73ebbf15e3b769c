import type { FastifyRequest } from 'fastify'
import type { Received } from '#contract/shares.ts'
import type { Sorting } from '#contract/users.ts'
import { Problem } from '#src/core/problem.ts'
import { extensionOf, mediaType } from '#src/files/listing/entry.ts'
import { depthOf, type NormalizedPath, nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { bearerToken } from '#src/http/request-headers.ts'
import { acceptsType } from '../conditions.ts'
import type { OpenShare } from './share-access.ts'

/**
 * Opens the share that the URL of a public request names: the share id is at the `*` of the route, followed by the path
 * inside the share. Checks the share, its password and the permissions of its owner on every request.
 *
 * @throws Problem as `shareAccess.open` does.
 */
export async function openVisit(request: FastifyRequest): Promise<OpenShare> {
  const [address = ''] = (request.raw.url ?? '').split('?')
  const own = (request.routeOptions.url ?? '').split('/').filter((name) => name && name !== '*')
  // Cut before it is normalized: no `..` of the path can change the id or the names of the endpoint.
  const rest = address.split('/').slice(own.length + 1)
  const [, hash = '', pathInShare = ''] = /^([^/%]*)(.*)$/s.exec(rest.join('/')) ?? []
  const { token } = request.query as { token?: string }
  const operation = request.routeOptions.config.endpoint?.changes ? request.operation() : undefined
  const visited = await request.server.services.shareAccess.open(hash, pathInShare, {
    address: request.ip,
    password: passwordOf(request),
    token,
    bearer: bearerToken(request),
    sorting: sortingOf(request),
    visit: ticketOf(request),
    change: operation,
  })
  operation?.note(`by a visitor of a share of ${visited.person.user.username}`)
  return visited
}

/** The header is percent-encoded, because headers only allow ASCII text (contract/compatibility.md#share-links). */
function passwordOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-share-password']
  if (typeof given !== 'string' || given === '') return undefined
  try {
    return decodeURIComponent(given)
  } catch {
    return given // not encoded: used as it is
  }
}

/** The sorting in the query; undefined: by name. */
function sortingOf({ query }: FastifyRequest): Sorting | undefined {
  const { by, asc } = query as { by?: Sorting['by']; asc?: string }
  return by && { by, asc: asc === 'true' }
}

function ticketOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-visit']
  return typeof given === 'string' ? given : undefined
}

/** Deep folders cost more than their files. */
const mostDepth = 32

/**
 * Refuses what may not be sent to this path. Where names are asked for, everything goes to a folder with the name.
 *
 * @throws Problem `request.invalid`, `path.deep`, `share.type`.
 */
export function refusePath({ share }: OpenShare, { path, asFolder }: NormalizedPath): void {
  const { conditions = {} } = share
  const depth = depthOf(path)
  if (depth > mostDepth) throw new Problem('path.deep', { path, most: mostDepth })
  if (conditions.askName && depth < (asFolder ? 1 : 2))
    throw new Problem('request.invalid', {
      field: 'path',
      reason: 'must begin with a folder that has your name',
    })
  const about = { mediaType: mediaType(path), extension: extensionOf(nameOf(path)) }
  if (!asFolder && !acceptsType(conditions, about)) throw new Problem('share.type', { path })
}

/**
 * Admits a file of a visitor. When it is received, it is counted and recorded, and its event is emitted.
 *
 * @param size its bytes. Undefined: not known
 * @throws Problem `share.limit`, `request.large`, `server.busy`.
 */
export function receive(request: FastifyRequest, visited: OpenShare, size: number | undefined) {
  const { linkUse, clock } = request.server.services
  const { share, address, visit, pathOfOwner } = visited
  const { limit, end } = linkUse.receive(share, { size, address })
  const owner = { id: share.userID, name: visited.person.user.username }
  return {
    /** Maximum number of bytes that it may have. Undefined: no limit of the share. */
    limit,
    madeFolder: (path: UserPath) => end({ visit: visit.id, path: pathOfOwner(path) }),
    received({ path, size: bytes, sha256 }: Received): void {
      const sender = senderOf(visited, path)
      request.operation().note('', { hash: share.hash, owner, path, bytes, sender })
      const row = { path, size: bytes, sha256, time: clock() }
      end({ visit: visit.id, row, path: pathOfOwner(path as UserPath), sender })
    },
    /** Gives back what was reserved, if nothing was received. */
    end: () => end(),
  }
}

/** The name that a visitor gave: the folder into which everything goes. Undefined: names are not asked for. */
function senderOf({ share }: OpenShare, path: string): string | undefined {
  return share.conditions?.askName ? path.split('/')[1] : undefined
}

/** Whether a file has arrived and is held back until it is examined. */
export function isHeld(error: unknown): boolean {
  return error instanceof Problem && error.code === 'scan.held'
}
