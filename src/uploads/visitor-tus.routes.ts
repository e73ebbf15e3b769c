import type { FastifyRequest } from 'fastify'
import { maySend } from '#src/access/authorize.ts'
import { Problem } from '#src/core/problem.ts'
import { encodePath, type UserPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { announcedBytes, extendIdleTimeout } from '#src/http/limits.ts'
import { sendCreated } from '#src/http/replies.ts'
import { modifiedOfHeaders } from '#src/http/request-headers.ts'
import type { OpenShare } from '#src/shares/visiting/share-access.ts'
import { isHeld, openVisit, receive, refusePath } from '#src/shares/visiting/visit.ts'
import type { UploadProgress } from './append-upload.ts'
import { createReceipts, type Receipts, receiptHeader } from './receipts.ts'
import { modifiedInMetadata } from './tus-protocol.ts'
import {
  asInvalidRequest,
  asPieceProblem,
  headersOf,
  idOf,
  noContent,
  numberOf,
  pieceOf,
  speakTus,
} from './tus-requests.ts'

/**
 * Uploads in pieces by visitors under /api/public/tus. They belong to the visit, so the ticket of the visit is needed in
 * each request. The limits of the share are checked with each piece, because unfinished uploads reserve nothing.
 */
export async function visitorTusRoutes(app: App) {
  const { uploads, maxUpload, baseUrl } = app.services
  speakTus(app)
  const receipts = createReceipts(app)
  const admit = createAdmission(app, receipts)

  app.route({
    ...at('POST /api/public/tus/*'),
    handler: async (request, reply) => {
      const visited = await openUpload(request)
      const { person, path, share, visit } = visited
      reply.header('x-visit', visit.ticket)
      const length = numberOf(request.headers, 'upload-length')
      if (length > maxUpload) throw new Problem('request.large', { limit: maxUpload })
      extendIdleTimeout(reply)
      const mtime = modifiedInMetadata(request.headers) ?? modifiedOfHeaders(request.headers)
      const wanted = { length, override: false, conditions: {}, mtime }
      const begin: Work = (onNamed) =>
        uploads.begin(person, path, { ...wanted, onNamed }).catch(asInvalidRequest)
      reply.headers(await admit(request, visited, { bytes: length, work: begin }))
      return sendCreated(reply, `${baseUrl}/api/public/tus/${share.hash}${encodePath(path)}`)
    },
  })

  app.route({
    ...at('GET /api/public/tus/*'),
    handler: async (request, reply) => {
      const visited = await openUpload(request)
      const progress = await uploads.find(visited.person, visited.path, idOf(request.headers))
      // Also here, because the answer to the last piece may have been lost.
      const received = receiptHeader(await receipts.of(visited, progress))
      reply.headers({ ...headersOf(progress), ...received, 'cache-control': 'no-store' })
      return reply.type('text/plain; charset=utf-8').send('')
    },
  })

  app.route({
    ...at('PATCH /api/public/tus/*'),
    handler: async (request, reply) => {
      const visited = await openUpload(request)
      const { person, path } = visited
      extendIdleTimeout(reply)
      const bytes = announcedBytes(request)
      if (bytes === undefined)
        throw new Problem('request.invalid', { field: 'content-length', reason: 'is missing' })
      const piece = pieceOf(request, path, person)
      const append: Work = (onNamed) =>
        uploads.append(person, path, { ...piece, onNamed }).catch(asPieceProblem(reply))
      return noContent(reply.headers(await admit(request, visited, { bytes, work: append })))
    },
  })

  app.route({
    ...at('DELETE /api/public/tus/*'),
    handler: async (request, reply) => {
      const { person, path } = await openUpload(request)
      await uploads.cancel(person, path, idOf(request.headers))
      return noContent(reply)
    },
  })
}

/** A visit that sends a file. */
type Sending = OpenShare & { path: UserPath }

/** Opens the share for an upload. @throws Problem as `openVisit` and `refusePath` do; `auth.forbidden`. */
async function openUpload(request: FastifyRequest): Promise<Sending> {
  const visited = await openVisit(request)
  const { path, asFolder } = visited.typed
  if (asFolder) throw new Problem('request.invalid', { field: 'path', reason: 'is a folder' })
  if (!maySend(visited.person)) throw new Problem('auth.forbidden')
  refusePath(visited, visited.typed)
  return { ...visited, path }
}

/** Creates the function that admits bytes under the limits of a share. */
function createAdmission({ services: { uploads, linkUse } }: App, receipts: Receipts) {
  /**
   * Lets `work` receive this number of bytes, and counts the file when it has its name.
   *
   * @returns the headers of the response
   * @throws Problem `share.limit`, `request.large`, `server.busy`, and the errors of `work`.
   */
  return async (
    request: FastifyRequest,
    visited: Sending,
    { bytes, work }: { bytes: number; work: Work },
  ): Promise<Record<string, string>> => {
    const { share, person } = visited
    const { bytes: left } = linkUse.left(share)
    // What unfinished uploads have received already counts too.
    const before = uploads.unfinishedBytes({ userId: person.user.id, share: share.hash })
    if (left !== undefined && before + bytes > left) throw new Problem('share.limit')
    const receiving = receive(request, visited, bytes)
    const count = (path: UserPath, size: number) => receiving.received({ path, size, sha256: '' })
    try {
      const progress = await work(count)
      return { ...headersOf(progress), ...receiptHeader(await receipts.of(visited, progress)) }
    } catch (error) {
      // It counts like a file that is there, so that visitors cannot fill the disk with files that are held.
      if (isHeld(error)) receiving.received(receipts.hold(idOf(request.headers), visited.path, sizeOf(error)))
      throw error
    } finally {
      receiving.end()
    }
  }
}

/** Receives bytes. Calls `onNamed` when the file is complete and has its name. */
type Work = (onNamed: (path: UserPath, size: number) => void) => Promise<UploadProgress>

function sizeOf(error: unknown): number {
  return error instanceof Problem ? Number(error.details.size) || 0 : 0
}
