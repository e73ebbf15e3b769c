import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { abortReply, hijackReply } from './hijack.ts'

/** A JSON response whose beginning may be sent before the rest exists. */
export interface EarlyReply {
  /** Sends the status, the headers and the beginning. */
  start(beginning: Buffer): void
  /** Sends the rest, or all of it if there was no beginning. */
  end(rest: Buffer | string): FastifyReply
  /** Aborts a response that has begun, and returns undefined. Throws any other error again. */
  fail(error: unknown): undefined
}

/** Prepares a response in JSON that is sent in two parts if the first is there early. */
export function createEarlyReply(request: FastifyRequest, reply: FastifyReply): EarlyReply {
  const type = 'application/json; charset=utf-8'
  const closed = new AbortController()
  let out: ServerResponse | undefined
  return {
    start(beginning) {
      reply.raw.once('close', () => closed.abort())
      out = hijackReply(reply.type(type))
      out.write(beginning)
    },
    end(rest) {
      if (!out) return reply.type(type).send(rest)
      if (!out.destroyed) out.end(rest)
      return reply
    },
    fail(error) {
      if (!out) throw error
      abortReply(request, out, { error, signal: closed.signal, message: 'a listing was interrupted' })
      return undefined
    },
  }
}
