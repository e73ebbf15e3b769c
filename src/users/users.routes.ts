import { Problem } from '#src/core/problem.ts'
import { type App, at } from '#src/http/at.ts'
import { sendCreated, sendOk } from '#src/http/replies.ts'
import { toUserView } from './users.ts'

/** The routes under /api/users. */
export async function usersRoutes(app: App) {
  const { provisioning, users, sessions } = app.services

  app.route({
    ...at('GET /api/users'),
    handler: async () => users.all().map((user) => toUserView(user, true)),
  })

  app.route({
    ...at('POST /api/users'),
    handler: async ({ body, actor }, reply) => {
      const { id } = await provisioning.create(actor().user.id, body.data, () => actor().check([]))
      return sendCreated(reply, `/settings/users/${id}`)
    },
  })

  app.route({
    ...at('GET /api/users/:id'),
    handler: async ({ params, actor }) => toUserView(users.get(params.id), actor().user.perm.admin),
  })

  app.route({
    ...at('PUT /api/users/:id'),
    handler: async ({ params, body, actor }, reply) => {
      const { user, session } = actor()
      if (body.data.id !== params.id) {
        throw new Problem('request.invalid', {
          field: 'data.id',
          reason: 'differs from the id in the address',
        })
      }
      const recheck = () => actor().check([])
      const change = { which: body.which ?? ['all'], data: body.data, recheck }
      const endsSessions = await users.change(user, params.id, change)
      if (endsSessions) await sessions.endAll(params.id, session.id)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/users/:id'),
    handler: async ({ params, actor }, reply) => {
      await users.remove(actor().user, params.id, () => actor().check([]))
      await sessions.endAll(params.id)
      return sendOk(reply.removeHeader('x-renew-token'))
    },
  })
}
