import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/**
 * For work that may take longer than a client may stand still: copying, hashing, searching, flushing. A connection on which
 * nothing moves is cut only when it is the client that we wait for.
 */
export function allowSlowWork({ raw: reply, request: { raw } }: FastifyReply): void {
  // With a listener, Node leaves the connection to us (`http.ServerResponse`, event `timeout`).
  reply.on('timeout', (socket: Socket) => {
    const isOurTurn = raw.isPaused() || (raw.complete && socket.writableLength === 0)
    if (!isOurTurn) socket.destroy()
  })
}
