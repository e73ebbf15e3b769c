import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorize } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { memoryBudgetFor, queueSignal } from '#src/http/limits.ts'
import { streamJsonList } from '#src/http/replies.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { sendResourceView } from '#src/http/send-view.ts'
import { openVisit } from '#src/shares/visiting/visit.ts'

/** GET /api/usage, /api/rights, /api/subtitle, /api/public/subtitle and /api/resources/recursive. */
export async function detailsRoutes(app: App) {
  const { details, rights, search } = app.services

  app.route({
    ...at('GET /api/usage/*'),
    handler: async (request) => details.usage(request.actor(), resourcePath(request).path),
  })

  app.route({
    ...at('GET /api/rights/*'),
    handler: async (request, reply) =>
      rights(request.actor(), resourcePath(request).path, queueSignal(request, reply)()),
  })

  app.route({
    ...at('GET /api/subtitle/*'),
    handler: async (request, reply) => {
      const actor = request.actor()
      return sendSubtitle(request, reply, { person: actor, path: resourcePath(request).path })
    },
  })

  app.route({
    ...at('GET /api/public/subtitle/*'),
    handler: async (request, reply) => {
      const { person, typed } = await openVisit(request)
      // The response has the whole text of the file and does not count as a download.
      authorize(person, 'text')
      return sendSubtitle(request, reply, { person, path: typed.path })
    },
  })

  app.route({
    ...at('GET /api/resources/recursive/*'),
    handler: async (request, reply) => {
      const actor = request.actor()
      // A real folder with this name is older than this endpoint and stays reachable.
      if (await search.hasRecursiveEntry(actor))
        return sendResourceView(request, reply.serializer(JSON.stringify))
      const { path } = resourcePath(request, 3)
      await streamJsonList(request, reply, (signal) => search.listAll(actor, path, signal))
      return reply
    },
  })
}

/** Sends a subtitle file as WebVTT, to a user or to a visitor of a share. */
async function sendSubtitle(
  request: FastifyRequest,
  reply: FastifyReply,
  { person, path }: { person: Principal; path: UserPath },
): Promise<FastifyReply> {
  const room = memoryBudgetFor(request, reply, person)
  const signal = queueSignal(request, reply)
  const text = await request.server.services.details.subtitle(person, path, { room, signal })
  return reply.type('text/vtt; charset=utf-8').send(text)
}
