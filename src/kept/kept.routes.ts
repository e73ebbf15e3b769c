import { normalizePath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { extendIdleTimeout, queueSignal, scanOwner } from '#src/http/limits.ts'
import { sendOk } from '#src/http/replies.ts'
import { pathInQuery, resourcePath } from '#src/http/resource-path.ts'
import { sendOpened } from '#src/http/send-file.ts'

/** GET /api/keeping, and the trash. */
export async function trashRoutes(app: App) {
  const { trash, keepingOf } = app.services

  app.route({
    ...at('GET /api/keeping/*'),
    handler: async (request) => keepingOf(request.actor(), resourcePath(request).path),
  })

  app.route({
    ...at('GET /api/trash'),
    handler: async (request, reply) => trash.list(request.actor(), scanOwner(request, reply), request.query),
  })

  app.route({
    ...at('GET /api/trash/:id/raw'),
    handler: async (request, reply) => {
      const { id } = request.params
      return sendOpened(
        request,
        reply,
        await trash.open(request.actor(), id, { signal: queueSignal(request, reply) }),
      )
    },
  })

  app.route({
    ...at('POST /api/trash/:id/restore'),
    handler: async (request, reply) => {
      extendIdleTimeout(reply)
      const to = pathInQuery(request, 'to')
      const path = to === undefined ? undefined : normalizePath(to).path
      return { path: await trash.restore(request.actor(), request.params.id, path) }
    },
  })

  app.route({
    ...at('DELETE /api/trash/:id'),
    handler: async (request, reply) => {
      extendIdleTimeout(reply)
      request.operation().note(await trash.remove(request.actor(), request.params.id))
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/trash'),
    handler: async (request, reply) => {
      extendIdleTimeout(reply)
      // As other deletions, it is finished even if the client disconnects.
      const by = { ...scanOwner(request, reply), signal: new AbortController().signal }
      const deleted = await trash.empty(request.actor(), by)
      request.operation().note(String(deleted))
      return { deleted }
    },
  })
}

/** Old contents of files. GET /api/raw sends them. */
export async function versionsRoutes(app: App) {
  const { versions } = app.services

  app.route({
    ...at('GET /api/versions/*'),
    handler: async (request, reply) =>
      versions.list(request.actor(), scanOwner(request, reply), resourcePath(request).path),
  })

  app.route({
    ...at('POST /api/versions/*'),
    handler: async (request, reply) => {
      extendIdleTimeout(reply)
      await versions.restore(request.actor(), resourcePath(request).path, request.query.version)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/versions/*'),
    handler: async (request, reply) => {
      const { path } = resourcePath(request)
      request.operation().note(await versions.remove(request.actor(), path, request.query.version))
      return sendOk(reply)
    },
  })
}
