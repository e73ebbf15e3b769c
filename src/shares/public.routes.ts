import type { FastifyRequest } from 'fastify'
import type { Coding } from '#src/core/zlib/content-coding.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { memoryBudgetFor, queueSignal } from '#src/http/limits.ts'
import { listingJson } from '#src/http/listing-json.ts'
import { createEarlyReply } from '#src/http/replies.ts'
import { acceptedCodings, languageOf } from '#src/http/request-headers.ts'
import { sendRaw } from '#src/http/send-file.ts'
import { jsonOfView } from '#src/http/send-view.ts'
import { resolveDownloadPath } from './share-access.ts'
import { openVisit } from './visit.ts'

/** The routes for visitors of shares, without an account: GET /api/public/share and GET /api/public/dl. */
export async function publicRoutes(app: App) {
  const { entries, details } = app.services

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
      const room = memoryBudgetFor(request, reply, person)
      const viewed = await entries
        .view(person, typed, {
          language: languageOf(person.user.locale, accepted),
          room,
          signal,
          encode: listingJson({ codings: codingsFor(request, token), room, start: early.start }),
        })
        .catch(early.fail)
      if (!viewed) return reply as never
      if (!viewed.stats) {
        const { listing } = viewed
        return early.end(listing.coding ? listing : { body: withToken(listing.body, token) }) as never
      }
      const { body } = viewed
      // The visitor's language comes from the request only, because `person` has the locale of the share's owner.
      const how = { signal, language: languageOf('', accepted) }
      const subtitles =
        body.type === 'video' ? await details.subtitlesOf(person, body.path as UserPath, how) : []
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
