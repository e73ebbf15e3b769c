import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isConnectionClosed } from '#src/core/errno.ts'

/**
 * Takes control of a response from the framework: sends the status and the headers, with those set by hooks. The caller
 * writes and ends the body.
 */
export function hijackReply(reply: FastifyReply): ServerResponse {
  reply.hijack()
  return reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
}

/**
 * Ends a response that failed after its status was sent. The connection is aborted, because otherwise the client would
 * take a part for the whole. Logs the error, unless the client has disconnected, which is no fault.
 *
 * @param failure.signal aborts when the connection is closed; not needed for a body that is sent in one piece
 */
export function abortReply(
  request: FastifyRequest,
  out: ServerResponse,
  { error, signal, message }: { error: unknown; signal?: AbortSignal; message: string },
): void {
  const hasDisconnected = signal?.aborted || request.raw.socket.destroyed || isConnectionClosed(error)
  out.destroy()
  if (!hasDisconnected) request.log.warn({ err: error, request: request.id }, message)
}
