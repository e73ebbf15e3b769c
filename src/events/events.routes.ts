import { type App, at } from '#src/http/at.ts'
import { extendIdleTimeout, queueSignal } from '#src/http/limits.ts'
import { hijackReply } from '#src/http/replies.ts'
import { createEventStream } from './event-stream.ts'

/** GET /api/events: what changes, as server-sent events; and the folders that a connection shows. */
export async function eventRoutes(app: App) {
  const { events } = app.services

  // Running responses would delay the end of the server.
  app.addHook('preClose', async () => events.close())

  app.route({
    ...at('GET /api/events'),
    handler: async (request, reply) => {
      reply.type('text/event-stream; charset=utf-8')
      // Proxies must neither compress the events nor collect them.
      reply.header('cache-control', 'no-cache, no-store, no-transform, must-revalidate')
      reply.header('x-accel-buffering', 'no')
      if (request.method === 'HEAD') return reply.send()
      const actor = request.actor()
      const permit = events.admit(actor, request.ip ?? '')
      extendIdleTimeout(reply)
      const out = hijackReply(reply)
      const disconnect = events.connect(actor, createEventStream(out))
      const onClose = () => {
        disconnect()
        permit[Symbol.dispose]()
      }
      if (out.destroyed) onClose()
      else out.once('close', onClose)
      return reply
    },
  })

  app.route({
    ...at('PUT /api/events/:id'),
    handler: async (request, reply) =>
      events.show(request.actor(), {
        id: request.params.id,
        folders: request.body.folders,
        signal: queueSignal(request, reply),
      }),
  })
}
