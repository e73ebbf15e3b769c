import { changedNames } from '#src/core/changed-names.ts'
import { type App, at } from '#src/http/at.ts'
import { sendOk } from '#src/http/replies.ts'

/** GET and PUT /api/settings. */
export async function settingsRoutes(app: App) {
  const { settings } = app.services

  app.route({ ...at('GET /api/settings'), handler: async () => settings.get() })

  app.route({
    ...at('PUT /api/settings'),
    handler: async ({ actor, body, operation }, reply) => {
      const { current_password: _proof, ...given } = body
      const before = await settings.get()
      await settings.change(actor().user, given, () => actor().check([]))
      operation().note(changedNames(before, await settings.get()).join(', '))
      return sendOk(reply)
    },
  })
}
