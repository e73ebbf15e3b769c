import { type App, at } from '#src/http/at.ts'
import { extendIdleTimeout, scanOwner } from '#src/http/limits.ts'

/** Listing, undoing and redoing operations. */
export async function operationsRoutes(app: App) {
  const { operations, scans, entries, clock, servedRoot: root } = app.services
  const tools = { entries, root, clock }

  app.route({
    ...at('GET /api/operations'),
    handler: (request, reply) =>
      scans.run(scanOwner(request, reply), (scan) =>
        operations.list(request.actor(), scan, request.query.limit ?? 50),
      ),
  })

  app.route({
    ...at('POST /api/operations/:id/undo'),
    handler: async ({ actor, operation, params }, reply) => {
      extendIdleTimeout(reply)
      return operations.undo(tools, { actor: actor(), operation: operation(), id: params.id })
    },
  })

  app.route({
    ...at('POST /api/operations/:id/redo'),
    handler: async ({ actor, operation, params }, reply) => {
      extendIdleTimeout(reply)
      return operations.redo(tools, { actor: actor(), operation: operation(), id: params.id })
    },
  })
}
