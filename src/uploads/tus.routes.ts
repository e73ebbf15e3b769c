import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#src/core/problem.ts'
import { encodePath, type UserPath } from '#src/files/paths/user-path.ts'
import { receive } from '#src/files/receiving/receive.ts'
import { type App, at } from '#src/http/at.ts'
import { announcedBytes, extendIdleTimeout, requestSignal } from '#src/http/limits.ts'
import { sendCreated } from '#src/http/replies.ts'
import { modifiedOfHeaders } from '#src/http/request-headers.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import type { UploadProgress } from './append-upload.ts'
import type { Conditions } from './pending-uploads.ts'
import { modifiedInMetadata, protocolHeaders, refuseExtensions, supportedExtensions } from './tus-protocol.ts'
import type { Piece } from './uploads.ts'

/** Uploads in pieces under /api/tus (contract/compatibility.md#uploads-in-pieces). */
export async function tusRoutes(app: App) {
  const { uploads, maxUpload, baseUrl } = app.services

  app.addHook('onRequest', (_request, reply, next) => {
    reply.headers(protocolHeaders)
    next()
  })
  app.addHook('preHandler', (request, _reply, next) => {
    refuseExtensions(request.headers)
    next()
  })

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
      const progress = await uploads.append(actor, path, piece).catch((error: unknown) => {
        // All bytes have arrived. Clients of tus expect the offset in every answer that is no error.
        const isHeld = error instanceof Problem && error.code === 'scan.held'
        if (isHeld) reply.header('upload-offset', String(error.details.size))
        return asInvalidRequest(error)
      })
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

const noContent = (reply: FastifyReply) => reply.code(204).send()

function headersOf({ id, offset, length, etag }: UploadProgress) {
  return {
    'upload-id': id,
    'upload-offset': String(offset),
    'upload-length': String(length),
    ...(etag !== undefined && { etag }),
  }
}

/** A path without a trailing slash. @throws Problem `request.invalid` (400) for a folder; other endpoints use 405. */
function filePath(request: FastifyRequest): UserPath {
  const { path, asFolder } = resourcePath(request)
  if (asFolder) throw new Problem('request.invalid', { field: 'path', reason: 'is a folder' })
  return path
}

/** A folder at the path is 400 (contract/compatibility.md#uploads-in-pieces). */
function asInvalidRequest(error: unknown): never {
  const isFolder = error instanceof Problem && error.code === 'path.folder'
  throw isFolder ? new Problem('request.invalid', { field: 'path', reason: 'is a folder' }) : error
}

/** A number of bytes. @throws Problem `request.invalid` if it is missing or invalid. */
function numberOf(headers: IncomingHttpHeaders, name: 'upload-length' | 'upload-offset'): number {
  const text = headers[name]
  const number = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw new Problem('request.invalid', { field: name, reason: 'must be a number of bytes' })
}

function idOf(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['upload-id']
  return typeof id === 'string' ? id : undefined
}

function conditionsOf(headers: IncomingHttpHeaders): Conditions {
  const names = ['if-match', 'if-none-match', 'if-unmodified-since'] as const
  const present = names.filter((name) => headers[name])
  return Object.fromEntries(present.map((name) => [name, headers[name]]))
}

function pieceOf(request: FastifyRequest, path: UserPath): Piece {
  const { headers, raw } = request
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/offset+octet-stream') throw new Problem('request.type')
  const expected = announcedBytes(request)
  const options = { path, ...(expected !== undefined && { expected }) }
  const disconnected = requestSignal(request)
  return {
    offset: numberOf(headers, 'upload-offset'),
    id: idOf(headers),
    disconnected,
    receive: (file, how) =>
      receive(raw, file, {
        ...options,
        ...how,
        signal: AbortSignal.any([disconnected, how.signal]),
      }),
  }
}
