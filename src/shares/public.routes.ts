import type { FastifyRequest } from 'fastify'
import { type App, at } from '#src/http/at.ts'
import { whenWaiting } from '#src/http/leaving.ts'
import { roomFor } from '#src/http/room-for.ts'
import { answerRaw } from '#src/resources/raw.routes.ts'
import { downloadedIn, type Visit } from './visits.ts'

/** What visitors call without an account: GET /api/public/share and GET /api/public/dl. */
export async function publicRoutes(app: App) {
  const { resources } = app.services

  app.route({
    ...at('GET /api/public/share/*'),
    handler: async (request, reply) => {
      const { person, typed, token } = await visit(request)
      const { body } = await resources.look(person, typed, {
        accepted: request.headers['accept-language'],
        room: roomFor(request, reply, person),
        signal: whenWaiting(request, reply),
      })
      reply.type('application/json; charset=utf-8').serializer((text) => text)
      return reply.send(withToken(Buffer.isBuffer(body) ? body : JSON.stringify(body), token) as never)
    },
  })

  app.route({
    ...at('GET /api/public/dl/*'),
    handler: async (request, reply) => {
      const visited = await visit(request)
      return answerRaw(request, reply, { person: visited.person, typed: await downloadedIn(visited) })
    },
  })
}

/** Puts the token at the end of a JSON object; a listing comes as bytes and stays bytes. */
function withToken(json: Buffer | string, token: string | undefined): Buffer | string {
  if (token === undefined) return json
  const end = `,"token":${JSON.stringify(token)}}`
  if (typeof json === 'string') return json.slice(0, -1) + end
  return Buffer.concat([json.subarray(0, -1), Buffer.from(end)])
}

/** Opens the share that the address names: `/api/public/<call>/<id>` and what follows. */
function visit(request: FastifyRequest): Promise<Visit> {
  const [address = ''] = (request.raw.url ?? '').split('?')
  // Clients of File Browser encode the slash behind the id as well. An id has no `%`, so it ends there.
  const [, hash = '', inside = ''] = /^\/api\/public\/[^/]+\/([^/%]*)(.*)$/.exec(address) ?? []
  const { token } = request.query as { token?: string }
  return request.server.services.visits.open(hash, inside, {
    address: request.ip,
    password: passwordOf(request),
    token,
  })
}

/** The header is percent-encoded, for headers carry no other alphabet (reference 6.3). */
function passwordOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-share-password']
  if (typeof given !== 'string' || given === '') return undefined
  try {
    return decodeURIComponent(given)
  } catch {
    return given // not encoded: taken as it is
  }
}
