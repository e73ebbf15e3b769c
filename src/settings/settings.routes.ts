import { type App, at } from '#src/http/at.ts'
import { sendOk } from '#src/http/replies.ts'

/** GET and PUT /api/settings. */
export async function settingsRoutes(app: App) {
  const { settings } = app.services

  app.route({ ...at('GET /api/settings'), handler: async () => settings.get() })

  app.route({
    ...at('PUT /api/settings'),
    handler: async ({ actor, body }, reply) => {
      const { current_password: _proof, ...given } = body
      await settings.change(actor().user, given, () => actor().check([]))
      return sendOk(reply)
    },
  })
}
