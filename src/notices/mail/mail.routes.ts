import { type App, at } from '#src/http/at.ts'
import { sendOk } from '#src/http/replies.ts'

/** How the instance sends e-mails, and to which address a user gets notices. */
export async function mailRoutes(app: App) {
  const { mailSettings, addresses } = app.services.notices

  app.route({ ...at('GET /api/settings/mail'), handler: async () => mailSettings.view() })

  app.route({
    ...at('PUT /api/settings/mail'),
    handler: async ({ actor, body, operation }) => {
      const view = await mailSettings.set(body, () => actor().check([]))
      operation().note('mail')
      return view
    },
  })

  app.route({
    ...at('POST /api/settings/mail/test'),
    handler: async ({ body }, reply) => {
      await addresses.test(body.to)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('GET /api/notices/settings'),
    handler: async ({ actor }) => addresses.view(actor().user.id),
  })

  app.route({
    ...at('PUT /api/notices/settings'),
    handler: async ({ actor, body, operation }) => {
      const { user } = actor()
      const view = await addresses.set(user.id, body.address)
      operation().note(`${user.username}: address for notices`)
      return view
    },
  })

  app.route({
    ...at('POST /api/notices/settings/confirm'),
    handler: async ({ actor, body, operation }) => {
      const { user } = actor()
      const view = await addresses.confirm(user.id, body.code)
      operation().note(`${user.username}: address for notices`)
      return view
    },
  })
}
