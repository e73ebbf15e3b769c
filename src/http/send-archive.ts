import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { archiveAlgorithms } from '#contract/resources.ts'
import { isStillAllowed } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import { archiveFormats } from '#src/files/archive/formats/algorithms.ts'
import { childOf, decodePath, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { countDownload } from './count-download.ts'
import { abortWhenRevoked, extendIdleTimeout, queueSignal } from './limits.ts'
import { paced } from './paced.ts'
import { abortReply, attachment, hijackReply } from './replies.ts'

/** Sends GET and HEAD /api/raw for a folder, or for the selection in the query, as one archive. */
export async function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  { person, path }: { person: Principal; path: UserPath },
): Promise<FastifyReply> {
  const { archives, keptSelections } = request.server.services
  const query = request.query as { files?: string; selection?: string; algo?: string }
  const { selection, algo = '', files = selection && keptSelections.find(selection) } = query
  // Old clients send an empty value or `true` for a zip. The contract has rejected all other unknown values.
  const algorithm = archiveAlgorithms.find((one) => one === algo) ?? 'zip'
  const signal = queueSignal(request, reply)
  countDownload(request, reply, {
    person,
    what: `archive ${path}\n${files ?? ''}`,
    path: placeOf(path, files),
  })
  using open = await archives.open(person, path, { files, algorithm, signal })
  extendIdleTimeout(reply)
  const { suffix, mediaType } = archiveFormats[algorithm]
  reply.headers({
    'content-type': mediaType,
    'cache-control': 'private, no-cache',
    'content-disposition': attachment(`${open.name}${suffix}`),
  })
  await stream(request, reply, { archive: open.archive, person })
  return reply
}

/** What an archive is about: the only selected entry, or the folder. */
function placeOf(path: UserPath, files: string | undefined): UserPath {
  const [only = '', ...others] = (files ?? '').split(',', 2)
  if (only === '' || others.length > 0) return path
  const { path: selected } = decodePath(only)
  return selected === rootPath ? path : childOf(path, selected.slice(1))
}

/** As `archives.open` returns it. */
type Archive = Awaited<ReturnType<FastifyInstance['services']['archives']['open']>>['archive']

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  { archive, person }: { archive: Archive; person: Principal },
): Promise<void> {
  const out = hijackReply(reply)
  if (request.method === 'HEAD') return void out.end()
  abortWhenRevoked(out, () => isStillAllowed(person, 'read'))
  const controller = new AbortController()
  out.once('close', () => controller.abort())
  try {
    await request.server.services.archives.send(
      archive,
      paced(out, person.pace, controller.signal),
      controller.signal,
    )
    out.end()
  } catch (error) {
    abortReply(request, out, { error, signal: controller.signal, message: 'an archive was interrupted' })
  }
}
