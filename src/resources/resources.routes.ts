import type { FastifyReply, FastifyRequest } from 'fastify'
import { maySend } from '#src/access/authorize.ts'
import { Problem } from '#src/core/problem.ts'
import { fromLocalTime } from '#src/core/text/local-time.ts'
import type { RemovalRequest } from '#src/entries/removal.ts'
import type { Upload } from '#src/entries/write.ts'
import { childOf, normalizePath, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import type { Turn } from '#src/files/pictures/formats/jpeg-rotation.ts'
import { type App, at } from '#src/http/at.ts'
import { announcedBytes, extendIdleTimeout, requestSignal } from '#src/http/limits.ts'
import { sendOk, streamJsonList } from '#src/http/replies.ts'
import { createWritePrecondition, modifiedOfHeaders } from '#src/http/request-headers.ts'
import { pathInQuery, resourcePath } from '#src/http/resource-path.ts'
import { uploadBatch } from './batch-upload.ts'
import { uploadForm } from './form-upload.ts'

/** Creating and saving under /api/resources. */
export async function resourcesRoutes(app: App) {
  const { entries, maxUpload } = app.services

  app.route({
    ...at('POST /api/resources/*'),
    handler: async (request, reply) => {
      const typed = resourcePath(request)
      const { path, asFolder } = typed
      const actor = request.actor()
      const override = request.query.override === 'true'
      const isForm = request.isMultipart()
      if (asFolder && !isForm) {
        request.operation().as('create')
        await entries.makeFolder(actor, path, { signal: requestSignal(request) })
        return sendOk(reply)
      }
      extendIdleTimeout(reply)
      if (isForm) {
        const etag = await uploadForm(request, entries, { actor, typed, override, limit: maxUpload })
        return sendOk(etag ? reply.header('etag', etag) : reply)
      }
      if (request.headers.archetype) return createFromArchetype(request, reply, path)
      const etag = await entries.upload(actor, path, { ...upload(request, path, maxUpload), override })
      return sendOk(reply.header('etag', etag))
    },
  })

  app.route({
    ...at('POST /api/upload/*'),
    handler: async (request, reply) => {
      const { path: folder } = resourcePath(request)
      extendIdleTimeout(reply)
      const override = request.query.override === 'true'
      return uploadBatch(request, entries, { actor: request.actor(), folder, override, limit: maxUpload })
    },
  })

  app.route({
    ...at('PUT /api/resources/*'),
    handler: async (request, reply) => {
      const typed = resourcePath(request)
      const actor = request.actor()
      extendIdleTimeout(reply)
      const publication = await requestedPublication(request, typed.path)
      const etag = await entries.save(actor, typed, upload(request, typed.path, maxUpload))
      await publication?.()
      // Publishing may have changed the file again.
      return sendOk(publication ? reply : reply.header('etag', etag))
    },
  })
}

/** Turning pictures. */
export async function rotationRoutes(app: App) {
  app.route({
    ...at('POST /api/rotate/*'),
    handler: async (request, reply) => {
      const typed = resourcePath(request)
      const etag = await app.services.entries.rotate(request.actor(), typed, {
        by: Number(request.query.by) as Turn,
        precondition: createWritePrecondition(request.headers, typed.path),
        signal: requestSignal(request),
      })
      return sendOk(reply.header('etag', etag))
    },
  })
}

/**
 * Publishing as clients of File Browser 1 request it: with headers of a request that saves a file
 * (contract/compatibility.md#publishing). Returns what to do after saving; undefined: nothing. Everything that can be
 * refused is refused before the file is saved. A generator that fails is only logged, because the file is saved.
 *
 * @throws Problem `auth.forbidden`, `site.off`, `request.invalid`.
 */
async function requestedPublication(
  request: FastifyRequest,
  path: UserPath,
): Promise<(() => Promise<unknown>) | undefined> {
  const { site } = request.server.services
  const { publish, schedule } = request.headers as Record<string, string | undefined>
  if (!site.isOn || (publish !== 'true' && !schedule)) return undefined
  const actor = request.actor()
  const time = schedule ? fromLocalTime(schedule) : undefined
  await site.authorize(actor, path, time)
  return () =>
    site.publish(actor, path, time).catch((error: unknown) => {
      if (!(error instanceof Problem && error.code === 'site.failed')) throw error
      request.log.error({ err: error, request: request.id }, 'the website was not published')
    })
}

async function createFromArchetype(request: FastifyRequest, reply: FastifyReply, path: UserPath) {
  const made = await request.server.services.site.createNamedPage(
    request.actor(),
    String(request.headers.archetype),
    path,
  )
  return sendOk(reply.header('location', encodeURI(`/files${made}`)))
}

/** Deleting, copying and renaming under /api/resources. */
export async function transfersRoutes(app: App) {
  const { entries } = app.services

  app.route({
    ...at('DELETE /api/resources/*'),
    handler: async (request, reply) => {
      extendIdleTimeout(reply)
      const isPermanent = request.query.permanent === 'true'
      await entries.remove(request.actor(), resourcePath(request).path, { isPermanent })
      return sendOk(reply)
    },
  })

  app.route({
    ...at('POST /api/delete/*'),
    handler: async (request, reply) => {
      const removals = requestedEntries(resourcePath(request).path, request.body.paths)
      const isPermanent = request.query.permanent === 'true'
      await streamJsonList(request, reply, async (signal) =>
        jsonOf(await entries.removeAll(request.actor(), removals, { signal, isPermanent })),
      )
      return reply
    },
  })

  app.route({
    ...at('PATCH /api/resources/*'),
    handler: async (request, reply) => {
      const { action, override, rename } = request.query
      extendIdleTimeout(reply)
      if (action === 'copy') request.operation().as('copy')
      await entries[action === 'copy' ? 'copy' : 'move'](request.actor(), {
        from: resourcePath(request).path,
        to: destinationPath(request),
        override: override === 'true',
        rename: rename === 'true',
      })
      return sendOk(reply)
    },
  })
}

async function* jsonOf(parts: AsyncIterable<unknown[]>): AsyncGenerator<string[]> {
  for await (const part of parts) yield part.map((one) => JSON.stringify(one))
}

/**
 * The entries of a folder to delete. Each path is normalized before it is joined, so no path leaves the folder, and
 * no path may be the folder itself.
 *
 * @throws Problem `path.invalid`, `request.invalid`; then nothing is deleted.
 */
function requestedEntries(folder: UserPath, paths: readonly string[]): RemovalRequest[] {
  return paths.map((requestedPath) => {
    const { path } = normalizePath(requestedPath)
    if (path !== rootPath) return { requestedPath, path: childOf(folder, path.slice(1)) }
    throw new Problem('request.invalid', { field: 'paths', reason: 'must not contain the folder itself' })
  })
}

/**
 * Reads the destination of a copy or rename. Clients of File Browser percent-encode it twice, as a path and as a
 * query value, so it is decoded twice. If a name is not valid percent-encoding after the first decoding, such as `50%
 * off.txt`, it is used as it is.
 *
 * @throws Problem `path.invalid`.
 */
function destinationPath(request: FastifyRequest): UserPath {
  const once = pathInQuery(request, 'destination') ?? ''
  return normalizePath(decoded(once) ?? once).path
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // the caller decides how to treat text that is not percent-encoded
  }
}

function upload(request: FastifyRequest, path: UserPath, limit: number): Upload {
  const { headers, raw } = request
  if (headers['content-range']) {
    // RFC 9110 §14.5: a part must not be treated as the whole file.
    throw new Problem('request.invalid', { field: 'content-range', reason: 'is not accepted here' })
  }
  return {
    source: { stream: raw, size: announcedBytes(request), mtime: modifiedOfHeaders(headers) },
    limit,
    signal: requestSignal(request, { isPermitted: maySend }),
    precondition: createWritePrecondition(headers, path),
  }
}
