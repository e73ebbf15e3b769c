import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ChecksumAlgorithm, checksumAlgorithms, type FileView } from '#contract/resources.ts'
import type { Actor } from '#src/auth/actor.ts'
import { languageOf } from '#src/core/text/languages.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { checkPreconditions, isFresh } from '#src/http/conditions.ts'
import { extendIdleTimeout } from '#src/http/limits/idle-timeout.ts'
import { memoryBudgetFor } from '#src/http/limits/memory-budget.ts'
import { queueSignal, requestSignal } from '#src/http/limits/request-signal.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { authorize } from './resources.policy.ts'

/** GET /api/resources: a folder with its items, or a file. */
export async function resourceViewRoutes(app: App) {
  app.route({
    ...at('GET /api/resources/*'),
    handler: async (request, reply) => sendResourceView(request, reply),
  })
}

/** Sends a listing, or a file with its text, the checksum that was requested, and its subtitles. */
export async function sendResourceView(request: FastifyRequest, reply: FastifyReply): Promise<never> {
  const { resources, details } = request.server.services
  const actor = request.actor()
  const typed = resourcePath(request)
  if (request.headers['x-encoding'] !== undefined) actor.session.sendsEncoding = true
  const signal = queueSignal(request, reply)
  const { body, stats } = await resources.view(actor, typed, {
    accepted: request.headers['accept-language'],
    room: memoryBudgetFor(request, reply, actor),
    signal,
  })
  reply.type('application/json; charset=utf-8')
  // A listing is JSON already. Buffers bypass the response schema.
  if (!stats) return reply.send(body) as never
  checkPreconditions(request.headers, stats, typed.path)
  reply.header('etag', etagOf(stats))
  if (isFresh(request.headers, stats)) return reply.code(304).send() as never
  if (request.headers['x-encoding'] === 'true' && body.kind === 'editor') {
    // Sends the file's bytes (contract/compatibility.md#listings-and-files). `content` has all of them, because only
    // UTF-8 files count as text.
    authorize(actor.user.perm, 'text')
    return reply.type('application/octet-stream').send(Buffer.from(body.content ?? '')) as never
  }
  const algorithm = algorithmOf(request)
  const { content, ...facts } = body
  const verb = body.type.startsWith('text') ? 'text' : 'read'
  const checksums =
    algorithm && (await checksumsOf(request, reply, { actor, path: typed.path, algorithm, verb }))
  const language = languageOf(actor.user.locale, request.headers['accept-language'])
  const isVideo = body.type === 'video'
  const subtitles = isVideo
    ? await details.subtitlesOf(actor, body.path as UserPath, { signal, language })
    : []
  return reply.send({
    ...(checksums ? { ...facts, checksums } : body),
    ...(subtitles.length > 0 && { subtitles }),
  } satisfies FileView) as never
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
