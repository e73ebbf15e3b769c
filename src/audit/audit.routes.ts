import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import type { SqlValue } from '#src/core/database/database.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { type App, at } from '#src/http/at.ts'
import { compressAnswer } from '#src/http/compression.ts'
import { abortWhenRevoked, extendIdleTimeout, scanOwner } from '#src/http/limits.ts'
import { abortReply, attachment, hijackReply } from '#src/http/replies.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { exportFormats, exportText } from './export.ts'
import { parseFilter } from './search/filter.ts'

const pageSize = 100
/** Exports that run at the same time, of one user and of all. */
const maxExports = { each: 2, all: 4 }

/** The audit log for administrators, and the activity of files for everybody. */
export async function auditRoutes(app: App) {
  const { audit, activity, scans } = app.services
  const exports = createSemaphore('exports', maxExports)

  app.route({
    ...at('GET /api/audit'),
    // Strangers cause records, but no record holds a password or token. Only an administrator's page can request them,
    // with a header that no other site can make a browser send. So the size tells nothing (BREACH).
    onSend: compressAnswer,
    handler: (request, reply) => {
      const { before, limit = pageSize, ...query } = request.query
      const filter = parseFilter(query)
      return scans.run(scanOwner(request, reply), (scan) => audit.page(filter, { before, limit }, scan))
    },
  })

  app.route({
    ...at('GET /api/audit/export'),
    handler: async (request, reply) => {
      const { format } = request.query
      const filter = parseFilter(request.query)
      const by = scanOwner(request, reply)
      // An export may take long. Other scans of the user run between its reads.
      const read = <Result>(sql: string, values?: readonly SqlValue[]) =>
        scans.run(by, (scan) => scan.read<Result>(sql, values))
      const records = audit.all(filter, { read })
      using _permit = exports.acquireNow(String(request.actor().user.id))
      const { type, name } = exportFormats[format]
      reply.header('content-type', type).header('content-disposition', attachment(name))
      await stream(request, reply, exportText(records, format))
      return reply
    },
  })

  app.route({
    ...at('GET /api/activity/*'),
    handler: (request, reply) =>
      scans.run(scanOwner(request, reply), async (scan) => {
        const { actor, query } = request
        const jail = await actor().jail()
        await using found = await openPath(jail, resourcePath(request).path)
        const { id: userId, perm } = actor().user
        const { before, limit = pageSize } = query
        return activity(scan, { jail, real: found.real, userId, isAdmin: perm.admin, before, limit })
      }),
  })
}

/** Sends text while it is made. Waits while the client is slow, and stops when it disconnects or access is revoked. */
async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  text: AsyncIterable<string>,
): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  reply.raw.once('close', () => controller.abort())
  extendIdleTimeout(reply)
  const out = hijackReply(reply)
  const actor = request.actor()
  abortWhenRevoked(out, () => actor.hasAccess([]) && actor.user.perm.admin)
  try {
    for await (const part of text) if (!out.write(part)) await once(out, 'drain', { signal })
    out.end()
  } catch (error) {
    abortReply(request, out, { error, signal, message: 'an export was interrupted' })
  }
}
