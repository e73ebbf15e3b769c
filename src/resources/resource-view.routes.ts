import { type App, at } from '#src/http/at.ts'
import { sendResourceView } from '#src/http/send-view.ts'

/** GET /api/resources: a folder with its items, or a file. */
export async function resourceViewRoutes(app: App) {
  app.route({
    ...at('GET /api/resources/*'),
    handler: sendResourceView,
  })
}
