import type { FastifyRequest } from 'fastify'
import type { Actor } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { childOf, rootPath, typedPath, type UserPath } from '#src/files/paths/user-path.ts'
import { receive } from '#src/files/writing/receive.ts'
import { type App, at } from '#src/http/at.ts'
import { writeCondition } from '#src/http/conditions.ts'
import { streamJson } from '#src/http/json-stream.ts'
import { allowSlowWork } from '#src/http/limits/idle-timeout.ts'
import { requestSignal } from '#src/http/limits/request-signal.ts'
import { done } from '#src/http/replies.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import type { Wanted } from '#src/transfers/removal.ts'
import { uploadForm } from './form-upload.ts'
import { denialOf } from './resources.policy.ts'
import type { Upload } from './write-with-hooks.ts'

/** Creating and saving under /api/resources. */
export async function resourcesRoutes(app: App) {
  const { resources, maxUpload } = app.services

  app.route({
    ...at('POST /api/resources/*'),
    handler: async (request, reply) => {
      const typed = resourcePath(request)
      const { path, asFolder } = typed
      const actor = request.actor()
      const override = request.query.override === 'true'
      const isForm = request.isMultipart()
      if (asFolder && !isForm) {
        await resources.makeFolder(actor, path, requestSignal(request))
        return done(reply)
      }
      allowSlowWork(reply)
      if (isForm) {
        const etag = await uploadForm(request, resources, { actor, typed, override, limit: maxUpload })
        return done(etag ? reply.header('etag', etag) : reply)
      }
      const etag = await resources.upload(actor, path, { ...upload(request, path, maxUpload), override })
      return done(reply.header('etag', etag))
    },
  })

  app.route({
    ...at('PUT /api/resources/*'),
    handler: async (request, reply) => {
      const typed = resourcePath(request)
      const actor = request.actor()
      allowSlowWork(reply)
      const etag = await resources.save(actor, typed, upload(request, typed.path, maxUpload))
      return done(reply.header('etag', etag))
    },
  })
}

/** Deleting, copying and renaming under /api/resources. */
export async function transfersRoutes(app: App) {
  const { transfers } = app.services

  app.route({
    ...at('DELETE /api/resources/*'),
    handler: async (request, reply) => {
      allowSlowWork(reply)
      await transfers.remove(request.actor(), resourcePath(request).path)
      return done(reply)
    },
  })

  app.route({
    ...at('POST /api/delete/*'),
    handler: async (request, reply) => {
      const wanted = wantedPaths(resourcePath(request).path, request.body.paths)
      await streamJson(request, reply, async (signal) =>
        texts(await transfers.removeAll(request.actor(), wanted, signal)),
      )
      return reply
    },
  })

  app.route({
    ...at('PATCH /api/resources/*'),
    handler: async (request, reply) => {
      const { action, override, rename } = request.query
      allowSlowWork(reply)
      await transfers[action](request.actor(), {
        from: resourcePath(request).path,
        to: destinationPath(request),
        override: override === 'true',
        rename: rename === 'true',
      })
      return done(reply)
    },
  })
}

async function* texts(parts: AsyncIterable<unknown[]>): AsyncGenerator<string[]> {
  for await (const part of parts) yield part.map((one) => JSON.stringify(one))
}

/**
 * The things in a folder that are to be deleted. Each path is normalised before it is joined, so none climbs out of the
 * folder, and none may be the folder itself.
 *
 * @throws Problem `path.invalid`, `request.invalid`; then nothing is deleted.
 */
function wantedPaths(folder: UserPath, paths: readonly string[]): Wanted[] {
  return paths.map((asked) => {
    const { path } = typedPath(asked)
    if (path !== rootPath) return { asked, path: childOf(folder, path.slice(1)) }
    throw new Problem('request.invalid', { field: 'paths', reason: 'names the folder itself' })
  })
}

/**
 * Reads the destination of a copy or rename. Clients of File Browser percent-encode it twice, once as a path and once as
 * a value of the query, so it is decoded twice. A name that is not valid percent-encoding after the first decoding, such
 * as `50% off.txt`, is taken as it stands then. `+` is a plus sign. The address is read here and not by the framework,
 * which decodes once and turns `+` into a space.
 *
 * @throws Problem `path.invalid`.
 */
function destinationPath({ raw }: FastifyRequest): UserPath {
  const [, written = ''] = /[?&]destination=([^&]*)/.exec(raw.url ?? '') ?? []
  const once = decoded(written)
  if (once === undefined) throw new Problem('path.invalid', { reason: 'it is not percent-encoded UTF-8' })
  return typedPath(decoded(once) ?? once).path
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // the caller decides what text that is not percent-encoded means
  }
}

/** Whether somebody whose body is coming may still make or change files; which of them is asked when all of it is here. */
function maySend({ user: { perm } }: Actor): boolean {
  return denialOf(perm, 'create') === undefined || denialOf(perm, 'save') === undefined
}

function upload(request: FastifyRequest, path: UserPath, limit: number): Upload {
  const { headers, raw } = request
  if (headers['content-range']) {
    // RFC 9110 §14.5: a part must not be taken for the whole.
    throw new Problem('request.invalid', { field: 'content-range', reason: 'is not accepted here' })
  }
  const expected = Number(headers['content-length'] ?? Number.NaN)
  const options = { path, limit, ...(Number.isFinite(expected) && { expected }) }
  return {
    expects: writeCondition(headers, path),
    fill: (file) => receive(raw, file, { ...options, signal: requestSignal(request, maySend) }),
  }
}
