import type { FastifyRequest } from 'fastify'
import { type GivenConditions, ShareConditions } from '#contract/shares.ts'
import { Problem } from '#src/core/problem.ts'
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
      const { rights, ...given } = request.body ?? {}
      const expire = expiryOf(expires, unit, clock())
      const conditions = changedConditions(undefined, conditionsOf(given))
      const { path } = resourcePath(request)
      return shares.create(request.actor(), { path, expire, password, rights, conditions })
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

function hashOf(request: FastifyRequest): string {
  const { path } = resourcePath(request)
  if (path === '/') throw new Problem('request.invalid', { field: 'hash', reason: 'is missing' })
  return path.slice(1)
}
