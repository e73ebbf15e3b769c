import { Problem } from '#src/core/problem.ts'
import { done } from '#src/http/answers.ts'
import { type App, at } from '#src/http/at.ts'
import { userView } from './users.ts'

const freshMs = 10 * 60_000

/** GET and PUT /api/users/:id. */
export async function usersRoutes(app: App) {
  const { auth, users, sessions, clock } = app.services

  app.route({
    ...at('GET /api/users/:id'),
    handler: async ({ params, actor }) => {
      const { user } = actor()
      if (params.id !== user.id && !user.perm.admin) throw new Problem('auth.forbidden')
      return userView(users.get(params.id), user.perm.admin)
    },
  })

  app.route({
    ...at('PUT /api/users/:id'),
    handler: async ({ params, body, actor, ip }, reply) => {
      const { user, session } = actor()
      if (params.id !== user.id) throw new Problem('auth.forbidden')
      if (body.data.id !== params.id) {
        throw new Problem('request.invalid', { field: 'data.id', reason: 'is not the id of the address' })
      }
      const isPasswordNew = await users.changeOwn(user, {
        which: body.which,
        data: body.data,
        prove: async () => {
          const isFresh = clock() - session.created < freshMs
          if (!isFresh) await auth.prove(user, body.current_password ?? '', ip)
        },
      })
      if (isPasswordNew) await sessions.endAll(user.id, session.id)
      return done(reply)
    },
  })
}
