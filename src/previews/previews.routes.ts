import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PreviewSize } from '#contract/previews.ts'
import type { Person } from '#src/auth/actor.ts'
import { answerRaw } from '#src/downloads/raw.routes.ts'
import type { TypedPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { listsTag } from '#src/http/conditions.ts'
import { requestSignal, waitSignal } from '#src/http/limits/request-signal.ts'
import { addressedPath } from '#src/http/resource-path.ts'
import { openVisit } from '#src/http/visit.ts'

/** GET /api/preview and, for visitors of links, GET /api/public/preview: pictures made smaller. */
export async function previewsRoutes(app: App) {
  app.route({
    ...at('GET /api/preview/:size/*'),
    handler: async (request, reply) => {
      const actor = request.actor()
      const asked = { person: actor, typed: addressedPath(request), group: actor.session.id }
      return answer(request, reply, { ...asked, size: request.params.size })
    },
  })

  app.route({
    ...at('GET /api/public/preview/:size/*'),
    handler: async (request, reply) => {
      const { person, typed } = await openVisit(request)
      const group = `${person.payer.link} ${person.payer.key}`
      return answer(request, reply, { person, typed, group, size: request.params.size })
    },
  })
}

interface Asked {
  person: Person
  typed: TypedPath
  /** Requests with the same access: they may share the making of a picture. */
  group: string
  size: PreviewSize
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { person, typed, group, size }: Asked,
): Promise<FastifyReply> {
  const { resources, previews } = request.server.services
  if (!previews.makes(size)) return answerRaw(request, reply, { person, typed })
  // Whoever may have the bytes may see them small, and nobody else: asked each time, before anything kept is looked at.
  const open = await resources.open(person, typed, { signal: waitSignal(request, reply) })
  const etag = previews.etagOf(open, size)
  const known = request.headers['if-none-match']
  const headers = {
    etag,
    'cache-control': 'private, no-cache',
    'last-modified': open.stats.mtime.toUTCString(),
  }
  if (known && listsTag(known, etag)) {
    await open.file.close()
    return reply.headers(headers).code(304).send()
  }
  const asker = { payer: person.payer, group, signal: requestSignal(request) }
  const bytes = await previews.picture(open, size, asker)
  // It may have waited for others; a right that was taken away meanwhile is no right to the picture.
  open.recheck()
  return reply.headers(headers).type('image/webp').send(bytes)
}
