import type { FastifyRequest } from 'fastify'
import { type GivenConditions, type GivenReferences, ShareConditions } from '#contract/shares.ts'
import { Problem } from '#src/core/problem.ts'
import { normalizePath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { sendOk } from '#src/http/replies.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { changedConditions } from './conditions.ts'
import { expiryOf } from './expiry.ts'

/** The routes for owners of shares: GET /api/shares, GET, POST, PATCH and DELETE /api/share. */
export async function sharesRoutes(app: App) {
  const { shares, clock } = app.services

  app.route({
    ...at('GET /api/shares'),
    handler: async (request) => shares.list(request.actor()),
  })

  app.route({
    ...at('GET /api/share/*'),
    handler: async (request) => shares.listOf(request.actor(), resourcePath(request).path),
  })

  app.route({
    ...at('POST /api/share/*'),
    handler: async (request) => {
      const { password = '', expires, unit } = { ...request.query, ...(request.body ?? {}) }
      const { rights, paths, ...given } = request.body ?? {}
      const expire = expiryOf(expires, unit, clock())
      const conditions = changedConditions(undefined, conditionsOf(given))
      const { path } = resourcePath(request)
      const references = referencesOf(given)
      const shared = { path, paths: paths?.map((one) => normalizePath(one).path) }
      return shares.create(request.actor(), { ...shared, expire, password, rights, conditions, references })
    },
  })

  app.route({
    ...at('PATCH /api/share/*'),
    handler: async (request) => {
      const { password, expires, unit, rights, ...given } = request.body
      return shares.update(request.actor(), hashOf(request), {
        expire: expires === undefined ? undefined : expiryOf(expires ?? '', unit, clock()),
        password: password === undefined ? undefined : (password ?? ''),
        rights,
        conditions: conditionsOf(given),
        references: referencesOf(given),
      })
    },
  })

  app.route({
    ...at('DELETE /api/share/*'),
    handler: async (request, reply) => {
      await shares.remove(request.actor(), hashOf(request))
      return sendOk(reply)
    },
  })
}

/** The conditions in a body. */
function conditionsOf(body: object): GivenConditions {
  const names = Object.keys(ShareConditions.properties)
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
}

/** The references in a body. */
function referencesOf({ people, cover }: GivenReferences): GivenReferences {
  return { ...(people !== undefined && { people }), ...(cover !== undefined && { cover }) }
}

function hashOf(request: FastifyRequest): string {
  const { path } = resourcePath(request)
  if (path === '/') throw new Problem('request.invalid', { field: 'hash', reason: 'is missing' })
  return path.slice(1)
}
