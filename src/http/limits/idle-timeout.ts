import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/**
 * For work that may take longer than the idle timeout of a client: copying, hashing, searching, flushing. An idle
 * connection is then closed only if the server waits for the client.
 */
export function extendIdleTimeout({ raw: reply, request: { raw } }: FastifyReply): void {
  // With a listener, Node does not close the connection itself (`http.ServerResponse`, event `timeout`).
  reply.on('timeout', (socket: Socket) => {
    const isServerBusy = raw.isPaused() || (raw.complete && socket.writableLength === 0)
    if (!isServerBusy) socket.destroy()
  })
}
