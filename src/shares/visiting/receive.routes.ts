import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Received } from '#contract/shares.ts'
import { denialOf } from '#src/access/authorize.ts'
import { Problem } from '#src/core/problem.ts'
import { extensionOf, mediaType } from '#src/files/listing/entry.ts'
import { depthOf, nameOf, normalizePath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { extendIdleTimeout, requestSignal } from '#src/http/limits.ts'
import { sendOk } from '#src/http/replies.ts'
import { createWritePrecondition, modifiedOfHeaders } from '#src/http/request-headers.ts'
import { pathInQuery } from '#src/http/resource-path.ts'
import { acceptsType } from '../conditions.ts'
import type { OpenShare } from './share-access.ts'
import { openVisit } from './visit.ts'

/** What visitors change in a share: POST, PUT, PATCH and DELETE /api/public/resources. */
export async function receiveRoutes(app: App) {
  const { entries, linkUse, clock, maxUpload } = app.services

  app.route({
    ...at('POST /api/public/resources/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      const { person, typed, share, visit } = visited
      extendIdleTimeout(reply)
      reply.header('x-visit', visit.ticket)
      refuseWithoutName(visited)
      const signal = signalOf(request, visited)
      if (typed.asFolder) {
        await entries.makeFolder(person, typed.path, { signal })
        return { path: typed.path, size: 0, sha256: '' }
      }
      refuseType(visited)
      const size = lengthOf(request)
      const receiving = linkUse.receive(share, size)
      try {
        const hashed = hashing()
        const { path } = await entries.uploadNumbered(person, typed.path, {
          source: { stream: hashed.of(request.raw), size, mtime: modifiedOfHeaders(request.headers) },
          limit: Math.min(maxUpload, receiving.limit ?? maxUpload),
          signal,
        })
        const received: Received = { path, ...hashed.result() }
        receiving.end({ visit: visit.id, row: { ...received, time: clock() } })
        return received
      } finally {
        receiving.end()
      }
    },
  })

  app.route({
    ...at('PUT /api/public/resources/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      const { person, typed } = visited
      extendIdleTimeout(reply)
      const etag = await entries.save(person, typed, {
        source: { stream: request.raw, size: lengthOf(request), mtime: modifiedOfHeaders(request.headers) },
        limit: maxUpload,
        signal: signalOf(request, visited),
        precondition: createWritePrecondition(request.headers, typed.path),
      })
      reply.header('etag', etag)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('PATCH /api/public/resources/*'),
    handler: async (request, reply) => {
      const { person, typed } = await openVisit(request)
      extendIdleTimeout(reply)
      const to = normalizePath(pathInQuery(request, 'destination') ?? '').path
      await entries.move(person, { from: typed.path, to, override: false, rename: false })
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

function maySend(person: OpenShare['person']): boolean {
  return denialOf(person, 'create') === undefined || denialOf(person, 'save') === undefined
}

/** Where names are asked for, everything goes to a folder with the name. @throws Problem `request.invalid`. */
function refuseWithoutName({ share, typed }: OpenShare): void {
  const { path, asFolder } = typed
  if (!share.conditions?.askName || asFolder || depthOf(path) > 1) return
  throw new Problem('request.invalid', {
    field: 'path',
    reason: 'must begin with a folder that has your name',
  })
}

function refuseType({ share, typed: { path } }: OpenShare): void {
  const name = nameOf(path)
  const about = { mediaType: mediaType(name), extension: extensionOf(name) }
  if (!acceptsType(share.conditions ?? {}, about)) throw new Problem('share.type', { path })
}

function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = Number(headers['content-length'] ?? Number.NaN)
  return Number.isFinite(length) ? length : undefined
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
