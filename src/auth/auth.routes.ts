import type { FastifyRequest } from 'fastify'
import type { AuditEntry } from '#src/audit/entry.ts'
import { Problem } from '#src/core/problem.ts'
import { normalizePath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { sendOk, sendText } from '#src/http/replies.ts'
import { bearerToken, peerOf } from '#src/http/request-headers.ts'
import type { SessionRecord } from '#src/state/sessions.ts'
import type { ClientInfo } from './auth.ts'

/** Sign-in, sign-up, sign-out, tickets and the list of sessions. */
export async function authRoutes(app: App) {
  const { auth, sessions, setup, audit } = app.services

  app.route({
    ...at('POST /api/login'),
    attachValidation: true,
    handler: async (request, reply) => {
      const origin = { ...from(request), ...peerOf(request) }
      const token = await auth.login(() => valid(request), origin, bearerToken(request))
      request.username = auth.findByToken(token)?.user.username
      return sendText(reply, token)
    },
  })

  app.route({
    ...at('POST /api/signup'),
    attachValidation: true,
    handler: async (request, reply) => {
      const { username } = await auth.signup(() => valid(request), from(request))
      request.operation().note(`${username}: new`)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('POST /api/setup'),
    attachValidation: true,
    handler: async (request, reply) => {
      if (!setup) throw new Problem('request.unknown')
      const token = await setup.complete(() => valid(request), from(request))
      request.username = auth.findByToken(token)?.user.username
      request.operation().note(`${request.username}: new`)
      return sendText(reply, token)
    },
  })

  app.route({
    ...at('POST /api/renew'),
    handler: async ({ actor }, reply) => {
      const token = auth.renew(actor())
      return sendText(reply.header('x-renew-token', 'false'), token)
    },
  })

  app.route({
    ...at('POST /api/logout'),
    handler: async (request, reply) => {
      const { user, session } = request.actor()
      const record = logoutOf(request)
      await sessions.end(user.id, session.id)
      audit.note(record)
      return sendOk(reply.removeHeader('x-renew-token'))
    },
  })

  app.route({
    ...at('POST /api/ticket'),
    handler: async ({ actor, body }) => {
      const { path } = normalizePath(body.path)
      return { ticket: sessions.ticket(actor().session, body.action, path) }
    },
  })

  await app.register(sessionRoutes)
}

async function sessionRoutes(app: App) {
  const { users, sessions, audit } = app.services

  app.route({
    ...at('GET /api/sessions'),
    handler: async ({ actor }) => {
      const { user, session } = actor()
      return (await sessions.ofUser(user.id)).map((one) => view(one, session))
    },
  })

  app.route({
    ...at('DELETE /api/sessions'),
    handler: async (request, reply) => {
      const { user, session } = request.actor()
      await sessions.endAll(user.id, session.id)
      audit.note(logoutOf(request, 'all other sessions'))
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/sessions/:id'),
    handler: async (request, reply) => {
      const record = logoutOf(request, 'a session')
      const { actor, params } = request
      if (!(await sessions.end(actor().user.id, params.id))) throw new Problem('session.unknown')
      audit.note(record)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('GET /api/users/:id/sessions'),
    handler: async ({ actor, params }) =>
      (await sessions.ofUser((await users.get(params.id)).id)).map((one) => view(one, actor().session)),
  })

  app.route({
    ...at('DELETE /api/users/:id/sessions'),
    handler: async (request, reply) => {
      const { id, username } = await users.get(request.params.id)
      const record = logoutOf(request, `all sessions of ${username}`)
      await sessions.endAll(id)
      audit.note(record)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/users/:id/sessions/:session'),
    handler: async (request, reply) => {
      const { id, username } = await users.get(request.params.id)
      const record = logoutOf(request, `a session of ${username}`)
      if (!(await sessions.end(id, request.params.session))) throw new Problem('session.unknown')
      audit.note(record)
      return sendOk(reply)
    },
  })
}

/** The record of the end of sessions. Made before they end: afterwards, the request may have no user any more. */
function logoutOf({ actor, ip }: FastifyRequest, detail = ''): AuditEntry {
  const { user, session } = actor()
  const who = { userId: user.id, userName: user.username, session: session.id, address: ip ?? '' }
  return { kind: 'logout', outcome: 'done', who, detail }
}

/** The validated body, for requests that first decide whether they need the body. @throws the validation error */
function valid<T>({
  body,
  validationError,
}: {
  body: T
  validationError?: Error & { validation?: unknown }
}): T {
  if (validationError) throw validationError
  return body
}

function from({ ip, headers }: FastifyRequest): ClientInfo {
  // A peer on a unix socket has no address.
  return { address: ip ?? '', device: (headers['user-agent'] ?? '').slice(0, 200) }
}

function view(session: SessionRecord, current: SessionRecord) {
  const { id, device, address } = session
  const created = new Date(session.created).toISOString()
  const lastUse = new Date(session.lastUse).toISOString()
  return { id, device, address, created, lastUse, current: id === current.id }
}
