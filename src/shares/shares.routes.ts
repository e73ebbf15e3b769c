import type { FastifyRequest } from 'fastify'
import { Problem } from '#src/core/problem.ts'
import { type App, at } from '#src/http/at.ts'
import { sendOk } from '#src/http/replies.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { expiryOf } from './expiry.ts'

/** The routes for owners of shares: GET /api/shares, GET, POST and DELETE /api/share. */
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
      const expire = expiryOf(expires, unit, clock())
      return shares.create(request.actor(), { path: resourcePath(request).path, expire, password })
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

function hashOf(request: FastifyRequest): string {
  const { path } = resourcePath(request)
  if (path === '/') throw new Problem('request.invalid', { field: 'hash', reason: 'is missing' })
  return path.slice(1)
}
