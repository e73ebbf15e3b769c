import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PreviewSize } from '#contract/previews.ts'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import type { OpenFile } from '#src/entries/open.ts'
import type { NormalizedPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { queueSignal, requestSignal } from '#src/http/limits.ts'
import { matchesEtag } from '#src/http/request-headers.ts'
import { routeResourcePath } from '#src/http/resource-path.ts'
import { sendRaw } from '#src/http/send-file.ts'
import { openVisit } from '#src/shares/visiting/visit.ts'

/** GET /api/preview and, for visitors of shares, GET /api/public/preview: previews of pictures. */
export async function previewsRoutes(app: App) {
  app.route({
    ...at('GET /api/preview/:size/*'),
    handler: async (request, reply) => {
      const actor = request.actor()
      const options = { person: actor, typed: routeResourcePath(request), group: actor.session.id }
      return sendPreview(request, reply, { ...options, size: request.params.size })
    },
  })

  app.route({
    ...at('GET /api/public/cover/*'),
    handler: async (request, reply) => {
      const { owner, cover } = await openVisit(request)
      // The original is never sent: it is not shared.
      if (!cover || !request.server.services.previews.isEnabled('big')) throw new Problem('share.unknown')
      const group = `${owner.quotaOwner.share} ${owner.quotaOwner.key}`
      const typed = { path: cover.path, asFolder: false }
      const isCover = (open: OpenFile) => cover.is(open.stats)
      const options = { person: owner, typed, group, size: 'big', isExpected: isCover } as const
      return sendPreview(request, reply, options).catch(withoutPath)
    },
  })

  app.route({
    ...at('GET /api/public/preview/:size/*'),
    handler: async (request, reply) => {
      const { person, typed } = await openVisit(request)
      const group = `${person.quotaOwner.share} ${person.quotaOwner.key}`
      return sendPreview(request, reply, { person, typed, group, size: request.params.size })
    },
  })
}

/** Rethrows an error about a path: it is one of the owner, which visitors must not learn. */
function withoutPath(error: unknown): never {
  throw error instanceof Problem && 'path' in error.details ? new Problem('share.unknown') : error
}

interface PreviewRequest {
  person: Principal
  typed: NormalizedPath
  /** Identifies requests with the same access. They share one run for the same picture. */
  group: string
  size: PreviewSize
  /** Whether this is the picture. Undefined: any one at this path is. */
  isExpected?: (open: OpenFile) => boolean
}

async function sendPreview(
  request: FastifyRequest,
  reply: FastifyReply,
  { person, typed, group, size, isExpected = () => true }: PreviewRequest,
): Promise<FastifyReply> {
  const { entries, previews } = request.server.services
  if (!previews.isEnabled(size)) return sendRaw(request, reply, { person, typed })
  // The permission for a preview is checked on each request, before the cache is read.
  const open = await entries.open(person, typed, {
    signal: queueSignal(request, reply),
    verb: 'preview',
  })
  if (!isExpected(open)) {
    await open.file.close()
    throw new Problem('share.unknown')
  }
  const etag = previews.etagOf(open, size)
  const ifNoneMatch = request.headers['if-none-match']
  const headers = {
    etag,
    'cache-control': 'private, no-cache',
    'last-modified': open.stats.mtime.toUTCString(),
  }
  if (ifNoneMatch && matchesEtag(ifNoneMatch, etag)) {
    await open.file.close()
    return reply.headers(headers).code(304).send()
  }
  const requester = { payer: person.quotaOwner, group, signal: requestSignal(request) }
  const bytes = await previews.getPreview(open, size, requester)
  // The request may have waited. The user may have lost access meanwhile.
  open.recheck()
  return reply.headers(headers).type('image/webp').send(bytes)
}
