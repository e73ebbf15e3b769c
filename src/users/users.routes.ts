import type { FastifyRequest } from 'fastify'
import { Problem } from '#src/core/problem.ts'
import { created, done } from '#src/http/answers.ts'
import { type App, at } from '#src/http/at.ts'
import type { Proof } from './fields.ts'
import { userView } from './users.ts'

const freshMs = 10 * 60_000

/** The calls under /api/users. */
export async function usersRoutes(app: App) {
  const { auth, provisioning, users, sessions, clock } = app.services

  /** The proof that somebody asks: their password where they give it; else having signed in just now will do. */
  function proofOf({ actor, ip }: Pick<FastifyRequest, 'actor' | 'ip'>, password = ''): Proof {
    const { user, session } = actor()
    return async (isNeeded) => {
      // Who never types a password cannot prove anything with it.
      if (!auth.asksPassword) return
      const isFresh = clock() - session.created < freshMs
      if (password || (isNeeded && !isFresh)) await auth.prove(user, password, ip)
    }
  }

  app.route({
    ...at('GET /api/users'),
    handler: async () => users.all().map((user) => userView(user, true)),
  })

  app.route({
    ...at('POST /api/users'),
    handler: async ({ body, actor, ip }, reply) => {
      await proofOf({ actor, ip }, body.current_password)(false)
      const { id } = await provisioning.create(actor().user.id, body.data)
      return created(reply, `/settings/users/${id}`)
    },
  })

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
      if (params.id !== user.id && !user.perm.admin) throw new Problem('auth.forbidden')
      if (body.data.id !== params.id) {
        throw new Problem('request.invalid', { field: 'data.id', reason: 'is not the id of the address' })
      }
      const prove = proofOf({ actor, ip }, body.current_password)
      const change = { which: body.which ?? ['all'], data: body.data, prove }
      const endsSessions = await users.change(user, params.id, change)
      if (endsSessions) await sessions.endAll(params.id, session.id)
      return done(reply)
    },
  })

  app.route({
    ...at('DELETE /api/users/:id'),
    handler: async ({ params, body, actor, ip }, reply) => {
      await users.remove(actor().user, params.id, proofOf({ actor, ip }, body?.current_password))
      await sessions.endAll(params.id)
      return done(reply.removeHeader('x-renew-token'))
    },
  })
}
