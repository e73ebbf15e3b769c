import type { FastifyRequest } from 'fastify'
import type { ShareLogEntry } from '#contract/history/share-use.ts'
import { type GivenConditions, type GivenReferences, ShareConditions } from '#contract/shares.ts'
import type { LinkRow } from '#src/audit/links/link-rows.ts'
import { Problem } from '#src/core/problem.ts'
import { normalizePath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { sendOk } from '#src/http/replies.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { changedConditions } from './conditions.ts'
import { expiryOf } from './expiry.ts'

/** The routes for owners of shares: GET /api/shares with the use of each, GET, POST, PATCH and DELETE /api/share. */
export async function sharesRoutes(app: App) {
  const { shares, clock } = app.services
  routesForUse(app)

  app.route({
    ...at('GET /api/shares'),
    handler: async (request, reply) => {
      const list = await shares.list(request.actor())
      // The views have no other fields than the contract. With the schema, fifty thousand take five times as long. Not
      // set before, because an error is no JSON.
      reply.type('application/json; charset=utf-8').serializer(JSON.stringify)
      return list
    },
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

const pageSize = 100

/** The routes for what has happened at a share. */
function routesForUse(app: App): void {
  const { shares, linkUse, linkLog } = app.services

  app.route({
    ...at('GET /api/shares/:hash/log'),
    handler: async (request) => {
      const { before, limit = pageSize } = request.query
      const { hash } = shares.managed(request.actor(), request.params.hash)
      const rows = await linkLog(hash, { before, limit })
      const last = rows.length < limit ? undefined : rows.at(-1)?.seq
      return { entries: rows.map(entryOf), ...(last !== undefined && { next: last }) }
    },
  })

  app.route({
    ...at('GET /api/shares/:hash/days'),
    handler: async (request) => linkUse.days(shares.managed(request.actor(), request.params.hash).hash),
  })
}

function entryOf({ time, kind, outcome, sender, ...row }: LinkRow): ShareLogEntry {
  return {
    ...row,
    time: new Date(time).toISOString(),
    // What visitors save is received, too.
    kind: kind === 'open' ? 'visit' : kind === 'download' ? 'download' : 'received',
    isWhole: outcome === 'done',
    ...(sender !== null && { sender }),
  }
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
