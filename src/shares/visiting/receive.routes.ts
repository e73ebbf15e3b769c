import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Received } from '#contract/shares.ts'
import { maySend } from '#src/access/authorize.ts'
import type { Pace } from '#src/core/concurrency/pace.ts'
import { normalizePath, type UserPath } from '#src/files/paths/user-path.ts'
import { type App, at } from '#src/http/at.ts'
import { announcedBytes, extendIdleTimeout, requestSignal } from '#src/http/limits.ts'
import { sendAccepted, sendOk } from '#src/http/replies.ts'
import { createWritePrecondition, modifiedOfHeaders } from '#src/http/request-headers.ts'
import { pathInQuery } from '#src/http/resource-path.ts'
import type { OpenShare } from './share-access.ts'
import { isHeld, openVisit, receive, refusePath } from './visit.ts'

/** What visitors change in a share: POST, PUT, PATCH and DELETE /api/public/resources. */
export async function receiveRoutes(app: App) {
  routesForContent(app)
  routesForEntries(app)
}

function routesForContent(app: App): void {
  const { entries, maxUpload } = app.services

  /** Makes a folder, or writes a file under a free name. */
  async function receiveNew(request: FastifyRequest, visited: OpenShare): Promise<Received> {
    const { person, typed } = visited
    const signal = signalOf(request, visited)
    const receiving = receive(request, visited, typed.asFolder ? 0 : announcedBytes(request))
    try {
      if (typed.asFolder) {
        await entries.makeFolder(person, typed.path, { signal })
        receiving.madeFolder(typed.path)
        return { path: typed.path, size: 0, sha256: '' }
      }
      const hashed = hashing(person.pace)
      let received: Received = { path: typed.path, size: 0, sha256: '' }
      const onWritten = (path: UserPath) => {
        received = { path, ...hashed.result() }
        receiving.received(received)
      }
      const upload = { ...uploadOf(request, hashed, receiving.limit), signal, onWritten }
      await entries.uploadNumbered(person, typed.path, upload).catch((error: unknown) => {
        if (!isHeld(error)) throw error
        // It counts like a file that is there, so that visitors cannot fill the disk with files that are held.
        onWritten(typed.path)
        received = { ...received, held: true }
      })
      return received
    } finally {
      receiving.end()
    }
  }

  /** The size is not passed on: a visitor who announces much and sends nothing would reserve the disk. */
  function uploadOf({ raw, headers }: FastifyRequest, hashed: ReturnType<typeof hashing>, limit = maxUpload) {
    const source = { stream: hashed.of(raw), mtime: modifiedOfHeaders(headers) }
    return { source, limit: Math.min(maxUpload, limit) }
  }

  app.route({
    ...at('POST /api/public/resources/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      extendIdleTimeout(reply)
      reply.header('x-visit', visited.visit.ticket)
      refusePath(visited, visited.typed)
      const received = await receiveNew(request, visited)
      return received.held ? sendAccepted(reply, received) : received
    },
  })

  app.route({
    ...at('PUT /api/public/resources/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      const { person, typed } = visited
      extendIdleTimeout(reply)
      refusePath(visited, typed)
      const receiving = receive(request, visited, announcedBytes(request))
      const hashed = hashing(person.pace)
      try {
        const onWritten = (path: UserPath) => receiving.received({ path, ...hashed.result() })
        const saving = entries.save(person, typed, {
          ...uploadOf(request, hashed, receiving.limit),
          signal: signalOf(request, visited),
          precondition: createWritePrecondition(request.headers, typed.path),
          onWritten,
        })
        const etag = await saving.catch((error: unknown) => {
          if (isHeld(error)) onWritten(typed.path)
          throw error
        })
        reply.header('etag', etag)
        return sendOk(reply)
      } finally {
        receiving.end()
      }
    },
  })
}

function routesForEntries(app: App): void {
  const { entries } = app.services

  app.route({
    ...at('PATCH /api/public/resources/*'),
    handler: async (request, reply) => {
      const visited = await openVisit(request)
      const { person, typed } = visited
      extendIdleTimeout(reply)
      const { path: to } = normalizePath(pathInQuery(request, 'destination') ?? '')
      const transfer = { from: typed.path, to, override: false, rename: false }
      // The spelling of the address does not tell whether a folder is moved.
      const check = (stats: Stats) => refusePath(visited, { path: to, asFolder: stats.isDirectory() })
      await entries.move(person, transfer, check)
      return sendOk(reply)
    },
  })

  app.route({
    ...at('DELETE /api/public/resources/*'),
    handler: async (request, reply) => {
      const { person, typed } = await openVisit(request)
      extendIdleTimeout(reply)
      await entries.remove(person, typed.path)
      return sendOk(reply)
    },
  })
}

/** Aborts when the visitor leaves, and when the share ends or no longer allows to send. */
function signalOf(request: FastifyRequest, { person }: OpenShare): AbortSignal {
  return requestSignal(request, { person, isPermitted: maySend })
}

/** Hashes the bytes of a stream while they pass, at a limited rate. */
function hashing(pace: Pace | undefined) {
  const hash = createHash('sha256')
  let size = 0
  const passing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      hash.update(chunk)
      if (!pace) return done(null, chunk)
      pace(chunk.length).then(() => done(null, chunk), done)
    },
  })
  return {
    of(body: IncomingMessage) {
      // A connection that breaks must not look like the end of the file.
      body.once('close', () => body.complete || passing.destroy())
      return body.pipe(passing)
    },
    result: () => ({ size, sha256: hash.digest('hex') }),
  }
}
