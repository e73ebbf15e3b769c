import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PreviewSize } from '#contract/previews.ts'
import type { TypedPath } from '#src/files/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { listsTag } from '#src/http/conditions.ts'
import { leaving, whenWaiting } from '#src/http/leaving.ts'
import { addressedPath } from '#src/http/resource-path.ts'
import { answerRaw } from '#src/resources/raw.routes.ts'

/** GET /api/preview: pictures made smaller. */
export async function previewsRoutes(app: App) {
  const { previews } = app.services

  app.route({
    ...at('GET /api/preview/:size/*'),
    handler: async (request, reply) => {
      const { size } = request.params
      const asked = { person: request.actor(), typed: addressedPath(request) }
      return previews.makes(size)
        ? answer(request, reply, { ...asked, size })
        : answerRaw(request, reply, asked)
    },
  })
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    person,
    typed,
    size,
  }: { person: ReturnType<FastifyRequest['actor']>; typed: TypedPath; size: PreviewSize },
): Promise<FastifyReply> {
  const { resources, previews } = request.server.services
  // Whoever may have the bytes may see them small, and nobody else: asked each time, before anything kept is looked at.
  const open = await resources.open(person, typed, { signal: whenWaiting(request, reply) })
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
  const asker = { who: String(person.user.id), session: person.session.id, signal: leaving(request) }
  const bytes = await previews.picture(open, size, asker)
  // It may have waited for others; a right that was taken away meanwhile is no right to the picture.
  open.recheck()
  return reply.headers(headers).type('image/webp').send(bytes)
}
