import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChecksumAlgorithm, FileView } from '#contract/resources.ts'
import { type App, at } from '#src/http/at.ts'
import { leaving } from '#src/http/leaving.ts'
import { mayTakeLong } from '#src/http/our-turn.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { roomFor } from '#src/http/room-for.ts'

/** GET /api/resources: a folder with its items, or a file. */
export async function lookRoutes(app: App) {
  app.route({
    ...at('GET /api/resources/*'),
    handler: async (request, reply) => sendLook(request, reply),
  })
}

/** Answers what is at the request's path: a listing, or a file with its text, its checksum when asked, its subtitles. */
export async function sendLook(request: FastifyRequest, reply: FastifyReply): Promise<never> {
  const { resources, details } = request.server.services
  const actor = request.actor()
  const typed = resourcePath(request)
  const { checksum } = request.query as { checksum?: ChecksumAlgorithm }
  const { body, etag } = await resources.look(actor, typed, {
    accepted: request.headers['accept-language'],
    room: roomFor(request, reply, actor),
  })
  reply.type('application/json; charset=utf-8')
  // A listing is JSON already: bytes pass the reply schema by.
  if (Buffer.isBuffer(body)) return reply.send(body) as never
  if (etag) reply.header('etag', etag)
  const { content, ...facts } = body
  if (checksum) {
    mayTakeLong(reply)
    const sum = await details.checksum(actor, typed.path, { algorithm: checksum, signal: leaving(request) })
    return reply.send({ ...facts, checksums: { [checksum]: sum } } satisfies FileView) as never
  }
  const subtitles = body.type === 'video' ? await details.subtitlesOf(actor, typed.path) : []
  return reply.send({ ...body, ...(subtitles.length > 0 && { subtitles }) } satisfies FileView) as never
}
