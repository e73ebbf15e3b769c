import type { FastifyRequest } from 'fastify'
import { Problem } from '#src/core/problem.ts'
import { encodePath, type UserPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { extendIdleTimeout } from '#src/http/limits.ts'
import { sendCreated } from '#src/http/replies.ts'
import { modifiedOfHeaders } from '#src/http/request-headers.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { modifiedInMetadata, supportedExtensions } from './tus-protocol.ts'
import {
  asInvalidRequest,
  asPieceProblem,
  conditionsOf,
  headersOf,
  idOf,
  noContent,
  numberOf,
  pieceOf,
  speakTus,
} from './tus-requests.ts'

/** Uploads in pieces under /api/tus (contract/compatibility.md#uploads-in-pieces). */
export async function tusRoutes(app: App) {
  const { uploads, maxUpload, baseUrl } = app.services

  speakTus(app)

  // Not in the contract: no page calls it, and it tells the same to everybody.
  app.route({
    method: 'OPTIONS',
    url: '/api/tus/*',
    config: {
      endpoint: {
        access: 'public',
        changesNothing: true,
        summary: 'Get the supported parts of the tus protocol',
      },
    },
    handler: async (_request, reply) => noContent(reply.headers(supportedExtensions(maxUpload))),
  })

  app.route({
    ...at('POST /api/tus/*'),
    handler: async (request, reply) => {
      const path = filePath(request)
      const length = numberOf(request.headers, 'upload-length')
      if (length > maxUpload) throw new Problem('request.large', { limit: maxUpload })
      extendIdleTimeout(reply)
      const override = request.query.override === 'true'
      const mtime = modifiedInMetadata(request.headers) ?? modifiedOfHeaders(request.headers)
      const conditions = conditionsOf(request.headers)
      const progress = await uploads
        .begin(request.actor(), path, { length, override, conditions, mtime })
        .catch(asInvalidRequest)
      reply.headers(headersOf(progress))
      return sendCreated(reply, `${baseUrl}/api/tus${encodePath(path)}`)
    },
  })

  app.route({
    ...at('GET /api/tus/*'),
    handler: async (request, reply) => {
      const progress = await uploads.find(request.actor(), filePath(request), idOf(request.headers))
      reply.headers({ ...headersOf(progress), 'cache-control': 'no-store' })
      return reply.type('text/plain; charset=utf-8').send('')
    },
  })

  app.route({
    ...at('PATCH /api/tus/*'),
    handler: async (request, reply) => {
      const path = filePath(request)
      const actor = request.actor()
      extendIdleTimeout(reply)
      const piece = pieceOf(request, path)
      const progress = await uploads.append(actor, path, piece).catch(asPieceProblem(reply))
      return noContent(reply.headers(headersOf(progress)))
    },
  })

  app.route({
    ...at('DELETE /api/tus/*'),
    handler: async (request, reply) => {
      await uploads.cancel(request.actor(), filePath(request), idOf(request.headers))
      return noContent(reply)
    },
  })
}

/** A path without a trailing slash. @throws Problem `request.invalid` (400) for a folder; other endpoints use 405. */
function filePath(request: FastifyRequest): UserPath {
  const { path, asFolder } = resourcePath(request)
  if (asFolder) throw new Problem('request.invalid', { field: 'path', reason: 'is a folder' })
  return path
}
