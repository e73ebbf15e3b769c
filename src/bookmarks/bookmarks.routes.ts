import { type App, at } from '#src/http/at.ts'
import { queueSignal, scanOwner } from '#src/http/limits.ts'
import { sendOk } from '#src/http/replies.ts'
import { resourcePath } from '#src/http/resource-path.ts'

/** The starred and the recent files of the user. */
export async function bookmarksRoutes(app: App) {
  const { bookmarks } = app.services

  app.route({
    ...at('GET /api/starred'),
    handler: async (request, reply) => bookmarks.starred(request.actor(), scanOwner(request, reply)),
  })

  app.route({
    ...at('PUT /api/starred/*'),
    handler: async (request, reply) => {
      const signal = queueSignal(request, reply)
      await bookmarks.star(request.actor(), resourcePath(request).path, { signal })
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/starred/*'),
    handler: async (request, reply) => {
      await bookmarks.unstar(request.actor(), resourcePath(request).path)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('GET /api/recent'),
    handler: async (request, reply) => bookmarks.recent(request.actor(), scanOwner(request, reply)),
  })

  app.route({
    ...at('POST /api/recent/*'),
    handler: async (request, reply) => {
      const signal = queueSignal(request, reply)
      await bookmarks.noteOpened(request.actor(), resourcePath(request).path, { signal })
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/recent'),
    handler: async (request, reply) => {
      await bookmarks.clearRecent(request.actor())
      return sendOk(reply)
    },
  })
}
