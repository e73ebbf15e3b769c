import { STATUS_CODES } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Sends a response without content for a completed request: `200 OK` and a newline (contract/README.md#errors). */
export function sendOk(reply: FastifyReply): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(`200 ${STATUS_CODES[200]}\n`)
}

/** Sends `201 Created` and a newline, with the URL of the new page (contract/README.md#status-codes). */
export function sendCreated(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(201).header('location', location).type('text/plain; charset=utf-8').send('201 Created\n')
}

/** Sends plain text, such as a token. */
export function sendText(reply: FastifyReply, body: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(body)
}
