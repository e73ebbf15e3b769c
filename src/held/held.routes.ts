import { type App, at } from '#src/http/at.ts'
import { extendIdleTimeout } from '#src/http/limits.ts'
import { sendOk } from '#src/http/replies.ts'

/** Files that are held back until they are examined, or for good. */
export async function heldRoutes(app: App) {
  const { held } = app.services

  app.route({ ...at('GET /api/held'), handler: async (request) => held.list(request.actor()) })

  app.route({
    ...at('DELETE /api/held/:id'),
    handler: async (request, reply) => {
      request.operation().note(await held.remove(request.actor(), request.params.id))
      return sendOk(reply)
    },
  })

  app.route({
    ...at('POST /api/held/:id/release'),
    handler: async (request, reply) => {
      extendIdleTimeout(reply)
      return { path: await held.release(request.actor(), request.operation(), request.params.id) }
    },
  })
}
