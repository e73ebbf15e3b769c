import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendArchive, undefinedForFolder } from '#src/archives/archive.routes.ts'
import type { Principal } from '#src/auth/actor.ts'
import type { NormalizedPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { queueSignal } from '#src/http/limits/request-signal.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { sendOpened } from '#src/http/send-file.ts'

/** GET and HEAD /api/raw: the bytes of a file. */
export async function rawRoutes(app: App) {
  app.route({
    ...at('GET /api/raw/*'),
    handler: async (request, reply) => {
      const typed = resourcePath(request)
      const { version } = request.query
      if (version === undefined) return sendRaw(request, reply, { person: request.actor(), typed })
      const signal = queueSignal(request, reply)
      const { versions } = app.services
      const open = await versions.open(request.actor(), typed.path, { id: version, signal })
      return sendOpened(request, reply, open)
    },
  })
}

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
