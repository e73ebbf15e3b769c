import { type App, at } from '#src/http/at.ts'
import { sendOk } from '#src/http/replies.ts'

/** The notices of the user. */
export async function noticesRoutes(app: App) {
  const { bell } = app.services.notices

  app.route({
    ...at('GET /api/notices'),
    handler: async ({ actor, query }) => bell.page(actor().user.id, query),
  })

  app.route({
    ...at('POST /api/notices/read'),
    handler: async ({ actor, body }, reply) => {
      await bell.markRead(actor().user.id, body.upTo)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/notices'),
    handler: async ({ actor }, reply) => {
      await bell.clear(actor().user.id)
      return sendOk(reply)
    },
  })
}
