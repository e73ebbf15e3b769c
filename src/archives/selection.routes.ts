import { networkOf } from '#src/core/network.ts'
import { type App, at } from '#src/http/at.ts'

/** POST /api/public/selection: stores a long selection, so that the URL of its archive stays short. */
export async function selectionRoutes(app: App) {
  const { keptSelections } = app.services

  app.route({
    ...at('POST /api/public/selection'),
    handler: async ({ body: { files, selection }, ip }) => ({
      selection: keptSelections.keep(files, networkOf(ip ?? ''), selection),
    }),
  })
}
