import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Coding } from '#src/core/zlib/content-coding.ts'
import { abortReply, hijackReply } from './hijack.ts'

/** A body, or a part of it. Compressed if it has a coding. */
interface Part {
  body: Buffer | string
  coding?: Coding
}

/** A JSON response whose beginning may be sent before the rest exists. */
export interface EarlyReply {
  /** Sends the status, the headers and the beginning. */
  start(beginning: Part): void
  /** Sends the rest, or all of it if there was no beginning. */
  end(rest: Part): FastifyReply
  /** Aborts a response that has begun, and returns undefined. Throws any other error again. */
  fail(error: unknown): undefined
}

/** Prepares a response in JSON that is sent in two parts if the first is there early. */
export function createEarlyReply(request: FastifyRequest, reply: FastifyReply): EarlyReply {
  const describe = ({ coding }: Part) => {
    if (coding) reply.header('content-encoding', coding)
    // Caches may keep an answer in spite of `no-store`: for clients with the same codings only (RFC 9110 §12.5.5).
    return reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding')
  }
  const closed = new AbortController()
  let out: ServerResponse | undefined
  return {
    start(beginning) {
      reply.raw.once('close', () => closed.abort())
      out = hijackReply(describe(beginning))
      out.write(beginning.body)
    },
    end(rest) {
      if (!out) return describe(rest).send(rest.body)
      if (!out.destroyed) out.end(rest.body)
      return reply
    },
    fail(error) {
      if (!out) throw error
      abortReply(request, out, { error, signal: closed.signal, message: 'a listing was interrupted' })
      return undefined
    },
  }
}
