import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/**
 * Takes a reply out of the framework's hands: status and headers, with those that hooks have set, are sent, and the body
 * is the caller's to write and to end.
 */
export function beginReply(reply: FastifyReply): ServerResponse {
  reply.hijack()
  return reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
}
