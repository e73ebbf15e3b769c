import type { FastifyRequest } from 'fastify'
import type { Coding } from '#src/core/zlib/content-coding.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { memoryBudgetFor, queueSignal } from '#src/http/limits.ts'
import { createEarlyReply } from '#src/http/replies.ts'
import { acceptedCodings, languageOf } from '#src/http/request-headers.ts'
import { sendRaw } from '#src/http/send-file.ts'
import { jsonOfView } from '#src/http/send-view.ts'
import { resolveDownloadPath } from './share-access.ts'
import { openVisit } from './visit.ts'

/** The routes for visitors of shares, without an account: GET /api/public/share and GET /api/public/dl. */
export async function publicRoutes(app: App) {
  const { resources, details } = app.services

  app.route({
    ...at('GET /api/public/share/*'),
    handler: async (request, reply) => {
      const { person, typed, token } = await openVisit(request)
      const signal = queueSignal(request, reply)
      const accepted = request.headers['accept-language']
      const early = createEarlyReply(
        request,
        reply.serializer((text) => text),
      )
      const viewed = await resources
        .view(person, typed, {
          accepted,
          room: memoryBudgetFor(request, reply, person),
          signal,
          codings: codingsFor(request, token),
          start: early.start,
        })
        .catch(early.fail)
      if (!viewed) return reply as never
      if (!viewed.stats && viewed.coding) return early.end(viewed) as never
      const { body, stats } = viewed
      // The visitor's language comes from the request only, because `person` has the locale of the share's owner.
      const how = { signal, language: languageOf('', accepted) }
      const isFilm = stats !== undefined && body.type === 'video'
      const subtitles = isFilm ? await details.subtitlesOf(person, body.path as UserPath, how) : []
      if (!stats) return early.end({ body: withToken(body, token) }) as never
      const view = { ...body, ...(subtitles.length > 0 && { subtitles }), ...(token && { token }) }
      return early.end({ body: await jsonOfView(view, JSON.stringify) }) as never
    },
  })

  app.route({
    ...at('GET /api/public/dl/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      return sendRaw(request, reply, { person: visited.person, typed: await resolveDownloadPath(visited) })
    },
  })
}

/** The codings of an answer. One with a token is not compressed: its size would tell something about it (BREACH). */
function codingsFor({ headers }: FastifyRequest, token: string | undefined): Coding[] {
  return token === undefined ? acceptedCodings(headers['accept-encoding']) : []
}

/** Adds the token at the end of a listing. */
function withToken(json: Buffer, token: string | undefined): Buffer {
  if (token === undefined) return json
  return Buffer.concat([json.subarray(0, -1), Buffer.from(`,"token":${JSON.stringify(token)}}`)])
}
