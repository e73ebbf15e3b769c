import type { FastifyRequest } from 'fastify'
import type { FileView, Listing } from '#contract/resources.ts'
import type { Coding } from '#src/core/zlib/content-coding.ts'
import { extensionOf, pageUrl, typeByName } from '#src/files/listing/entry.ts'
import { nameOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { memoryBudgetFor, queueSignal } from '#src/http/limits.ts'
import { listingJson } from '#src/http/listing-json.ts'
import { createEarlyReply } from '#src/http/replies.ts'
import { acceptedCodings, languageOf } from '#src/http/request-headers.ts'
import { sendRaw } from '#src/http/send-file.ts'
import { jsonOfView } from '#src/http/send-view.ts'
import type { FileRow } from '../use/link-rows.ts'
import { type OpenShare, resolveDownloadPath } from './share-access.ts'
import { openVisit } from './visit.ts'

/** The routes for visitors of shares, without an account: GET /api/public/share and GET /api/public/dl. */
export async function publicRoutes(app: App) {
  const { entries, details, linkUse } = app.services

  app.route({
    ...at('GET /api/public/share/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      const { person, typed, offer } = visited
      const extras = extrasOf(visited)
      if (offer) reply.header('x-visit', visited.visit.ticket)
      if (person.sees === 'nothing') {
        const files = await linkUse.files(visited.share.hash, visited.visit.id)
        return { ...receivedListing(visited, files), ...extras }
      }
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
          encode: listingJson({ codings: codingsFor(request, extras), room, start: early.start }),
        })
        .catch(early.fail)
      if (!viewed) return reply as never
      if (!viewed.stats) {
        const { listing } = viewed
        return early.end(listing.coding ? listing : { body: withExtras(listing.body, extras) }) as never
      }
      const { body } = viewed
      const subtitles = await subtitlesOf(visited, body, { signal, accepted })
      const view = { ...body, ...(subtitles.length > 0 && { subtitles }), ...extras }
      return early.end({ body: await jsonOfView(view, JSON.stringify) }) as never
    },
  })

  /** The subtitles of a video that the visitor may play. */
  async function subtitlesOf(
    { person }: OpenShare,
    { type, path }: FileView,
    { signal, accepted }: SubtitleOptions,
  ) {
    if (type !== 'video' || person.sees !== undefined) return []
    // The language comes from the request only, because `person` has the locale of the share's owner.
    return details.subtitlesOf(person, path as UserPath, { signal, language: languageOf('', accepted) })
  }

  app.route({
    ...at('GET /api/public/dl/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      return sendRaw(request, reply, { person: visited.person, typed: await resolveDownloadPath(visited) })
    },
  })
}

interface SubtitleOptions {
  signal: () => AbortSignal
  /** The header `Accept-Language`. */
  accepted: string | undefined
}

/** What an answer has besides the listing or the file. */
function extrasOf({ token, offer }: OpenShare) {
  return { ...(token && { token }), ...(offer && { share: offer }) }
}

/** The codings of an answer. One with a token is not compressed: its size would tell something about it (BREACH). */
function codingsFor({ headers }: FastifyRequest, extras: object): Coding[] {
  return Object.keys(extras).length === 0 ? acceptedCodings(headers['accept-encoding']) : []
}

/** Adds the extras at the end of a listing. */
function withExtras(json: Buffer, extras: object): Buffer {
  const added = JSON.stringify(extras).slice(1)
  return added === '}' ? json : Buffer.concat([json.subarray(0, -1), Buffer.from(`,${added}`)])
}

/** The listing of a share that only receives files: those of this visit, and nothing else. */
function receivedListing({ person, share }: OpenShare, files: readonly FileRow[]): Listing {
  const page = person.pageUrl
  const items = files.map(({ path, size, time }, index) => ({
    ...{
      name: path.slice(1),
      path,
      url: pageUrl(path, false, page),
      size,
      extension: extensionOf(nameOf(path as UserPath)),
    },
    ...{ modified: new Date(time).toISOString(), mode: 0, isDir: false, isSymlink: false },
    type: typeByName(path) ?? 'blob',
    index,
  }))
  return {
    kind: 'listing',
    ...{ name: share.conditions?.title ?? '', path: rootPath, url: pageUrl(rootPath, true, page), size: 0 },
    ...{ extension: '', modified: new Date(share.created * 1000).toISOString(), mode: folderMode },
    ...{ isDir: true, isSymlink: false, type: '' },
    ...{ items, numDirs: 0, numFiles: items.length, sorting: person.user.sorting },
  }
}

/** The mode of a folder in Go, without permissions. */
const folderMode = 0x80000000
