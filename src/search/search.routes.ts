import { type App, at } from '#src/http/at.ts'
import { streamJsonList } from '#src/http/replies.ts'
import { resourcePath } from '#src/http/resource-path.ts'

/** GET /api/search: sends hits as soon as they are found. */
export async function searchRoutes(app: App) {
  const { search } = app.services

  app.route({
    ...at('GET /api/search/*'),
    handler: async (request, reply) => {
      const { path } = resourcePath(request)
      const query = request.query.query ?? ''
      const { session } = request.actor()
      await streamJsonList(
        request,
        reply,
        (signal) => search.find(request.actor(), path, { query, signal }),
        // A search finds paths. It holds no token or password, and needs a header that no other site can make a browser
        // send, so its size tells a stranger nothing (BREACH).
        { readsLines: session.sendsEncoding, isCompressed: true },
      )
      return reply
    },
  })
}
