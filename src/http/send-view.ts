import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ChecksumAlgorithm, checksumAlgorithms, type FileView } from '#contract/resources.ts'
import { authorize } from '#src/access/authorize.ts'
import type { Actor } from '#src/access/principal.ts'
import { shortText, withLongText } from '#src/core/text/long-json.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import type { NormalizedPath, UserPath } from '#src/files/paths/user-path.ts'
import { extendIdleTimeout, memoryBudgetFor, queueSignal, requestSignal } from './limits.ts'
import { listingJson } from './listing-json.ts'
import { createEarlyReply } from './replies.ts'
import { acceptedCodings, checkPreconditions, isFresh, languageOf } from './request-headers.ts'
import { resourcePath } from './resource-path.ts'

/** Sends a listing, or a file with its text, the checksum that was requested, and its subtitles. */
export async function sendResourceView(request: FastifyRequest, reply: FastifyReply): Promise<never> {
  const { entries, sessions } = request.server.services
  const actor = request.actor()
  const typed = resourcePath(request)
  if (request.headers['x-encoding'] !== undefined) sessions.note(actor.session.id, { sendsEncoding: true })
  const signal = queueSignal(request, reply)
  const early = createEarlyReply(request, reply)
  const room = memoryBudgetFor(request, reply, actor)
  const codings = acceptedCodings(request.headers['accept-encoding'])
  const viewed = await entries
    .view(actor, typed, {
      language: languageOf(actor.user.locale, request.headers['accept-language']),
      room,
      signal,
      encode: listingJson({ codings, room, start: early.start }),
    })
    .catch(early.fail)
  if (!viewed) return reply as never
  // A listing is JSON already. Buffers bypass the response schema.
  if (!viewed.stats) return early.end(viewed.listing) as never
  const { body, stats } = viewed
  reply.type('application/json; charset=utf-8')
  checkPreconditions(request.headers, stats, typed.path)
  reply.header('etag', etagOf(stats))
  if (isFresh(request.headers, stats)) return reply.code(304).send() as never
  if (request.headers['x-encoding'] === 'true' && body.kind === 'editor') {
    // Sends the file's bytes (contract/compatibility.md#listings-and-files). `content` has all of them, because only
    // UTF-8 files count as text.
    authorize(actor, 'text')
    return reply.type('application/octet-stream').send(Buffer.from(body.content ?? '')) as never
  }
  const view = await withRequested(request, reply, { actor, typed, view: body, signal })
  if (isLong(view)) return reply.send(await jsonOfView(view, (one) => reply.serialize(one))) as never
  return reply.send(view) as never
}

function isLong({ content = '' }: FileView): boolean {
  return content.length > shortText
}

/** Writes a view as JSON. A long text becomes JSON in slices. */
export async function jsonOfView(
  view: FileView,
  serialize: (view: object) => unknown,
): Promise<string | Buffer> {
  const { content = '', ...facts } = view
  if (!isLong(view)) return serialize(view) as string
  return withLongText(serialize(facts) as string, { name: 'content', text: content })
}

/** Adds the requested checksum, in place of the text, and the subtitles of a video. */
async function withRequested(
  request: FastifyRequest,
  reply: FastifyReply,
  { actor, typed, view, signal }: ViewOfFile,
): Promise<FileView> {
  const { path } = typed
  const algorithm = algorithmOf(request)
  const { content, ...facts } = view
  const verb = view.type.startsWith('text') ? 'text' : 'read'
  const checksums = algorithm && (await checksumsOf(request, reply, { actor, path, algorithm, verb }))
  const subtitles = view.type === 'video' ? await subtitlesOf(request, { actor, view, signal }) : []
  return {
    ...(checksums ? { ...facts, checksums } : view),
    ...(subtitles.length > 0 && { subtitles }),
  }
}

interface ViewOfFile {
  actor: Actor
  typed: NormalizedPath
  view: FileView
  signal: () => AbortSignal
}

function subtitlesOf(
  request: FastifyRequest,
  { actor, view, signal }: Omit<ViewOfFile, 'typed'>,
): Promise<string[]> {
  const language = languageOf(actor.user.locale, request.headers['accept-language'])
  return request.server.services.details.subtitlesOf(actor, view.path as UserPath, { signal, language })
}

/**
 * The requested checksum; an empty value means none (contract/compatibility.md#checksums). The contract has rejected
 * other words.
 */
function algorithmOf({ query }: FastifyRequest): ChecksumAlgorithm | undefined {
  const { checksum } = query as { checksum?: string }
  return checksumAlgorithms.find((one) => one === checksum)
}

async function checksumsOf(
  request: FastifyRequest,
  reply: FastifyReply,
  target: { actor: Actor; path: UserPath; algorithm: ChecksumAlgorithm; verb: 'text' | 'read' },
): Promise<Record<string, string>> {
  extendIdleTimeout(reply)
  const { details } = request.server.services
  const { actor, path, algorithm, verb } = target
  const sum = await details.checksum(actor, path, { algorithm, verb, signal: requestSignal(request) })
  return { [algorithm]: sum }
}
