import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import type { NormalizedPath } from '#src/files/paths/user-path.ts'
import { queueSignal } from '#src/http/limits/request-signal.ts'
import { sendArchive } from './send-archive.ts'
import { sendOpened } from './send-file.ts'

/** Sends the bytes of a file, or a folder or a selection as an archive, with the permissions of `person`. */
export async function sendRaw(
  request: FastifyRequest,
  reply: FastifyReply,
  { person, typed }: { person: Principal; typed: NormalizedPath },
): Promise<FastifyReply> {
  const { path } = typed
  if ((request.query as { files?: string }).files) return sendArchive(request, reply, { person, path })
  const { resources } = request.server.services
  const open = await resources
    .open(person, typed, { signal: queueSignal(request, reply) })
    .catch(undefinedForFolder)
  if (!open) return sendArchive(request, reply, { person, path })
  return sendOpened(request, reply, open)
}

/** For `.catch`: returns undefined for a folder and rethrows all other errors. */
function undefinedForFolder(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== 'path.folder') throw error
}
