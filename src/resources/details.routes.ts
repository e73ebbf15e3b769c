import { type App, at } from '#src/http/at.ts'
import { streamJson } from '#src/http/json-stream.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { roomFor } from '#src/http/room-for.ts'
import { sendLook } from './look.routes.ts'

/** GET /api/usage, /api/subtitle and /api/resources/recursive. */
export async function detailsRoutes(app: App) {
  const { details, search } = app.services

  app.route({
    ...at('GET /api/usage/*'),
    handler: async (request) => details.usage(request.actor(), resourcePath(request).path),
  })

  app.route({
    ...at('GET /api/subtitle/*'),
    handler: async (request, reply) => {
      const actor = request.actor()
      const room = roomFor(request, reply, actor)
      const text = await details.subtitle(actor, resourcePath(request).path, room)
      return reply.type('text/vtt; charset=utf-8').send(text)
    },
  })

  app.route({
    ...at('GET /api/resources/recursive/*'),
    handler: async (request, reply) => {
      const actor = request.actor()
      // Somebody's own folder of this name was there before the call, and stays reachable.
      if (await search.hasRecursive(actor)) return sendLook(request, reply.serializer(JSON.stringify))
      const { path } = resourcePath(request, 3)
      await streamJson(request, reply, (signal) => search.all(actor, path, signal))
      return reply
    },
  })
}
