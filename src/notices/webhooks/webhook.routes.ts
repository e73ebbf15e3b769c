import { type App, at } from '#src/http/at.ts'
import { sendOk } from '#src/http/replies.ts'

/** The webhook of the user, and its deliveries. */
export async function webhookRoutes(app: App) {
  const { webhooks, deliveries } = app.services.notices

  app.route({ ...at('GET /api/webhook'), handler: async ({ actor }) => webhooks.view(actor().user.id) })

  app.route({
    ...at('PUT /api/webhook'),
    handler: async ({ actor, body, operation }) => {
      const { user } = actor()
      const view = await webhooks.set(user.id, body)
      operation().note(`${user.username}: webhook ${view.url && new URL(view.url).host}`.trimEnd())
      return view
    },
  })

  app.route({
    ...at('POST /api/webhook/secret'),
    handler: async ({ actor, operation }) => {
      const { user } = actor()
      const secret = await webhooks.renewSecret(user.id)
      operation().note(`${user.username}: webhook secret`)
      return { secret }
    },
  })

  app.route({
    ...at('POST /api/webhook/test'),
    handler: async ({ actor }) => {
      const id = await webhooks.test(actor().user.id)
      deliveries.wake()
      return { id }
    },
  })

  app.route({
    ...at('POST /api/webhook/deliveries/:id'),
    handler: async ({ actor, params }, reply) => {
      await webhooks.resend(actor().user.id, params.id)
      deliveries.wake()
      return sendOk(reply)
    },
  })
}
