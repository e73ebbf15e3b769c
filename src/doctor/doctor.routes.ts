import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { Problem } from '#src/core/problem.ts'
import { hasForwardedAddress } from '#src/core/trusted-proxies.ts'
import { isInside, pathInJail } from '#src/files/paths/path-access.ts'
import { type App, at } from '#src/http/at.ts'
import { requestSignal } from '#src/http/limits.ts'

// More than the largest piece of an upload by default, so that a limit of a proxy for pieces is found.
const mostProbeBytes = 16 * 1024 * 1024
const pieces = 5
const pauseMs = 100

/** The checks of the server, and the endpoints with which a page measures what is between it and the server. */
export async function doctorRoutes(app: App) {
  const { doctor, proxies } = app.services

  app.route({
    ...at('GET /api/doctor'),
    handler: async (request) => {
      // The folders of other users may be hidden from this administrator, who may even have no folder.
      const jail = await request
        .actor()
        .jail()
        .catch(() => undefined)
      const shows = (real: string) =>
        jail !== undefined && isInside(real, jail.root) && jail.allows(pathInJail(jail, real))
      return doctor.check({ shows })
    },
  })

  app.route({
    ...at('GET /api/doctor/connection'),
    handler: async (request) => {
      const { socket, headers } = request.raw
      return {
        address: request.ip ?? '',
        peer: socket.remoteAddress ?? '',
        isTrusted: proxies.isTrusted(socket.remoteAddress),
        forwarded: {
          address: hasForwardedAddress(headers),
          scheme: headers['x-forwarded-proto'] !== undefined,
          host: headers['x-forwarded-host'] !== undefined,
        },
        scheme: request.protocol,
        host: request.host,
        port: socket.localPort ?? 0,
        time: Date.now(),
      }
    },
  })

  app.route({
    ...at('GET /api/doctor/stream'),
    handler: async (request, reply) =>
      reply.type('text/plain; charset=utf-8').send(Readable.from(lines(requestSignal(request)))),
  })

  app.route({
    ...at('POST /api/doctor/probe'),
    handler: async (request) => ({ bytes: await countBytes(request) }),
  })
}

async function* lines(signal: AbortSignal): AsyncGenerator<string> {
  for (let piece = 1; piece <= pieces; piece++) {
    if (piece > 1) await setTimeout(pauseMs, undefined, { signal })
    yield `${piece}\n`
  }
}

/** @throws Problem `request.large` */
async function countBytes({ raw }: FastifyRequest): Promise<number> {
  let bytes = 0
  for await (const chunk of raw as IncomingMessage) {
    bytes += (chunk as Buffer).length
    if (bytes > mostProbeBytes) throw new Problem('request.large', { limit: mostProbeBytes })
  }
  return bytes
}
