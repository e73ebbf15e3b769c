import { isDeepStrictEqual } from 'node:util'
import { changedNames } from '#src/core/changed-names.ts'
import { Problem } from '#src/core/problem.ts'
import { type App, at } from '#src/http/at.ts'
import { compressAnswer } from '#src/http/compression.ts'
import { sendCreated, sendOk } from '#src/http/replies.ts'
import { changesOwnPreferences } from './users.policy.ts'
import { toListedUser, toUserView } from './users.ts'

/** The routes under /api/users, and /api/homes. */
export async function usersRoutes(app: App) {
  const { provisioning, users, sessions, homes } = app.services

  app.route({
    ...at('GET /api/homes'),
    handler: async ({ query }) => homes.look(query.path),
  })

  app.route({
    ...at('GET /api/users'),
    // Accounts without their passwords and tokens, and behind a header that no other site can make a browser send. So
    // the size of the answer tells a stranger nothing, even one who chose a user name (BREACH).
    onSend: compressAnswer,
    handler: async () => (await users.all()).map(toListedUser),
  })

  app.route({
    ...at('POST /api/users'),
    handler: async ({ body, actor, operation }, reply) => {
      const recheck = () => actor().check([])
      const { id, username } = await provisioning.create(actor().user.id, body.data, recheck)
      operation().note(`${username}: new`)
      return sendCreated(reply, `/settings/users/${id}`)
    },
  })

  app.route({
    ...at('GET /api/users/:id'),
    handler: async ({ params, actor }) => toUserView(await users.get(params.id), actor().user.perm.admin),
  })

  app.route({
    ...at('PUT /api/users/:id'),
    handler: async ({ params, body, actor, operation }, reply) => {
      const { user, session } = actor()
      if (body.data.id !== params.id) {
        throw new Problem('request.invalid', {
          field: 'data.id',
          reason: 'differs from the id in the address',
        })
      }
      const recheck = () => actor().check([])
      const change = { which: body.which ?? ['all'], data: body.data, recheck }
      const before = await users.get(params.id)
      const endsSessions = await users.change(user, params.id, change)
      const { folderViews: views, ...after } = await users.get(params.id)
      const names = changedNames({ ...before, folderViews: undefined }, { ...after, folderViews: undefined })
      // Paths of folders do not belong into the record.
      if (!isDeepStrictEqual(views, before.folderViews)) names.push('folderViews')
      // The password is not in the record of the user.
      if (body.data.password) names.push('password')
      if (changesOwnPreferences(user, params.id, names)) operation().concernsOwnerOnly()
      operation().note(`${before.username}: ${names.join(', ')}`)
      if (endsSessions) await sessions.endAll(params.id, session.id)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/users/:id'),
    handler: async ({ params, actor, operation }, reply) => {
      const { username } = await users.get(params.id)
      await users.remove(actor().user, params.id, () => actor().check([]))
      await sessions.endAll(params.id)
      operation().note(`${username}: removed`)
      return sendOk(reply.removeHeader('x-renew-token'))
    },
  })
}
