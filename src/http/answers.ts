import { STATUS_CODES } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Answers a call that has nothing to say but that it is done: `200 OK` and a newline (contract W2). */
export function done(reply: FastifyReply): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(`200 ${STATUS_CODES[200]}\n`)
}

/** Answers a text as it is, such as a token. */
export function text(reply: FastifyReply, body: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(body)
}
