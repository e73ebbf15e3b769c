import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pace } from '#src/core/concurrency/pace.ts'
import { Problem } from '#src/core/problem.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { receive } from '#src/files/receiving/receive.ts'
import type { App } from '#src/http/at.ts'
import { announcedBytes, requestSignal } from '#src/http/limits.ts'
import { pacedBody } from '#src/http/paced.ts'
import type { UploadProgress } from './append-upload.ts'
import type { Conditions } from './pending-uploads.ts'
import { protocolHeaders, refuseExtensions } from './tus-protocol.ts'
import type { Piece } from './uploads.ts'

/** Adds the headers of tus to all responses of these routes, and refuses what is not supported. */
export function speakTus(app: App): void {
  app.addHook('onRequest', (_request, reply, next) => {
    reply.headers(protocolHeaders)
    next()
  })
  app.addHook('preHandler', (request, _reply, next) => {
    refuseExtensions(request.headers)
    next()
  })
}

/** Rethrows an error of a piece. All bytes of a file that is held have arrived, so the answer says so. */
export function asPieceProblem(reply: FastifyReply): (error: unknown) => never {
  return (error) => {
    // Clients of tus expect the offset in every answer that is no error.
    const isHeld = error instanceof Problem && error.code === 'scan.held'
    if (isHeld) reply.header('upload-offset', String(error.details.size))
    return asInvalidRequest(error)
  }
}

/** A folder at the path is 400 (contract/compatibility.md#uploads-in-pieces). */
export function asInvalidRequest(error: unknown): never {
  const isFolder = error instanceof Problem && error.code === 'path.folder'
  throw isFolder ? new Problem('request.invalid', { field: 'path', reason: 'is a folder' }) : error
}

/** Ends a response without a body. */
export const noContent = (reply: FastifyReply) => reply.code(204).send()

/** The headers of a response that say how much has arrived. */
export function headersOf({ id, offset, length, etag }: UploadProgress) {
  return {
    'upload-id': id,
    'upload-offset': String(offset),
    'upload-length': String(length),
    ...(etag !== undefined && { etag }),
  }
}

/** A number of bytes. @throws Problem `request.invalid` if it is missing or invalid. */
export function numberOf(headers: IncomingHttpHeaders, name: 'upload-length' | 'upload-offset'): number {
  const text = headers[name]
  const number = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw new Problem('request.invalid', { field: name, reason: 'must be a number of bytes' })
}

/** The id of an upload in a request. */
export function idOf(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['upload-id']
  return typeof id === 'string' ? id : undefined
}

/** The conditions of a request on the existing file. */
export function conditionsOf(headers: IncomingHttpHeaders): Conditions {
  const names = ['if-match', 'if-none-match', 'if-unmodified-since'] as const
  const present = names.filter((name) => headers[name])
  return Object.fromEntries(present.map((name) => [name, headers[name]]))
}

/** The piece that a request sends; `pace` limits its rate. @throws Problem `request.type`, `request.invalid`. */
export function pieceOf(request: FastifyRequest, path: UserPath, pace?: Pace): Piece {
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
      receive(pacedBody(raw, pace), file, {
        ...options,
        ...how,
        signal: AbortSignal.any([disconnected, how.signal]),
      }),
  }
}
