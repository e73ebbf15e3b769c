import { type App, at } from '#src/http/at.ts'
import { queueSignal } from '#src/http/limits.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { sendOpened, sendRaw } from '#src/http/send-file.ts'

/** GET and HEAD /api/raw: the bytes of a file. */
export async function rawRoutes(app: App) {
  app.route({
    ...at('GET /api/raw/*'),
    handler: async (request, reply) => {
      const typed = resourcePath(request)
      const { version } = request.query
      if (version === undefined) return sendRaw(request, reply, { person: request.actor(), typed })
      const signal = queueSignal(request, reply)
      const { versions } = app.services
      const open = await versions.open(request.actor(), typed.path, { id: version, signal })
      return sendOpened(request, reply, open)
    },
  })
}
