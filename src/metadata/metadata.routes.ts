import { type MetadataField, metadataFields } from '#contract/metadata.ts'
import { type App, at } from '#src/http/at.ts'
import { memoryBudgetFor, queueSignal } from '#src/http/limits.ts'
import { resourcePath } from '#src/http/resource-path.ts'

const defaultFields: readonly MetadataField[] = ['taken', 'dimensions', 'placeholder']

/** GET /api/metadata: what files say about themselves. */
export async function metadataRoutes(app: App) {
  app.route({
    ...at('GET /api/metadata/*'),
    handler: async (request, reply) => {
      const actor = request.actor()
      const names = request.query.fields?.split(',')
      const fields = names ? metadataFields.filter((field) => names.includes(field)) : defaultFields
      const found = await app.services.metadata.view(actor, resourcePath(request), {
        fields,
        room: memoryBudgetFor(request, reply, actor),
        signal: queueSignal(request, reply),
      })
      reply.header('cache-control', 'private, no-cache')
      // The JSON of a folder is written already. Buffers bypass the response schema.
      if (!Buffer.isBuffer(found)) return found
      return reply.type('application/json; charset=utf-8').send(found as never) as never
    },
  })
}
