import { STATUS_CODES } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Answers a call that has nothing to say but that it is done: `200 OK` and a newline (contract/README.md#errors). */
export function done(reply: FastifyReply): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(`200 ${STATUS_CODES[200]}\n`)
}

/** Answers that something was made, and where its page is: `201 Created` and a newline (contract/README.md#status-codes). */
export function created(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(201).header('location', location).type('text/plain; charset=utf-8').send('201 Created\n')
}

/** Answers a text as it is, such as a token. */
export function text(reply: FastifyReply, body: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(body)
}
