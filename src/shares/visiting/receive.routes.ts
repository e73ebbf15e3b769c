import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Received } from '#contract/shares.ts'
import { maySend } from '#src/access/authorize.ts'
import { Problem } from '#src/core/problem.ts'
import { extensionOf, mediaType } from '#src/files/listing/entry.ts'
import {
  depthOf,
  type NormalizedPath,
  nameOf,
  normalizePath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { announcedBytes, extendIdleTimeout, requestSignal } from '#src/http/limits.ts'
import { sendOk } from '#src/http/replies.ts'
import { createWritePrecondition, modifiedOfHeaders } from '#src/http/request-headers.ts'
import { pathInQuery } from '#src/http/resource-path.ts'
import { acceptsType } from '../conditions.ts'
import type { OpenShare } from './share-access.ts'
import { openVisit } from './visit.ts'

/** What visitors change in a share: POST, PUT, PATCH and DELETE /api/public/resources. */
export async function receiveRoutes(app: App) {
  routesForContent(app)
  routesForEntries(app)
}

function routesForContent(app: App): void {
  const { entries, maxUpload } = app.services
  const receive = createReceiving(app)

  /** Makes a folder, or writes a file under a free name. */
  async function receiveNew(request: FastifyRequest, visited: OpenShare): Promise<Received> {
    const { person, typed } = visited
    const signal = signalOf(request, visited)
    const receiving = receive(request, visited, typed.asFolder ? 0 : announcedBytes(request))
    try {
      if (typed.asFolder) {
        await entries.makeFolder(person, typed.path, { signal })
        receiving.madeFolder(typed.path)
        return { path: typed.path, size: 0, sha256: '' }
      }
      const hashed = hashing()
      let received: Received = { path: typed.path, size: 0, sha256: '' }
      const onWritten = (path: UserPath) => {
        received = { path, ...hashed.result() }
        receiving.received(received)
      }
      const upload = { ...uploadOf(request, hashed, receiving.limit), signal, onWritten }
      await entries.uploadNumbered(person, typed.path, upload)
      return received
    } finally {
      receiving.end()
    }
  }

  /** The size is not passed on: a visitor who announces much and sends nothing would reserve the disk. */
  function uploadOf({ raw, headers }: FastifyRequest, hashed: ReturnType<typeof hashing>, limit = maxUpload) {
    const source = { stream: hashed.of(raw), mtime: modifiedOfHeaders(headers) }
    return { source, limit: Math.min(maxUpload, limit) }
  }

  app.route({
    ...at('POST /api/public/resources/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      extendIdleTimeout(reply)
      reply.header('x-visit', visited.visit.ticket)
      refusePath(visited, visited.typed)
      return receiveNew(request, visited)
    },
  })

  app.route({
    ...at('PUT /api/public/resources/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      const { person, typed } = visited
      extendIdleTimeout(reply)
      refusePath(visited, typed)
      const receiving = receive(request, visited, announcedBytes(request))
      const hashed = hashing()
      try {
        const etag = await entries.save(person, typed, {
          ...uploadOf(request, hashed, receiving.limit),
          signal: signalOf(request, visited),
          precondition: createWritePrecondition(request.headers, typed.path),
          onWritten: (path) => receiving.received({ path, ...hashed.result() }),
        })
        reply.header('etag', etag)
        return sendOk(reply)
      } finally {
        receiving.end()
      }
    },
  })
}

/** Returns a function that admits a file of a visitor, which is then counted, told and recorded. */
function createReceiving({ services: { linkUse, clock } }: App) {
  return (request: FastifyRequest, visited: OpenShare, size: number | undefined) => {
    const { share, address, visit, pathOfOwner } = visited
    const { limit, end } = linkUse.receive(share, { size, address })
    const owner = { id: share.userID, name: visited.person.user.username }
    return {
      limit,
      madeFolder: (path: UserPath) => end({ visit: visit.id, path: pathOfOwner(path) }),
      received({ path, size, sha256 }: Received): void {
        const sender = senderOf(visited, path)
        request.operation().note('', { hash: share.hash, owner, path, bytes: size, sender })
        const row = { path, size, sha256, time: clock() }
        end({ visit: visit.id, row, path: pathOfOwner(path as UserPath), sender })
      },
      /** Gives back what was reserved, if nothing was received. */
      end: () => end(),
    }
  }
}

/** The name that a visitor gave: the folder into which everything goes. Undefined: names are not asked for. */
function senderOf({ share }: OpenShare, path: string): string | undefined {
  return share.conditions?.askName ? path.split('/')[1] : undefined
}

function routesForEntries(app: App): void {
  const { entries } = app.services

  app.route({
    ...at('PATCH /api/public/resources/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      const { person, typed } = visited
      extendIdleTimeout(reply)
      const { path: to } = normalizePath(pathInQuery(request, 'destination') ?? '')
      const transfer = { from: typed.path, to, override: false, rename: false }
      // The spelling of the address does not tell whether a folder is moved.
      const check = (stats: Stats) => refusePath(visited, { path: to, asFolder: stats.isDirectory() })
      await entries.move(person, transfer, check)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/public/resources/*'),
    handler: async (request, reply) => {
      const { person, typed } = await openVisit(request)
      extendIdleTimeout(reply)
      await entries.remove(person, typed.path)
      return sendOk(reply)
    },
  })
}

/** Aborts when the visitor leaves, and when the share ends or no longer allows to send. */
function signalOf(request: FastifyRequest, { person }: OpenShare): AbortSignal {
  return requestSignal(request, { person, isPermitted: maySend })
}

/** Deep folders cost more than their files. */
const mostDepth = 32

/**
 * Refuses what may not be sent to this path. Where names are asked for, everything goes to a folder with the name.
 *
 * @throws Problem `request.invalid`, `path.deep`, `share.type`.
 */
function refusePath({ share }: OpenShare, { path, asFolder }: NormalizedPath): void {
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

/** Hashes the bytes of a stream while they pass. */
function hashing() {
  const hash = createHash('sha256')
  let size = 0
  const passing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return {
    of(body: IncomingMessage) {
      // A connection that breaks must not look like the end of the file.
      body.once('close', () => body.complete || passing.destroy())
      return body.pipe(passing)
    },
    result: () => ({ size, sha256: hash.digest('hex') }),
  }
}
